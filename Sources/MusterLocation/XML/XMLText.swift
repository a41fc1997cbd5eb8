internal import Foundation
internal import MusterModel

/// Converts the text of an XML file into UTF-8.
enum XMLText {
  /// The encodings of one byte that older programs declare.
  private static let encodings: [String: String.Encoding] = [
    "ISO-8859-1": .isoLatin1, "LATIN1": .isoLatin1, "ISO-8859-2": .isoLatin2,
    "WINDOWS-1250": .windowsCP1250, "WINDOWS-1251": .windowsCP1251,
    "WINDOWS-1252": .windowsCP1252, "CP1252": .windowsCP1252, "WINDOWS-1253": .windowsCP1253,
    "WINDOWS-1254": .windowsCP1254,
  ]
  /// What a file in UTF-8 may declare: some programs of Windows state the encoding of their memory.
  private static let unicode: Set = ["UTF-8", "UTF8", "US-ASCII", "ASCII", "UTF-16"]

  /// Returns the text in UTF-8, without a byte order mark.
  ///
  /// Reads UTF-8, UTF-16 with a byte order mark, and the declared encodings of one byte. Text that
  /// is not valid UTF-8 and declares no other encoding is Windows-1252. Throws for any other
  /// encoding.
  static func inUTF8(_ data: Data) throws(GPXFault) -> [UInt8] {
    var bytes = [UInt8](data)
    let wide: String?
    do throws(MarkedText.Fault) {
      wide = try MarkedText.utf16(bytes)
    } catch {
      throw .notUTF8(declared: "UTF-16")
    }
    if let wide {
      guard !wide.utf8.contains(0) else { throw .notUTF8(declared: nil) }
      return Array(wide.utf8)
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    let declared = encodingName(of: data)
    if let declared, let encoding = encodings[declared.uppercased()] {
      return try converted(data, from: encoding, declared)
    }
    guard !bytes.contains(0), declared.map({ unicode.contains($0.uppercased()) }) ?? true else {
      throw .notUTF8(declared: declared)
    }
    if String(validating: bytes, as: UTF8.self) != nil { return bytes }
    return try converted(Data(bytes), from: .windowsCP1252, declared)
  }

  private static func converted(
    _ data: Data, from encoding: String.Encoding, _ declared: String?
  ) throws(GPXFault) -> [UInt8] {
    guard !data.contains(0),
      let text = String(data: data, encoding: encoding) ?? String(data: data, encoding: .isoLatin1)
    else { throw .notUTF8(declared: declared) }
    return Array(text.utf8)
  }

  /// Returns what the XML declaration states as the encoding; nil if it states none.
  private static func encodingName(of data: Data) -> String? {
    guard data.starts(with: Data("<?xml".utf8)), let end = data.range(of: Data("?>".utf8)) else {
      return nil
    }
    let declaration = String(decoding: data[..<end.lowerBound], as: UTF8.self)
    return declaration.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/).map { String($0.1) }
  }

  static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
