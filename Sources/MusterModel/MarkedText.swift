/// Text with a byte order mark, as PowerShell and other programs of Windows write it.
public enum MarkedText {
  /// The text has a mark of UTF-16, and is not valid.
  public struct Fault: Error, Hashable, Sendable {}

  private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  /// White space, a record separator (RFC 8142), and the bytes of marks and beside those of letters
  /// in UTF-16.
  private static let blanks: Set<UInt8> = [
    0x20, 0x09, 0x0A, 0x0D, 0x1E, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00,
  ]

  /// Returns the first byte of a text after a mark and white space, by which formats differ; nil
  /// for a text without any.
  public static func firstByte(of text: some Sequence<UInt8>) -> UInt8? {
    text.first { !blanks.contains($0) }
  }

  /// Returns the bytes without a mark, of text in UTF-16 those of the same text in UTF-8. Bytes
  /// that have no mark are returned as they are.
  public static func unmarked(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
    if let text = try utf16(bytes) { return Array(text.utf8) }
    return bytes.starts(with: utf8Mark) ? Array(bytes.dropFirst(utf8Mark.count)) : bytes
  }

  /// Returns the text of UTF-16 without its mark; nil for bytes that have none.
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
