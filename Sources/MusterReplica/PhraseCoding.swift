internal import MusterModel

/// Phrases as bytes: the key, the number of values, and for each by its name the name, a code and
/// the value. A text is its length in bytes, and UTF-8; a list its length, then a code and a value
/// for each.
enum PhraseCoding {
  private static let damage = DecodingFault.invalid("a phrase")
  /// What is deeper is damaged.
  private static let mostDepth = 8

  // MARK: Encoding

  static func append(_ phrase: Phrase, to bytes: inout [UInt8]) {
    append(phrase.key.rawValue, to: &bytes)
    Varint.append(UInt64(phrase.values.count), to: &bytes)
    for (name, value) in phrase.values.sorted(by: { $0.key < $1.key }) {
      append(name, to: &bytes)
      append(value, to: &bytes)
    }
  }

  private static func append(_ value: Phrase.Value, to bytes: inout [UInt8]) {
    switch value {
    case .text(let text):
      bytes.append(0)
      append(text, to: &bytes)
    case .number(let number):
      bytes.append(1)
      Varint.append(signed: number, to: &bytes)
    case .phrase(let phrase):
      bytes.append(2)
      append(phrase, to: &bytes)
    case .list(let values):
      bytes.append(3)
      Varint.append(UInt64(values.count), to: &bytes)
      for value in values { append(value, to: &bytes) }
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    Varint.append(UInt64(text.utf8.count), to: &bytes)
    bytes += text.utf8
  }

  // MARK: Decoding

  /// Returns nil for bytes of another version of this program.
  static func phrase(decoding bytes: [UInt8]) -> Phrase? {
    var place = 0
    do throws(DecodingFault) {
      return try phrase(in: bytes, at: &place)
    } catch {
      return nil
    }
  }

  /// Reads a phrase. Throws for a key that this version lacks, and for damage.
  static func phrase(
    in bytes: [UInt8], at place: inout Int, depth: Int = 0
  ) throws(DecodingFault) -> Phrase {
    guard depth <= mostDepth, let key = PhraseKey(rawValue: try text(in: bytes, at: &place)) else {
      throw damage
    }
    var values: [String: Phrase.Value] = [:]
    for _ in 0..<(try count(in: bytes, at: &place)) {
      let name = try text(in: bytes, at: &place)
      values[name] = try value(in: bytes, at: &place, depth: depth)
    }
    return Phrase(key, values)
  }

  private static func value(
    in bytes: [UInt8], at place: inout Int, depth: Int
  ) throws(DecodingFault) -> Phrase.Value {
    guard depth <= mostDepth, let code = Varint.number(in: bytes, at: &place) else { throw damage }
    switch code {
    case 0: return .text(try text(in: bytes, at: &place))
    case 1:
      guard let number = Varint.signed(in: bytes, at: &place) else { throw damage }
      return .number(number)
    case 2: return .phrase(try phrase(in: bytes, at: &place, depth: depth + 1))
    case 3:
      var values: [Phrase.Value] = []
      for _ in 0..<(try count(in: bytes, at: &place)) {
        values.append(try value(in: bytes, at: &place, depth: depth + 1))
      }
      return .list(values)
    default: throw damage
    }
  }

  /// Reads a text.
  static func text(in bytes: [UInt8], at place: inout Int) throws(DecodingFault) -> String {
    let count = try count(in: bytes, at: &place)
    guard let text = String(validating: bytes[place..<place + count], as: UTF8.self) else {
      throw damage
    }
    place += count
    return text
  }

  /// Reads the number of things that take at least a byte each.
  private static func count(in bytes: [UInt8], at place: inout Int) throws(DecodingFault) -> Int {
    guard let count = Varint.number(in: bytes, at: &place), count <= UInt64(bytes.count - place)
    else { throw damage }
    return Int(count)
  }
}
