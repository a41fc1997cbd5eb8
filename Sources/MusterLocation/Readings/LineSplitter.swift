/// Splits a byte stream into lines. Buffers at most one line of `longest` bytes: a longer line is
/// discarded, and reported as nil when it ends.
public struct LineSplitter: Sendable {
  private let longest: Int
  private var pending: [UInt8] = []
  private var isOverlong = false

  /// Creates a splitter.
  ///
  /// - Parameter longest: the maximum length of a line without its end, in bytes; at least 1.
  public init(longest: Int) {
    precondition(longest > 0, "lines of at most \(longest) bytes")
    self.longest = longest
  }

  /// Returns the lines that end in these bytes, without CR, LF and empty lines; nil for a line that
  /// was too long.
  public mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]?] {
    var lines: [[UInt8]?] = []
    for byte in bytes {
      if byte == 0x0A || byte == 0x0D {
        if let line = end() { lines.append(line) }
      } else if !isOverlong {
        pending.append(byte)
        if pending.count > longest { (isOverlong, pending) = (true, []) }
      }
    }
    return lines
  }

  /// Returns the last line if the source ended without an end of line.
  public mutating func finish() -> [[UInt8]?] {
    end().map { [$0] } ?? []
  }

  /// The beginning of the current incomplete line.
  var unfinished: [UInt8] { pending }

  private mutating func end() -> [UInt8]?? {
    defer { (isOverlong, pending) = (false, []) }
    if isOverlong { return .some(nil) }
    return pending.isEmpty ? .none : .some(pending)
  }
}
