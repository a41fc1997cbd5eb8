internal import Foundation

/// A file that some programs for Windows write: in UTF-16, with a byte order mark.
enum UTF16Text {
  /// The same text in UTF-8, with its XML declaration, if any, saying so; nil where there is no
  /// mark of UTF-16. Throws where the text is not what the mark says.
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

  /// The parser goes by the declaration.
  private static func declaredInUTF8(_ text: String) -> String {
    guard text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>"),
      let encoding = text[..<end.lowerBound].firstMatch(
        of: /encoding\s*=\s*["'](?i:UTF-?16(LE|BE)?)["']/)
    else { return text }
    return text.replacingCharacters(in: encoding.range, with: "encoding=\"UTF-8\"")
  }
}
