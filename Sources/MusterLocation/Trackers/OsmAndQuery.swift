internal import MusterModel

/// The protocol of OsmAnd, Traccar Client and many other apps for reporting a phone's position:
/// `id=…&lat=…&lon=…&timestamp=…&hdop=…&accuracy=…&batt=…&motion=…&alarm=…`, in a URL or as the
/// body of a POST. Unknown names are ignored; of repeated names the first counts.
public enum OsmAndQuery {
  /// A query with all known names has 200 bytes.
  public static let longestBytes = 2048
  /// Metres for an HDOP of 1, as with NMEA.
  private static let metresPerHDOP = NMEADecoder.metresPerHDOP

  /// Parses a query without its question mark.
  public static func read(_ query: some StringProtocol) throws(ReadingFault) -> TrackerReport {
    guard query.utf8.count <= longestBytes else { throw .tooLong }
    var values: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = decoded(parts[0]), let value = decoded(parts[1]) else {
        throw .malformed
      }
      if values[name] == nil { values[name] = value }
    }
    guard let tracker = (values["id"] ?? values["deviceid"]).flatMap({ TrackerName($0) }) else {
      throw .nameless
    }
    let metres =
      number(values["accuracy"]) ?? number(values["hdop"]).map { $0 * metresPerHDOP }
    return TrackerReport(
      tracker: tracker,
      fix: SourceFix(
        position: try position(values), accuracyDecimetres: Accuracy.decimetres(metres),
        sampleTime: try TrackerTime.read(values["timestamp"])),
      alarm: TrackerAlarm(field: values["alarm"], batteryPercent: number(values["batt"])),
      batteryPercent: number(values["batt"]), isMoving: flag(values["motion"]))
  }

  private static func position(_ values: [String: String]) throws(ReadingFault) -> Coordinate {
    var (latitude, longitude) = (number(values["lat"]), number(values["lon"]))
    if let parts = values["location"]?.split(separator: ","), parts.count == 2 {
      (latitude, longitude) = (DecimalText.number(parts[0]), DecimalText.number(parts[1]))
    }
    guard let latitude, let longitude,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { throw .place }
    return position
  }

  /// Parses a number. Phones send 0 for an unknown accuracy; the next best value is used then.
  private static func number(_ text: String?) -> Double? {
    text.flatMap { DecimalText.number($0) }
  }

  /// Parses a truth value; nil for any other text.
  private static func flag(_ text: String?) -> Bool? {
    switch text?.lowercased() {
    case "true", "1": true
    case "false", "0": false
    default: nil
    }
  }

  /// Decodes `application/x-www-form-urlencoded`; nil if the result is not UTF-8.
  private static func decoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard rest.count >= 2, let high = hexadecimal(rest[rest.startIndex]),
          let low = hexadecimal(rest[rest.startIndex + 1])
        else { return nil }
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

/// Parser of times in phone tracker reports.
enum TrackerTime {
  /// Smaller numbers are seconds, larger ones milliseconds: the limit is the year 5138 in seconds,
  /// or March 1973 in milliseconds.
  private static let firstMilliseconds = 1e11

  /// Parses seconds or milliseconds since 1970, or RFC 3339. Returns nil if empty, or 0, which
  /// means "unknown".
  static func read(_ text: String?) throws(ReadingFault) -> Timestamp? {
    guard let text, !text.isEmpty else { return nil }
    if let number = DecimalText.number(text) { return try read(number) }
    guard let time = Timestamp(rfc3339: text) else { throw .time }
    return time
  }

  /// Parses seconds or milliseconds since 1970; nil for 0.
  static func read(_ number: Double) throws(ReadingFault) -> Timestamp? {
    if number == 0 { return nil }
    let milliseconds = abs(number) < firstMilliseconds ? number * 1000 : number
    guard let exact = Int64(exactly: milliseconds.rounded()) else { throw .time }
    let time = Timestamp(milliseconds: exact)
    guard Timestamp.writable.contains(time) else { throw .time }
    return time
  }
}
