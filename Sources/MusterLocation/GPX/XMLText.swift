internal import Foundation
internal import MusterModel

/// Makes text that programs write, and that the XML parser rejects, readable for it.
enum XMLText {
  /// The encodings of one byte that older programs declare.
  private static let encodings: [String: String.Encoding] = [
    "ISO-8859-1": .isoLatin1, "LATIN1": .isoLatin1, "ISO-8859-2": .isoLatin2,
    "WINDOWS-1250": .windowsCP1250, "WINDOWS-1251": .windowsCP1251,
    "WINDOWS-1252": .windowsCP1252, "CP1252": .windowsCP1252, "WINDOWS-1253": .windowsCP1253,
    "WINDOWS-1254": .windowsCP1254,
  ]
  /// Longer than any declaration.
  private static let declarationBytes = 1024
  private static let mostPrefixes = 100

  /// Returns the text in UTF-8 with a matching XML declaration. Throws if it is not valid in its
  /// encoding.
  static func inUTF8(_ data: Data) throws(GPXFault) -> Data {
    do throws(MarkedText.Fault) {
      if let text = try MarkedText.utf16([UInt8](data)) {
        return Data(declaredInUTF8(text) { $0.wholeMatch(of: /(?i:UTF-?16(LE|BE)?)/) != nil }.utf8)
      }
    } catch {
      throw .notUTF8(declared: "UTF-16")
    }
    let start = String(decoding: data.prefix(declarationBytes), as: UTF8.self)
    guard let name = encodingName(of: start), let encoding = encodings[name.uppercased()] else {
      return data
    }
    guard let text = String(data: data, encoding: encoding) else {
      throw .notUTF8(declared: String(name))
    }
    return Data(declaredInUTF8(text) { _ in true }.utf8)
  }

  /// Returns what the XML declaration states as the encoding; nil if it states none.
  private static func encodingName(of text: String) -> Substring? {
    guard text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>") else { return nil }
    return text[..<end.lowerBound].firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/)?.1
  }

  /// Returns the text with UTF-8 as its declared encoding, which the parser obeys, in the place of
  /// one that is to be replaced.
  private static func declaredInUTF8(
    _ text: String, replacing isReplaced: (Substring) -> Bool
  ) -> String {
    guard let name = encodingName(of: text), isReplaced(name) else { return text }
    return text.replacingCharacters(in: name.startIndex..<name.endIndex, with: "UTF-8")
  }

  /// Returns the text with a declaration at its root for each prefix that has none: most readers of
  /// GPX and KML ignore prefixes, and some programs do not declare theirs. Returns nil if none is
  /// missing.
  ///
  /// - Parameter root: the offset of the root element.
  static func withDeclaredPrefixes(_ data: Data, root: Int) -> Data? {
    let bytes = [UInt8](data)
    guard root < bytes.count,
      let end = bytes[root...].firstIndex(where: { " \t\r\n/>".utf8.contains($0) })
    else { return nil }
    let close = bytes[end...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.endIndex
    let tag = String(decoding: bytes[end..<close], as: UTF8.self)
    let declared = Set(tag.matches(of: /xmlns:([A-Za-z_][\w.\-]*)/).map { String($0.1) })
    let missing = prefixes(in: bytes[root...]).subtracting(declared).subtracting(["xml", "xmlns"])
    guard !missing.isEmpty else { return nil }
    let added = missing.sorted().map { " xmlns:\($0)=\"urn:\($0)\"" }.joined()
    return Data(bytes[..<end] + Array(added.utf8) + bytes[end...])
  }

  /// Returns the names before a colon that begin an element or an attribute.
  private static func prefixes(in bytes: ArraySlice<UInt8>) -> Set<String> {
    var found: Set<String> = []
    var name: [UInt8]?
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "<"), 0x20, 0x09, 0x0A, 0x0D: name = []
      case UInt8(ascii: "/") where name == []: break
      case UInt8(ascii: ":"):
        if let name, let first = name.first, !isDigitOrMark(first), found.count < mostPrefixes {
          found.insert(String(decoding: name, as: UTF8.self))
        }
        name = nil
      case _ where isNameByte(byte): name?.append(byte)
      default: name = nil
      }
    }
    return found
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || isDigitOrMark(byte)
      || byte == UInt8(ascii: "_")
  }

  private static func isDigitOrMark(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-.".utf8.contains(byte)
  }
}
