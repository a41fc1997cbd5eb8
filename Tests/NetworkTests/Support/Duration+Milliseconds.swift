extension Duration {
  var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}
