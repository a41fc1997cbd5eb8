/// The first digits of an id or a hash, which users may type instead of the whole.
public struct IdentifierPrefix: Hashable, Sendable {
  /// Fewer would often match several ids; a whole id has 32.
  public static let leastDigits = 4

  /// Hexadecimal, in lower case.
  public let digits: String

  /// Returns nil unless the text is at least `leastDigits` hexadecimal digits, of either case.
  public init?(_ text: some StringProtocol) {
    let digits = text.lowercased()
    let isHexadecimal = digits.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard isHexadecimal, digits.utf8.count >= Self.leastDigits else { return nil }
    self.digits = digits
  }

  /// Whether a value whose description is hexadecimal, such as an id or a hash, has this prefix.
  public func begins(_ id: some CustomStringConvertible) -> Bool {
    id.description.hasPrefix(digits)
  }
}
