internal import MusterModel

/// A body with a time and packed writes only, as nearly all bodies are. It is parsed without the
/// generated code, which would take most of the time of a catch-up. Any encoding other than the one
/// that writers produce is left to the generated code, which defines its meaning.
struct PlainBody {
  let writtenAt: Timestamp
  /// The range of the packed writes.
  let writes: Range<Int>

  private static let timeTag: UInt8 = 1 << 3
  private static let writesTag: UInt8 = 5 << 3 | 2

  init?(_ bytes: [UInt8]) {
    var position = 0
    var time: UInt64 = 0
    if bytes.first == Self.timeTag {
      position = 1
      guard let value = Self.varint(bytes, &position) else { return nil }
      time = value
    }
    guard position < bytes.count, bytes[position] == Self.writesTag else { return nil }
    position += 1
    guard let length = Self.varint(bytes, &position), length == UInt64(bytes.count - position)
    else { return nil }
    writtenAt = Timestamp(milliseconds: Int64(bitPattern: time >> 1 ^ (0 &- (time & 1))))
    writes = position..<bytes.count
  }

  /// Returns nil for a varint of more than nine bytes, which the generated code truncates to 64
  /// bits.
  private static func varint(_ bytes: [UInt8], _ position: inout Int) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      guard position < bytes.count else { return nil }
      let next = bytes[position]
      position += 1
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
    }
    return nil
  }
}
