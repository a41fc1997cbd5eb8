/// One sentence of NMEA 0183, taken apart: `$GPRMC,…*5A`.
struct NMEASentence: Hashable {
  /// The standard allows 82 bytes with the line's end; receivers write some more.
  static let longestLine = 256

  /// The three letters after the talker: `RMC`, `GGA`.
  let kind: String
  /// Between the commas, after the name.
  let fields: [ArraySlice<UInt8>]

  /// Satellites: GPS, GLONASS, Galileo, BeiDou (two names), QZSS (two), NavIC, several together.
  private static let talkers: Set<String> = [
    "GP", "GL", "GA", "GB", "BD", "GQ", "QZ", "GI", "GN",
  ]

  /// The sentences of a line: more than one where the end of a line was lost. What stands before
  /// the first `$` is the rest of something else.
  static func pieces(of line: [UInt8]) -> [ArraySlice<UInt8>] {
    guard let first = line.firstIndex(of: UInt8(ascii: "$")) else { return [] }
    return line[first...].split(separator: UInt8(ascii: "$"))
  }

  /// Takes a piece without its `$`; nil for a sentence of no satellite receiver.
  init?(_ piece: ArraySlice<UInt8>) throws(ReadingFault) {
    guard let star = piece.firstIndex(of: UInt8(ascii: "*")) else { throw .checksum }
    let body = piece[..<star]
    let sum = piece[piece.index(after: star)...].prefix(2)
    guard sum.count == 2, let claimed = UInt8(String(decoding: sum, as: UTF8.self), radix: 16),
      claimed == body.reduce(0, ^)
    else { throw .checksum }
    let fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard let name = fields.first.map({ String(decoding: $0, as: UTF8.self) }),
      name.utf8.count == 5, Self.talkers.contains(String(name.prefix(2)))
    else { return nil }
    kind = String(name.suffix(3))
    self.fields = Array(fields.dropFirst())
  }

  /// A field by its number, from 0; nil where it is empty or missing.
  func field(_ index: Int) -> ArraySlice<UInt8>? {
    guard index < fields.count, !fields[index].isEmpty else { return nil }
    return fields[index]
  }

  /// One letter.
  func letter(_ index: Int) -> Character? {
    guard let field = field(index), field.count == 1, let byte = field.first else { return nil }
    return Character(Unicode.Scalar(byte))
  }

  /// A number that is not negative.
  func number(_ index: Int) -> Double? {
    guard let field = field(index), let value = DecimalText.number(field), value >= 0 else {
      return nil
    }
    return value
  }
}
