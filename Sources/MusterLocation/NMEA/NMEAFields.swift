internal import MusterModel

/// Parsers of sentence fields.
enum NMEAFields {
  /// Parses four fields: latitude `ddmm.mmmm`, N or S, longitude `dddmm.mmmm`, E or W.
  static func position(
    _ sentence: NMEASentence, at index: Int
  ) throws(ReadingFault) -> Coordinate {
    guard let north = degrees(sentence.field(index)), let east = degrees(sentence.field(index + 2)),
      let latitudeSign = sign(sentence.letter(index + 1), "N", "S"),
      let longitudeSign = sign(sentence.letter(index + 3), "E", "W"),
      let position = Coordinate(latitude: latitudeSign * north, longitude: longitudeSign * east)
    else { throw .place }
    return position
  }

  /// Parses `hhmmss` with any fraction into milliseconds since midnight; nil if empty. A leap
  /// second counts as the last second of its day.
  static func timeOfDay(_ field: ArraySlice<UInt8>?) throws(ReadingFault) -> Int64? {
    guard let field else { return nil }
    let digits = field.prefix { $0 != UInt8(ascii: ".") }
    guard let number = DecimalText.digits(digits, count: 6) else { throw .time }
    let (hour, minute, second) = (number / 10_000, number / 100 % 100, number % 100)
    guard hour < 24, minute < 60, second <= 60 else { throw .time }
    var milliseconds: Int64 = 0
    let fraction = field.dropFirst(digits.count + 1)
    if !fraction.isEmpty {
      let leading = Array(fraction.prefix(3)) + [UInt8](repeating: 0x30, count: 3)
      guard let value = DecimalText.digits(leading.prefix(3), count: 3) else { throw .time }
      milliseconds = value
    }
    return (hour * 3600 + minute * 60 + min(second, 59)) * 1000 + milliseconds
  }

  /// Parses `ddmmyy` into milliseconds from 1970 to its midnight; nil if empty. Years 80 to 99 are
  /// in the 20th century, when GPS already existed.
  static func day(_ field: ArraySlice<UInt8>?) throws(ReadingFault) -> Int64? {
    guard let field else { return nil }
    guard let number = DecimalText.digits(field, count: 6) else { throw .time }
    let short = number % 100
    let year = short < 80 ? 2000 + short : 1900 + short
    let text =
      "\(year)-" + padded(number / 100 % 100) + "-" + padded(number / 10_000) + "T00:00:00Z"
    guard let day = Timestamp(rfc3339: text) else { throw .time }
    return day.milliseconds
  }

  private static func degrees(_ field: ArraySlice<UInt8>?) -> Double? {
    guard let field, field.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
      let value = DecimalText.number(field), value < 1e6
    else { return nil }
    let whole = (value / 100).rounded(.down)
    let minutes = value - whole * 100
    return minutes < 60 ? whole + minutes / 60 : nil
  }

  private static func sign(_ letter: Character?, _ plus: Character, _ minus: Character) -> Double? {
    switch letter {
    case plus: 1
    case minus: -1
    default: nil
    }
  }

  private static func padded(_ number: Int64) -> String { (number < 10 ? "0" : "") + "\(number)" }
}
