internal import Foundation
public import MusterModel

/// The messages of phones: one reader for all apps, so that each part of a message is read alone
/// and by the same rules (decision 0094).
///
///     form, JSON ─▶ PhoneValue ─▶ members by their names in all apps ─▶ TrackerReport
///
/// | app | form |
/// |---|---|
/// | OsmAnd, Traccar Client to 8 | `id=…&lat=…&lon=…&timestamp=…&accuracy=…&batt=…&alarm=…` |
/// | Traccar Client since 9 | `{"location":{"coords":{…},…},"device_id":…}`, or flat |
/// | OwnTracks | `{"_type":"location","lat":…,"lon":…,"acc":…,"tst":…,…}` |
///
/// Any of them may be a list of messages.
public enum PhoneMessages {
  /// The maximum length of a body, which may be a list.
  public static let longestBytes = 1 << 20
  /// The messages of a list that are read.
  private static let mostMessages = 4096

  /// Metres for an HDOP of 1, as with NMEA.
  private static let metresPerHDOP = NMEADecoder.metresPerHDOP

  /// Parses a form without a leading question mark. Throws `ReadingFault.malformed` if it has no
  /// name that an app uses.
  public static func form(_ text: some StringProtocol) throws(ReadingFault) -> TrackerReport {
    guard text.utf8.count <= longestBytes else { throw .tooLong }
    guard let members = PhoneValue.form(text).members,
      members.contains(where: { formNames.contains($0.key.lowercased()) })
    else { throw .malformed }
    return report(of: members, named: [])
  }

  private static let formNames: Set<String> = [
    "id", "deviceid", "lat", "lon", "location", "timestamp", "alarm", "batt",
  ]

  /// Whether a body is JSON, and so no form.
  public static func isJSON(_ body: [UInt8]) -> Bool {
    guard let first = MarkedText.firstByte(of: body) else { return false }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Returns JSON with what apps write wrongly put right (`PhoneValue.json`): broken escapes,
  /// control characters and bytes that are not UTF-8 in texts. Numbers become texts.
  public static func repaired(_ body: [UInt8]) -> [UInt8] { PhoneValue.repaired(body) }

  /// Parses JSON: a message or a list of messages, each judged alone. Messages about something else
  /// than the phone itself yield no report. Throws if nothing of it is a message.
  ///
  /// - Parameters:
  ///   - names: the user and the device that the request states beside a message; empty without.
  ///   - open: decrypts a message of OwnTracks; nil if it has another key.
  public static func json(
    _ body: [UInt8], named names: [String] = [], open: (String) -> [UInt8]? = { _ in nil }
  ) throws(ReadingFault) -> [TrackerReport] {
    guard body.count <= longestBytes else { throw .tooLong }
    guard let value = PhoneValue.json(Array(body.drop { $0 >= 0x80 })) else { throw .malformed }
    let messages = value.messages.prefix(mostMessages).compactMap(\.members)
    guard !messages.isEmpty || value == .list([]) else { throw .malformed }
    let reports = messages.flatMap { message in
      guard message["_type"]?.word == "encrypted" else {
        return self.reports(of: message, named: names)
      }
      guard
        let inner = message["data"]?.word.flatMap(open).flatMap(PhoneValue.json)?.members
      else {
        return [encrypted(message, named: names)]
      }
      let outer = message.filter { !["_type", "data"].contains($0.key) }
      return self.reports(of: inner.merging(outer) { own, _ in own }, named: names)
    }
    guard !reports.isEmpty || messages.allSatisfy(isKnown) else { throw .malformed }
    return reports
  }

  /// A message that cannot be read reports nothing but its phone.
  private static func encrypted(
    _ message: [String: PhoneValue], named names: [String]
  ) -> TrackerReport {
    var report = TrackerReport(tracker: nil, position: nil)
    readName(values(of: message), names, into: &report)
    report.omissions = [.encrypted]
    return report
  }

  /// Whether a message has the form of an app, although it may be about something else.
  private static func isKnown(_ message: [String: PhoneValue]) -> Bool {
    message["_type"] != nil || message["device_id"] != nil || message["location"] != nil
  }

  private static func reports(
    of message: [String: PhoneValue], named names: [String]
  ) -> [TrackerReport] {
    if let type = message["_type"] {
      let report = report(of: message, named: names)
      return type.word == "location" || report.isCall ? [report] : []
    }
    // Nested: the location is an object, or a list of several.
    if let location = message["location"], location.decimal == nil, location.word == nil {
      let outer = message.filter { $0.key != "location" }
      let inner = location.messages.compactMap(\.members)
      if inner.isEmpty { return [report(of: outer, named: names)] }
      let outerAlarm = TrackerAlarm(alarms(in: outer))
      return inner.prefix(mostMessages).map { location in
        report(
          of: location.merging(outer) { own, other in own.isEmpty ? other : own }, named: names,
          alarm: first(outerAlarm, TrackerAlarm(alarms(in: location))))
      }
    }
    let isReport = message.keys.contains { jsonNames.contains($0.lowercased()) }
    return isReport ? [report(of: message, named: names)] : []
  }

  private static let jsonNames: Set<String> = formNames.union([
    "device_id", "latitude", "longitude", "coords", "battery", "heartbeat", "tid",
  ])

  // MARK: One message

  /// Objects whose members are the message's too.
  private static let parts = ["coords", "extras", "attributes", "params"]

  /// Returns all values named `alarm`: an empty one hides no other.
  private static func alarms(in message: [String: PhoneValue]) -> [PhoneValue] {
    let members = message.sorted { $0.key < $1.key }
    return members.filter { $0.key.lowercased() == "alarm" }.map(\.value)
      + members.filter { parts.contains($0.key.lowercased()) }.flatMap {
        alarms(in: $0.value.members ?? [:])
      }
  }

  /// The non-empty values of each name in lower case: of the message itself, then of each part. The
  /// first that can be read as what a name means counts: an odd value hides no other.
  private typealias Values = [[String: [PhoneValue]]]

  /// Returns the alarm that calls for help; without one the first.
  private static func first(_ one: TrackerAlarm?, _ other: TrackerAlarm?) -> TrackerAlarm? {
    one?.isCall != true && other?.isCall == true ? other : one ?? other
  }

  private static func report(
    of message: [String: PhoneValue], named names: [String]
  ) -> TrackerReport {
    report(of: message, named: names, alarm: TrackerAlarm(alarms(in: message)))
  }

  private static func report(
    of message: [String: PhoneValue], named names: [String], alarm: TrackerAlarm?
  ) -> TrackerReport {
    let members = values(of: message)
    var report = TrackerReport(tracker: nil, position: nil)
    readName(members, names, into: &report)
    readTime(members, into: &report)
    readPosition(members, into: &report)
    readCondition(members, into: &report)
    report.alarm = alarm
    return report
  }

  /// The values of one name that are read.
  private static let mostValues = 16

  private static func values(of message: [String: PhoneValue]) -> Values {
    func listed(_ found: [String: PhoneValue]) -> [String: [PhoneValue]] {
      var values: [String: [PhoneValue]] = [:]
      // The order of a dictionary is not defined.
      for (name, value) in found.sorted(by: { $0.key < $1.key }) {
        let some = value.messages.prefix(mostValues).filter { !$0.isEmpty }
        values[name.lowercased(), default: []] += some
      }
      return values
    }
    let own = listed(message)
    return [own] + parts.flatMap { own[$0] ?? [] }.compactMap(\.members).map(listed)
  }

  private static func values(of names: [String], in members: Values) -> [PhoneValue] {
    members.flatMap { part in names.flatMap { part[$0] ?? [] } }
  }

  /// A secret names the phone before any of these: see `TrackerReport.renamed`. What stands later
  /// may change without a new person.
  private static func readName(
    _ members: Values, _ names: [String], into report: inout TrackerReport
  ) {
    var candidates = [names.filter { !$0.isEmpty }.joined(separator: "/")]
    // `owntracks/USER/DEVICE`
    candidates += values(of: ["topic"], in: members).compactMap(\.word).map { topic in
      topic.split(separator: "/").dropFirst().joined(separator: "/")
    }
    let keys = ["id", "deviceid", "device_id", "uniqueid", "unique_id", "tid"]
    candidates += values(of: keys, in: members).compactMap(\.word)
    let stated = candidates.filter { !PhoneValue.trimmed($0).isEmpty }
    report.tracker = stated.lazy.compactMap { TrackerName(PhoneValue.trimmed($0)) }.first
    if report.tracker == nil { report.omissions.insert(.name) }
  }

  private static func readTime(_ members: Values, into report: inout TrackerReport) {
    let keys = ["timestamp", "tst", "time", "fixtime", "devicetime"]
    let times = values(of: keys, in: members).map(PhoneTime.read)
    let stated = times.first { if case .stated = $0 { true } else { false } }
    report.time = stated ?? (times.contains(.unknown) ? .unknown : .missing)
    if report.time == .unknown { report.omissions.insert(.time) }
    // OwnTracks repeats the last position with the time of now: a ping, or on demand.
    let triggers = values(of: ["t"], in: members).map { $0.word?.lowercased() }
    if !values(of: ["_type"], in: members).isEmpty, triggers.contains("p") || triggers.contains("l")
    {
      report.time = .unknown
    }
  }

  private static func readPosition(_ members: Values, into report: inout TrackerReport) {
    // Both of one part, so that they are of one place.
    let pairs = members.map { part in
      (
        values(of: ["lat", "latitude"], in: [part]),
        values(of: ["lon", "lng", "long", "longitude"], in: [part])
      )
    }
    let texts = values(of: ["location"], in: members).compactMap(\.word).map { text in
      text.split(separator: ",").map { [PhoneValue.text(String($0))] }
    }
    let all = pairs + texts.filter { $0.count == 2 }.map { ($0[0], $0[1]) }
    guard all.contains(where: { !$0.0.isEmpty || !$0.1.isEmpty }) else { return }
    let found = all.lazy.compactMap { latitudes, longitudes in
      place(latitudes, longitudes)
    }.first
    guard let position = found else {
      report.omissions.insert(.position)
      return
    }
    let accuracies = values(of: ["accuracy", "acc"], in: members)
    let accuracy = accuracies.lazy.compactMap(\.decimal).first
    // A negative radius states that the position is invalid (CoreLocation, horizontalAccuracy).
    let isInvalid =
      accuracy.map { $0 < 0 } ?? false
      || values(of: ["valid"], in: members).contains {
        $0.truth == false || $0.word?.lowercased() == "v"
      }
    guard !isInvalid else {
      report.omissions.insert(.invalidFix)
      return
    }
    report.position = position
    if !accuracies.isEmpty, accuracy == nil { report.omissions.insert(.accuracy) }
    // Phones send 0 for an unknown accuracy; the next best value is used then.
    let precision = values(of: ["hdop"], in: members).lazy.compactMap(\.decimal).first
    report.accuracyDecimetres = Accuracy.decimetres(
      accuracy ?? precision.map { $0 * metresPerHDOP })
  }

  private static func place(
    _ latitudes: [PhoneValue], _ longitudes: [PhoneValue]
  ) -> Coordinate? {
    guard let latitude = latitudes.lazy.compactMap(\.decimal).first,
      let longitude = longitudes.lazy.compactMap(\.decimal).first
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func readCondition(_ members: Values, into report: inout TrackerReport) {
    let charges = values(of: ["batt", "battery", "batterylevel"], in: members)
    report.batteryPercent = charges.lazy.compactMap(percent).first
    if !charges.isEmpty, report.batteryPercent == nil { report.omissions.insert(.battery) }
    let movements = values(of: ["motion", "is_moving", "ismoving"], in: members)
    report.isMoving = movements.lazy.compactMap(\.truth).first
    if report.isMoving == nil, !movements.isEmpty { report.omissions.insert(.movement) }
    guard movements.isEmpty else { return }
    report.isMoving = isMoving(values(of: ["motionactivities"], in: members))
  }

  /// A charge in percent, or a share: from 0 to 1 as the `level` of an object, else below 1, since
  /// no phone reports less than one percent. A plain 1 is one percent.
  private static func percent(_ value: PhoneValue) -> UInt8? {
    let percent =
      value.decimal.map { $0 < 1 ? $0 * 100 : $0 }
      ?? value.members?["level"]?.decimal.map { $0 <= 1 ? $0 * 100 : $0 }
    guard let percent, (0...100).contains(percent) else { return nil }
    return UInt8(percent.rounded())
  }

  /// Whether the activities of the operating system contain a movement; nil if they are unknown.
  private static func isMoving(_ activities: [PhoneValue]) -> Bool? {
    let words = Set(activities.compactMap { $0.word?.lowercased() })
    if !words.isDisjoint(with: ["walking", "running", "cycling", "automotive"]) { return true }
    return words.contains("stationary") ? false : nil
  }
}
