extension Array {
  /// Returns the first index whose element satisfies a condition, by binary search; the end index
  /// if none does. If an element satisfies the condition, all later ones MUST satisfy it.
  func firstPlace(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
