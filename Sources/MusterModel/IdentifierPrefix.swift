/// The beginning of an id or a hash, as people type it for the whole.
public struct IdentifierPrefix: Hashable, Sendable {
  /// Fewer would often fit several ids; a whole one has 32.
  public static let leastDigits = 4

  /// Hexadecimal, in lower case.
  public let digits: String

  /// Nil unless the text is at least `leastDigits` hexadecimal digits, of either case.
  public init?(_ text: some StringProtocol) {
    let digits = text.lowercased()
    let isHexadecimal = digits.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard isHexadecimal, digits.utf8.count >= Self.leastDigits else { return nil }
    self.digits = digits
  }

  /// Whether what describes itself in hexadecimal digits, as an id or a hash does, begins so.
  public func begins(_ id: some CustomStringConvertible) -> Bool {
    id.description.hasPrefix(digits)
  }
}
