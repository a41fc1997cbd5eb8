internal import Foundation

/// UTF-16 input with a byte order mark, as some Windows programs write it.
enum UTF16Text {
  /// Returns the text in UTF-8 with a matching XML declaration; nil without a UTF-16 byte order
  /// mark. Throws if the text is not valid in the declared encoding.
  static func inUTF8(_ data: Data) throws(GPXFault) -> Data? {
    let isBigEndian: Bool
    switch data.prefix(2) {
    case Data([0xFE, 0xFF]): isBigEndian = true
    case Data([0xFF, 0xFE]): isBigEndian = false
    default: return nil
    }
    let bytes = [UInt8](data.dropFirst(2))
    guard bytes.count.isMultiple(of: 2) else { throw .notUTF8(declared: "UTF-16") }
    let (high, low) = isBigEndian ? (0, 1) : (1, 0)
    let units = stride(from: 0, to: bytes.count, by: 2).map {
      UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw .notUTF8(declared: "UTF-16")
    }
    return Data(declaredInUTF8(text).utf8)
  }

  /// The parser obeys the declaration.
  private static func declaredInUTF8(_ text: String) -> String {
    guard text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>"),
      let encoding = text[..<end.lowerBound].firstMatch(
        of: /encoding\s*=\s*["'](?i:UTF-?16(LE|BE)?)["']/)
    else { return text }
    return text.replacingCharacters(in: encoding.range, with: "encoding=\"UTF-8\"")
  }
}
