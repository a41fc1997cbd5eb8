/// Emphasis on a terminal (ECMA-48 SGR). A word always has the same meaning beside it.
enum Paint: String, Hashable {
  case plain = ""
  case strong = "1"
  case faint = "2"
  case good = "32"
  case bad = "1;31"
  case doubtful = "33"

  func apply(_ text: String, on screen: Screen) -> String {
    guard screen.showsColours, self != .plain, !text.isEmpty else { return text }
    return "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
  }
}
