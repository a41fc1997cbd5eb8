/// A parsed NMEA 0183 sentence: `$GPRMC,…*5A`.
struct NMEASentence: Hashable {
  /// The standard allows 82 bytes including the end of line; receivers write some more.
  static let longestLine = 256

  /// The three letters after the talker id: `RMC`, `GGA`.
  let kind: String
  /// The comma-separated fields after the name.
  let fields: [ArraySlice<UInt8>]

  /// Splits a line into sentences: more than one if an end of line was lost. Text before the first
  /// `$` is the rest of something else.
  static func pieces(of line: [UInt8]) -> [ArraySlice<UInt8>] {
    guard let first = line.firstIndex(of: UInt8(ascii: "$")) else { return [] }
    return line[first...].split(separator: UInt8(ascii: "$"))
  }

  /// Parses a piece without its `$`. The talker id names the sender, such as a receiver
  /// (`GP`, `GN`) or a boat's multiplexer (`II`, `IN`), and not how good it is: each is accepted.
  /// Returns nil for a proprietary sentence, which begins with `P`, and for what is no sentence.
  init?(_ piece: ArraySlice<UInt8>) throws(ReadingFault) {
    guard let star = piece.firstIndex(of: UInt8(ascii: "*")) else { throw .checksum }
    let body = piece[..<star]
    let sum = piece[piece.index(after: star)...].prefix(2)
    guard sum.count == 2, let claimed = UInt8(String(decoding: sum, as: UTF8.self), radix: 16),
      claimed == body.reduce(0, ^)
    else { throw .checksum }
    let fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard let name = fields.first.map({ String(decoding: $0, as: UTF8.self) }),
      name.utf8.count == 5, !name.hasPrefix("P"),
      name.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) })
    else { return nil }
    kind = String(name.suffix(3))
    self.fields = Array(fields.dropFirst())
  }

  /// Returns a field by its index, from 0; nil if it is empty or missing.
  func field(_ index: Int) -> ArraySlice<UInt8>? {
    guard index < fields.count, !fields[index].isEmpty else { return nil }
    return fields[index]
  }

  /// Returns a field of one letter.
  func letter(_ index: Int) -> Character? {
    guard let field = field(index), field.count == 1, let byte = field.first else { return nil }
    return Character(Unicode.Scalar(byte))
  }

  /// Returns a non-negative number.
  func number(_ index: Int) -> Double? {
    guard let field = field(index), let value = DecimalText.number(field), value >= 0 else {
      return nil
    }
    return value
  }
}
