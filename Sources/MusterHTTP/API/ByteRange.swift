/// The `Range` header for one range of bytes (RFC 9110 §14).
enum ByteRange: Hashable {
  /// Without a range, or with a header that may be ignored: several ranges, or another unit.
  case whole
  case part(Range<Int>)
  /// No byte of the file is in the range.
  case unsatisfiable

  /// - Parameter count: the length of the file.
  init(_ header: String?, of count: Int) {
    guard let header, header.hasPrefix("bytes=") else {
      self = .whole
      return
    }
    let ends = header.dropFirst(6).split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.end(ends[0]), let last = Self.end(ends[1]) else {
      self = .whole
      return
    }
    switch (first, last) {
    case (nil, nil): self = .whole
    case (nil, let suffix?):
      self = suffix == 0 || count == 0 ? .unsatisfiable : .part(max(0, count - suffix)..<count)
    case (let first?, nil): self = first < count ? .part(first..<count) : .unsatisfiable
    case (let first?, let last?):
      if last < first {
        self = .whole
      } else {
        self = first < count ? .part(first..<min(last, count - 1) + 1) : .unsatisfiable
      }
    }
  }

  /// Returns the number, nil for an empty text, or nil outside for anything else.
  private static func end(_ text: Substring) -> Int?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    // More digits than any file has bytes.
    return .some(Int(text) ?? .max - 1)
  }
}
