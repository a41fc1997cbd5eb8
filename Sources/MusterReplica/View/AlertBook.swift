internal import MusterModel

/// Which alerts stand: so that each is raised once, and a restart raises none again.
struct AlertBook: Sendable, Equatable {
  static let key = "alerts"

  /// What is the matter, before anybody was told.
  struct Finding: Hashable, Sendable {
    let id: AlertID
    let level: AlertLevel
    let text: String
  }

  /// By id.
  private(set) var standing: [AlertID: Alert] = [:]

  /// The alerts in order: the loudest first, then the newest.
  var alerts: [Alert] {
    standing.values.sorted { left, right in
      if left.level != right.level { return left.level > right.level }
      return left.since != right.since ? left.since > right.since : left.id < right.id
    }
  }

  /// Takes what is found to be so now. An alert that grows louder is raised again, and waits for
  /// somebody again; one whose words alone have changed is not.
  mutating func update(_ findings: [Finding], now: Timestamp) -> [AlertChange] {
    var found: [AlertID: Finding] = [:]
    for finding in findings.sorted(by: { $0.level > $1.level })
    where found[finding.id] == nil && found.count < Limits.alerts {
      found[finding.id] = finding
    }
    let before = alerts
    standing = found.mapValues { finding in
      let known = standing[finding.id]
      let isRaised = known.map { $0.level < finding.level } ?? true
      return Alert(
        id: finding.id, level: finding.level, text: finding.text, since: known?.since ?? now,
        acknowledgement: isRaised ? nil : known?.acknowledgement)
    }
    return AlertChange.between(before, and: alerts)
  }

  /// Somebody has taken notice of an alert that stands. The first to do so stays named.
  mutating func acknowledge(_ id: AlertID, _ acknowledgement: AlertAcknowledgement) -> Alert? {
    guard var alert = standing[id], alert.acknowledgement == nil else { return nil }
    alert.acknowledgement = acknowledgement
    standing[id] = alert
    return alert
  }

  /// Whether the same alerts stand, as loud as before: words change as somebody moves.
  func tellsTheSame(as other: AlertBook) -> Bool {
    standing.mapValues(\.level) == other.standing.mapValues(\.level)
  }

  // MARK: Stored form

  /// A local fact: number of alerts, then each; number of those that somebody has taken notice of,
  /// then of each the kind, the row, when and who. Builds before that ended after the alerts.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt32(standing.count))
    for id in standing.keys.sorted() {
      guard let alert = standing[id] else { continue }
      writer.append(id.kind.rawValue)
      writer.append(id.row)
      writer.append(alert.level.rawValue)
      writer.append(alert.since.milliseconds)
      writer.append(alert.text)
    }
    let noticed = standing.values.filter { $0.acknowledgement != nil }.sorted { $0.id < $1.id }
    writer.append(UInt32(noticed.count))
    for alert in noticed {
      guard let acknowledgement = alert.acknowledgement else { continue }
      writer.append(alert.id.kind.rawValue)
      writer.append(alert.id.row)
      writer.append(acknowledgement.moment.milliseconds)
      writer.append(acknowledgement.name)
    }
    return writer.bytes
  }

  init() {}

  init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    for _ in 0..<(try reader.count(ofAtLeast: 30)) {
      let kind = AlertKind(rawValue: try reader.integer(UInt8.self))
      let row = try reader.identifier(RowID.self)
      let level = AlertLevel(rawValue: try reader.integer(UInt8.self))
      let since = Timestamp(milliseconds: try reader.integer(Int64.self))
      let text = try reader.text()
      guard let kind, let level else { throw .invalid("alert") }
      let id = AlertID(kind: kind, row: row)
      standing[id] = Alert(id: id, level: level, text: text, since: since)
    }
    guard reader.remaining > 0 else { return }
    for _ in 0..<(try reader.count(ofAtLeast: 29)) {
      let kind = AlertKind(rawValue: try reader.integer(UInt8.self))
      let row = try reader.identifier(RowID.self)
      let moment = Timestamp(milliseconds: try reader.integer(Int64.self))
      let name = try reader.text()
      guard let kind, standing[AlertID(kind: kind, row: row)] != nil else {
        throw .invalid("acknowledgement")
      }
      standing[AlertID(kind: kind, row: row)]?.acknowledgement = AlertAcknowledgement(
        name: name, moment: moment)
    }
    try reader.expectEnd()
  }
}
