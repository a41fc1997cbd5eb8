/// Cuts a stream of bytes into lines, however it was cut on its way. Holds at most one line of
/// `longest` bytes: of a longer one nothing is kept, and it is told as nil when it ends.
public struct LineSplitter: Sendable {
  private let longest: Int
  private var pending: [UInt8] = []
  private var isOverlong = false

  /// - Parameter longest: bytes of a line without its end; at least 1.
  public init(longest: Int) {
    precondition(longest > 0, "lines of at most \(longest) bytes")
    self.longest = longest
  }

  /// The lines that end in these bytes, without carriage return and line feed, and without the
  /// empty ones; nil stands for a line that was too long.
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

  /// The line that the source left without an end, as where it stops; as `take` otherwise.
  public mutating func finish() -> [[UInt8]?] {
    end().map { [$0] } ?? []
  }

  /// What has come of a line that has not ended yet.
  var unfinished: [UInt8] { pending }

  private mutating func end() -> [UInt8]?? {
    defer { (isOverlong, pending) = (false, []) }
    if isOverlong { return .some(nil) }
    return pending.isEmpty ? .none : .some(pending)
  }
}
