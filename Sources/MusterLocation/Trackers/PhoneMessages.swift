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
    guard let members = PhoneValue.form(text, all: "alarm").members,
      members.contains(where: { formNames.contains($0.key.lowercased()) })
    else { throw .malformed }
    return report(of: members, named: [])
  }

  private static let formNames: Set<String> = [
    "id", "deviceid", "lat", "lon", "location", "timestamp", "alarm", "batt",
  ]

  /// Whether a body is JSON, and so no form.
  public static func isJSON(_ body: [UInt8]) -> Bool {
    guard let first = body.first(where: { !blanks.contains($0) }) else { return false }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// White space, and the bytes of a byte order mark.
  private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]

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
    readName(message, names, into: &report)
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
      return inner.prefix(mostMessages).map { location in
        report(
          of: location.merging(outer) { own, _ in own }, named: names,
          alarms: alarms(in: outer) + alarms(in: location))
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

  /// - Parameter alarms: those of the message; nil to find them.
  private static func report(
    of message: [String: PhoneValue], named names: [String], alarms: [PhoneValue]? = nil
  ) -> TrackerReport {
    var members: [String: PhoneValue] = [:]
    func add(_ found: [String: PhoneValue]) {
      // The order of a dictionary is not defined. A member that states nothing hides no other.
      for (name, value) in found.sorted(by: { $0.key < $1.key })
      where members[name.lowercased()]?.isEmpty ?? true {
        members[name.lowercased()] = value
      }
    }
    add(message)
    // Parts of nested forms, behind those of the message itself.
    for part in parts { add(members[part]?.members ?? [:]) }
    var report = TrackerReport(tracker: nil, position: nil)
    readName(members, names, into: &report)
    readTime(members, into: &report)
    readPosition(members, into: &report)
    readCondition(members, into: &report)
    report.alarm = TrackerAlarm(alarms ?? Self.alarms(in: message))
    return report
  }

  private static func first(
    _ names: [String], in members: [String: PhoneValue]
  ) -> PhoneValue? {
    names.lazy.compactMap { members[$0] }.first { !$0.isEmpty }
  }

  /// A secret names the phone before any of these: see `TrackerReport.renamed`. What stands later
  /// may change without a new person.
  private static func readName(
    _ members: [String: PhoneValue], _ names: [String], into report: inout TrackerReport
  ) {
    var candidates = [names.filter { !$0.isEmpty }.joined(separator: "/")]
    if let topic = members["topic"]?.word {
      // `owntracks/USER/DEVICE`
      candidates.append(topic.split(separator: "/").dropFirst().joined(separator: "/"))
    }
    let keys = ["id", "deviceid", "device_id", "uniqueid", "unique_id", "tid"]
    candidates += keys.compactMap { members[$0]?.word }
    let stated = candidates.filter { !PhoneValue.trimmed($0).isEmpty }
    report.tracker = stated.lazy.compactMap { TrackerName(PhoneValue.trimmed($0)) }.first
    if report.tracker == nil { report.omissions.insert(.name) }
  }

  private static func readTime(
    _ members: [String: PhoneValue], into report: inout TrackerReport
  ) {
    let keys = ["timestamp", "tst", "time", "fixtime", "devicetime"]
    report.time = PhoneTime.read(first(keys, in: members))
    if report.time == .unknown { report.omissions.insert(.time) }
    // OwnTracks repeats the last position with the time of now: a ping, or on demand.
    if members["_type"] != nil, ["p", "l"].contains(members["t"]?.word?.lowercased()) {
      report.time = .unknown
    }
  }

  private static func readPosition(
    _ members: [String: PhoneValue], into report: inout TrackerReport
  ) {
    var latitude = first(["lat", "latitude"], in: members)
    var longitude = first(["lon", "lng", "long", "longitude"], in: members)
    if latitude == nil, longitude == nil,
      let parts = members["location"]?.word?.split(separator: ","), parts.count == 2
    {
      (latitude, longitude) = (.text(String(parts[0])), .text(String(parts[1])))
    }
    guard latitude != nil || longitude != nil else { return }
    guard let latitude = latitude?.decimal, let longitude = longitude?.decimal,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else {
      report.omissions.insert(.position)
      return
    }
    let accuracy = first(["accuracy", "acc"], in: members)
    // A negative radius states that the position is invalid (CoreLocation, horizontalAccuracy).
    let isInvalid =
      accuracy?.decimal.map { $0 < 0 } ?? false
      || first(["valid"], in: members).map { $0.truth == false || $0.word?.lowercased() == "v" }
        ?? false
    guard !isInvalid else {
      report.omissions.insert(.invalidFix)
      return
    }
    report.position = position
    if accuracy != nil, accuracy?.decimal == nil { report.omissions.insert(.accuracy) }
    // Phones send 0 for an unknown accuracy; the next best value is used then.
    let metres =
      accuracy?.decimal ?? members["hdop"]?.decimal.map { $0 * metresPerHDOP }
    report.accuracyDecimetres = Accuracy.decimetres(metres)
  }

  private static func readCondition(
    _ members: [String: PhoneValue], into report: inout TrackerReport
  ) {
    if let value = first(["batt", "battery", "batterylevel"], in: members) {
      report.batteryPercent = percent(value)
      if report.batteryPercent == nil { report.omissions.insert(.battery) }
    }
    if let value = first(["motion", "is_moving", "ismoving"], in: members) {
      report.isMoving = value.truth
      if report.isMoving == nil { report.omissions.insert(.movement) }
    } else if let value = members["motionactivities"] {
      report.isMoving = isMoving(value)
    }
  }

  /// A charge in percent, or from 0 to 1 as the `level` of an object.
  private static func percent(_ value: PhoneValue) -> UInt8? {
    let percent =
      value.decimal ?? value.members?["level"]?.decimal.map { $0 <= 1 ? $0 * 100 : $0 }
    guard let percent, (0...100).contains(percent) else { return nil }
    return UInt8(percent.rounded())
  }

  /// Whether the activities of the operating system contain a movement; nil if they are unknown.
  private static func isMoving(_ value: PhoneValue) -> Bool? {
    let activities: [PhoneValue] = if case .list(let elements) = value { elements } else { [value] }
    let words = Set(activities.compactMap { $0.word?.lowercased() })
    if !words.isDisjoint(with: ["walking", "running", "cycling", "automotive"]) { return true }
    return words.contains("stationary") ? false : nil
  }
}
