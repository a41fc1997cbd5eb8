internal import MusterModel

/// Why bytes are no state of a `CrossingDetector`.
public enum CrossingStateFault: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownFormat(UInt8)
  case truncated
  case trailingBytes
  case invalid(String)

  /// One line for the log.
  public var description: String {
    switch self {
    case .unknownFormat(let format): "crossing state has the unknown format \(format)"
    case .truncated: "crossing state is cut short"
    case .trailingBytes: "crossing state is followed by other bytes"
    case .invalid(let what): "crossing state is damaged: \(what)"
    }
  }
}

// Format 1, big-endian: format 1 byte · has a time 1 · sample time 8 · fences under watch 4 ·
// their ids 16 each · entries 4 · each entry: fence 16, version 16, state 1, transitions 4.
extension CrossingDetector {
  private static let format: UInt8 = 1
  private static let entryBytes = 37

  /// The state as bytes, so that it survives a restart.
  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = [Self.format, lastSampleTime == nil ? 0 : 1]
    bytes.reserveCapacity(18 + watched.count * 16 + entries.count * Self.entryBytes)
    bytes.append(bigEndian: UInt64(bitPattern: lastSampleTime?.milliseconds ?? 0))
    bytes.append(bigEndian: UInt32(watched.count))
    for fence in watched { bytes += fence.bytes }
    bytes.append(bigEndian: UInt32(entries.count))
    for entry in entries {
      bytes += entry.fence.bytes
      bytes += entry.version.bytes
      bytes.append(entry.state.rawValue)
      bytes.append(bigEndian: entry.transitions)
    }
    return bytes
  }

  /// Reads what `encoded()` wrote, and refuses everything else.
  public init(decoding bytes: [UInt8]) throws(CrossingStateFault) {
    var reader = BigEndianReader(bytes)
    let format = UInt8(try reader.integer(bytes: 1))
    guard format == Self.format else { throw .unknownFormat(format) }
    let hasTime = try reader.integer(bytes: 1)
    let milliseconds = Int64(bitPattern: try reader.integer(bytes: 8))
    guard hasTime == 1 || (hasTime == 0 && milliseconds == 0) else { throw .invalid("time") }
    self.init()
    lastSampleTime = hasTime == 1 ? Timestamp(milliseconds: milliseconds) : nil
    for _ in 0..<(try reader.count(of: 16)) {
      watched.append(RowID(raw: try reader.bytes16()))
    }
    for _ in 0..<(try reader.count(of: Self.entryBytes)) {
      let fence = RowID(raw: try reader.bytes16())
      let version = FenceVersion(raw: try reader.bytes16())
      guard let state = Entry.State(rawValue: UInt8(try reader.integer(bytes: 1))) else {
        throw .invalid("state")
      }
      let transitions = UInt32(try reader.integer(bytes: 4))
      entries.append(
        Entry(fence: fence, version: version, state: state, transitions: transitions))
    }
    guard reader.isAtEnd else { throw .trailingBytes }
    if let violation { throw .invalid(violation) }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}

private struct BigEndianReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func integer(bytes width: Int) throws(CrossingStateFault) -> UInt64 {
    guard rest.count >= width else { throw .truncated }
    defer { rest = rest.dropFirst(width) }
    return rest.prefix(width).reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func bytes16() throws(CrossingStateFault) -> Bytes16 {
    Bytes16(high: try integer(bytes: 8), low: try integer(bytes: 8))
  }

  /// A count of things that follow, checked against what is left before anything is allocated.
  mutating func count(of size: Int) throws(CrossingStateFault) -> Int {
    let count = Int(try integer(bytes: 4))
    guard count <= rest.count / size else { throw .truncated }
    return count
  }
}
