/// Milliseconds since 1970-01-01T00:00:00Z, as claimed by a wall clock. A label: it never decides
/// what wins.
public struct Timestamp: Codable, Hashable, Comparable, Sendable {
  /// Negative before 1970. Any value may be received, even one that RFC 3339 cannot express.
  public let milliseconds: Int64

  /// Accepts any value: one outside `writable` is clamped only when it is formatted.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The range of RFC 3339: the years 0000 to 9999.
  public static let writable =
    Timestamp(
      milliseconds: -62_167_219_200_000)...Timestamp(
      milliseconds: 253_402_300_799_999)

  /// Returns the milliseconds since `earlier`, negative if it is later; clamped to the range.
  public func milliseconds(since earlier: Timestamp) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    return overflow ? (milliseconds < earlier.milliseconds ? .min : .max) : difference
  }

  /// Returns the later time, clamped to the range.
  public func adding(seconds: UInt32) -> Timestamp {
    let (moment, overflow) = milliseconds.addingReportingOverflow(Int64(seconds) * 1000)
    return Timestamp(milliseconds: overflow ? .max : moment)
  }

  /// Orders by the claimed time, for sorted display.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

// MARK: - RFC 3339

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC, with milliseconds only if they are not zero: `2010-08-05T14:23:59Z`.
  public var description: String {
    let clamped = min(max(self, Self.writable.lowerBound), Self.writable.upperBound).milliseconds
    let day = clamped.floorDivided(by: 86_400_000)
    let inDay = clamped - day * 86_400_000
    let date = CivilDate(dayNumber: day)
    let (seconds, fraction) = (inDay / 1000, inDay % 1000)
    var text = Self.pad(date.year, 4) + "-" + Self.pad(date.month, 2) + "-" + Self.pad(date.day, 2)
    text += "T" + Self.pad(seconds / 3600, 2) + ":" + Self.pad(seconds / 60 % 60, 2)
    text += ":" + Self.pad(seconds % 60, 2)
    if fraction != 0 { text += "." + Self.pad(fraction, 3) }
    return text + "Z"
  }

  /// Parses RFC 3339 (`2010-08-05T14:23:59.5+02:00`). A missing offset is read as UTC, since GPX
  /// files often omit it. A leap second counts as the next second. Returns nil if malformed.
  public init?(rfc3339 text: some StringProtocol) {
    var scanner = DigitScanner(text.utf8)
    guard let year = scanner.number(digits: 4), scanner.skip("-"),
      let month = scanner.number(digits: 2), scanner.skip("-"),
      let day = scanner.number(digits: 2),
      (1...12).contains(month), day >= 1, day <= CivilDate.days(in: month, of: year),
      scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let hour = scanner.number(digits: 2), hour <= 23, scanner.skip(":"),
      let minute = scanner.number(digits: 2), minute <= 59, scanner.skip(":"),
      let second = scanner.number(digits: 2), second <= 60
    else { return nil }
    var milliseconds = CivilDate(year: year, month: month, day: day).dayNumber * 86_400_000
    milliseconds += (hour * 3600 + minute * 60 + second) * 1000
    if scanner.skip(".") {
      guard let fraction = scanner.fractionMilliseconds() else { return nil }
      milliseconds += fraction
    }
    if !scanner.isAtEnd, !scanner.skip("Z"), !scanner.skip("z") {
      let sign: Int64 = scanner.skip("-") ? -1 : 1
      if sign == 1, !scanner.skip("+") { return nil }
      guard let hours = scanner.number(digits: 2), hours <= 23, scanner.skip(":"),
        let minutes = scanner.number(digits: 2), minutes <= 59
      else { return nil }
      milliseconds -= sign * (hours * 60 + minutes) * 60_000
    }
    guard scanner.isAtEnd else { return nil }
    self.init(milliseconds: milliseconds)
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// The proleptic Gregorian calendar by day numbers since 1970-01-01
/// (Hinnant, "chrono-compatible low-level date algorithms").
struct CivilDate: Hashable {
  var year: Int64
  var month: Int64
  var day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  init(dayNumber: Int64) {
    let shifted = dayNumber + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var dayNumber: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear.floorDivided(by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

/// Reads fixed runs of ASCII digits.
private struct DigitScanner {
  private var rest: [UInt8]
  private var position = 0

  init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes) }

  var isAtEnd: Bool { position == rest.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < rest.count, UInt32(rest[position]) == character.value else { return false }
    position += 1
    return true
  }

  mutating func number(digits: Int) -> Int64? {
    guard position + digits <= rest.count else { return nil }
    var value: Int64 = 0
    for digit in rest[position..<position + digits] {
      guard (48...57).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - 48)
    }
    position += digits
    return value
  }

  /// Reads any number of fraction digits, of which the first three count.
  mutating func fractionMilliseconds() -> Int64? {
    var value: Int64 = 0
    var weight: Int64 = 100
    let start = position
    while position < rest.count, (48...57).contains(rest[position]) {
      value += Int64(rest[position] - 48) * weight
      weight /= 10
      position += 1
    }
    return position > start ? value : nil
  }
}
