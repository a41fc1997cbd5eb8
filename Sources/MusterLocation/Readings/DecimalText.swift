/// Parsers of numbers in location input.
enum DecimalText {
  private static let allowed = Set("0123456789+-.eE".utf8)

  /// Parses a decimal number, with the exponent that some programs write near zero. No hexadecimal,
  /// infinity or NaN.
  static func number(_ text: some StringProtocol) -> Double? {
    guard text.utf8.count <= 64, text.utf8.allSatisfy(allowed.contains),
      let value = Double(text), value.isFinite
    else { return nil }
    return value
  }

  /// Parses a decimal number from bytes.
  static func number(_ bytes: some Collection<UInt8>) -> Double? {
    guard bytes.count <= 64, bytes.allSatisfy(allowed.contains) else { return nil }
    return number(String(decoding: bytes, as: UTF8.self))
  }

  /// Parses a number of exactly `count` digits.
  static func digits(_ bytes: some Collection<UInt8>, count: Int) -> Int64? {
    guard bytes.count == count, count <= 18 else { return nil }
    var value: Int64 = 0
    for byte in bytes {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    return value
  }
}

/// Conversion of accuracy radii.
enum Accuracy {
  /// Converts metres to decimetres, rounded up so that the accuracy is never overstated. Returns
  /// nil for invalid lengths, and for 0, which phones send for "unknown".
  static func decimetres(_ metres: Double?) -> UInt32? {
    guard let metres, metres > 0, metres.isFinite else { return nil }
    return UInt32(exactly: min((metres * 10).rounded(.up), Double(UInt32.max)))
  }
}
