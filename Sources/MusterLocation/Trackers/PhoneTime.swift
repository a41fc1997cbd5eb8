internal import MusterModel

/// Parser of the times that phones state.
enum PhoneTime {
  /// Smaller numbers are seconds, larger ones milliseconds: the limit is the year 5138 in seconds,
  /// or March 1973 in milliseconds.
  private static let firstMilliseconds = 1e11
  /// Larger numbers are microseconds.
  private static let firstMicroseconds = 1e14

  /// Parses seconds, milliseconds or microseconds since 1970, or ISO 8601 in the forms that apps
  /// write. Nothing, and 0, mean that the message states no time.
  static func read(_ value: PhoneValue?) -> DeviceTime {
    guard let value, !value.isEmpty else { return .missing }
    if let number = value.decimal { return read(number) }
    guard case .text(let text) = value, let time = iso8601(PhoneValue.trimmed(text)),
      Timestamp.writable.contains(time)
    else { return .unknown }
    return .stated(time)
  }

  private static func read(_ number: Double) -> DeviceTime {
    if number == 0 { return .missing }
    let size = abs(number)
    let milliseconds =
      size < firstMilliseconds
      ? number * 1000 : size < firstMicroseconds ? number : number / 1000
    guard let exact = Int64(exactly: milliseconds.rounded()) else { return .unknown }
    let time = Timestamp(milliseconds: exact)
    return Timestamp.writable.contains(time) ? .stated(time) : .unknown
  }

  /// Parses RFC 3339, also with an offset without a colon or of hours alone, and with a blank where
  /// a form lost its plus sign.
  private static func iso8601(_ text: String) -> Timestamp? {
    if let time = Timestamp(rfc3339: text) { return time }
    // The date has 10 characters; what follows the time of day is the offset.
    guard (12...64).contains(text.utf8.count), text.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x0D })
    else { return nil }
    let start = text.index(text.startIndex, offsetBy: 11)
    guard let sign = text[start...].lastIndex(where: { "+- ".contains($0) }) else { return nil }
    let digits = text[text.index(after: sign)...].filter { $0 != ":" }
    guard digits.count == 2 || digits.count == 4 else { return nil }
    let (hours, minutes) = (digits.prefix(2), digits.dropFirst(2))
    let mark = text[sign] == "-" ? "-" : "+"
    return Timestamp(
      rfc3339: "\(text[..<sign])\(mark)\(hours):\(minutes.isEmpty ? "00" : String(minutes))")
  }
}
