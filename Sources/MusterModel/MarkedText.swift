/// Text of UTF-16 with a byte order mark, as PowerShell and other programs of Windows write it.
public enum MarkedText {
  /// The text has a mark, and is not valid UTF-16.
  public struct Fault: Error, Hashable, Sendable {}

  /// Returns the text without its mark; nil for bytes that have none.
  public static func utf16(_ bytes: [UInt8]) throws(Fault) -> String? {
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
    guard bytes.count.isMultiple(of: 2) else { throw Fault() }
    let (high, low) = isLittle ? (1, 0) : (0, 1)
    let units = stride(from: 2, to: bytes.count, by: 2).map {
      UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
    }
    guard let text = String(validating: units, as: UTF16.self) else { throw Fault() }
    return text
  }
}
