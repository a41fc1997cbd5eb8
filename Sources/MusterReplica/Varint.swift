/// Integers of one to ten bytes, seven bits in each, the lowest first: small numbers take one byte.
enum Varint {
  static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends a signed number, zigzag-coded.
  static func append(signed number: Int64, to bytes: inout [UInt8]) {
    append(UInt64(bitPattern: (number << 1) ^ (number >> 63)), to: &bytes)
  }

  /// Reads the number at a place, and moves the place behind it; nil for bytes that are none.
  static func number(in bytes: [UInt8], at place: inout Int) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while place < bytes.count, shift < 70 {
      let byte = bytes[place]
      guard shift < 63 || byte <= 1 else { return nil }
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }

  /// Reads a signed number; nil for bytes that are none.
  static func signed(in bytes: [UInt8], at place: inout Int) -> Int64? {
    number(in: bytes, at: &place).map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }
}
