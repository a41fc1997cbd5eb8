internal import MusterModel

/// The active alerts: each is raised once, and not again after a restart.
///
/// An alert is acknowledged on this node only, or by a row that every node holds (`AlertReply`).
/// The row counts for an occurrence of the alert if it names the cause of this occurrence, and if
/// it did not exist when an earlier or less severe occurrence ended here.
struct AlertTracker: Sendable, Equatable {
  static let key = "alerts"

  /// A detected condition, before it is raised.
  struct Finding: Hashable, Sendable {
    let id: AlertID
    let level: AlertLevel
    let text: String
    var batteryPercent: UInt8?
    var cause = AlertCause.none
  }

  /// An acknowledgement in an alert's row.
  struct Notice: Hashable, Sendable {
    let dot: Dot
    let reply: AlertReply
    let acknowledgement: AlertAcknowledgement
    /// The role of the device that signed it.
    var role = Role.command
    /// Whether it silences the alert at this node.
    var silences = true
    /// Who made it, as lists show it.
    var sighting: AlertSighting?

    /// Of several, that of a person of command is shown, then that of a program of command.
    fileprivate var rank: Int { role == .command ? reply.isByProgram ? 1 : 0 : 2 }
  }

  private struct Occurrence: Sendable, Equatable {
    var alert: Alert
    /// The cause of the occurrence; for a help claim, all open claims.
    var cause: AlertCause
    /// The acknowledgement by a local user, which is never sent.
    var local: AlertAcknowledgement?
  }

  private var occurrences: [AlertID: Occurrence] = [:]
  /// Acknowledgements of occurrences that have ended here.
  private var spent: [AlertID: Set<Dot>] = [:]

  /// The alerts in order: the most severe first, then the newest.
  var alerts: [Alert] {
    occurrences.values.map(\.alert).sorted { left, right in
      if left.level != right.level { return left.level > right.level }
      return left.since != right.since ? left.since > right.since : left.id < right.id
    }
  }

  /// Updates the alerts to the current findings. An alert whose level rises, or whose cause is a
  /// further help claim, is raised again and waits for an acknowledgement again; a change of the
  /// text alone raises nothing.
  ///
  /// - Parameter notices: the live acknowledgements in an alert's row.
  mutating func update(
    _ findings: [Finding], now: Timestamp, notices: (AlertID) throws -> [Notice]
  ) rethrows -> [AlertChange] {
    var found: [AlertID: Finding] = [:]
    for finding in findings.sorted(by: { $0.level > $1.level })
    where found[finding.id] == nil && found.count < Limits.alerts {
      found[finding.id] = finding
    }
    let before = alerts
    for (id, occurrence) in occurrences where found[id] == nil && occurrence.cause.isShared {
      spent[id] = Set(try notices(id).map(\.dot))
    }
    var standing: [AlertID: Occurrence] = [:]
    for finding in found.values {
      let shared = finding.cause.isShared ? try notices(finding.id) : []
      // An earlier occurrence that this node never saw had the same cause.
      let mayRecur = finding.id.kind.recursWithItsCause && finding.cause.positions.isEmpty
      if mayRecur, occurrences[finding.id] == nil {
        spent[finding.id, default: []].formUnion(shared.map(\.dot))
      }
      // The acknowledged occurrence was less severe.
      if let known = occurrences[finding.id], known.alert.level < finding.level {
        spent[finding.id, default: []].formUnion(shared.map(\.dot))
      }
      standing[finding.id] = occurrence(of: finding, shared, now: now)
    }
    occurrences = standing
    boundSpent()
    return AlertChange.between(before, and: alerts)
  }

  /// Returns the cause that an acknowledgement of an active alert names: that of the occurrence
  /// and what has changed since it began.
  func cause(of id: AlertID, with current: AlertCause) -> AlertCause {
    guard let known = occurrences[id]?.cause, known.isShared, id.kind == .zoneRule else {
      return current
    }
    return AlertCause(
      dots: Array(Set(known.dots).union(current.dots)), positions: current.positions)
  }

  private func occurrence(
    of finding: Finding, _ notices: [Notice], now: Timestamp
  ) -> Occurrence {
    let known = occurrences[finding.id]
    let isLouder = known.map { $0.alert.level < finding.level } ?? true
    var next = Occurrence(
      alert: Alert(
        id: finding.id, level: finding.level, text: finding.text, since: known?.alert.since ?? now,
        batteryPercent: finding.batteryPercent),
      cause: finding.cause, local: isLouder ? nil : known?.local)
    if let known {
      // Each call for help is acknowledged separately; any other alert keeps its original cause.
      if finding.id.kind.isOfCalls {
        if !Set(finding.cause.dots).isSubset(of: known.cause.dots) { next.local = nil }
      } else if known.cause.isShared {
        next.cause = known.cause
      }
    }
    // No claimed time decides.
    let covering = notices.filter {
      spent[finding.id]?.contains($0.dot) != true
        && next.cause.isCovered(by: $0.reply, held: finding.cause)
    }.sorted { ($0.rank, $0.dot) < ($1.rank, $1.dot) }
    next.alert.acknowledgements = Self.listed(covering)
    let first = covering.first(where: \.silences)
    next.alert.acknowledgement = first?.acknowledgement ?? next.local
    let isRenewed = known?.alert.acknowledgement != nil && next.alert.acknowledgement == nil
    if isRenewed, !isLouder { next.alert.since = now }
    return next
  }

  /// Returns who made acknowledgements, each person once.
  private static func listed(_ notices: [Notice]) -> [AlertSighting] {
    var listed: [AlertSighting] = []
    for sighting in notices.compactMap(\.sighting)
    where listed.count < AlertSighting.mostListed
      && !listed.contains(where: { $0.user == sighting.user && $0.via == sighting.via })
    {
      listed.append(sighting)
    }
    return listed
  }

  /// Limits the remembered acknowledgements of ended alerts to the number of possible alerts.
  private mutating func boundSpent() {
    spent = spent.filter { !$0.value.isEmpty }
    for id in spent.keys.sorted().dropLast(Limits.alerts) { spent[id] = nil }
  }

  /// Records a local acknowledgement of an active alert, which is not sent. The first one keeps its
  /// name.
  mutating func acknowledge(_ id: AlertID, _ acknowledgement: AlertAcknowledgement) -> Alert? {
    guard let known = occurrences[id], known.alert.acknowledgement == nil else { return nil }
    occurrences[id]?.local = acknowledgement
    occurrences[id]?.alert.acknowledgement = acknowledgement
    return occurrences[id]?.alert
  }

  /// Whether it need not be stored again: texts change with positions.
  func isStored(as other: AlertTracker) -> Bool { withoutTexts == other.withoutTexts }

  private var withoutTexts: AlertTracker {
    var copy = self
    for id in copy.occurrences.keys {
      copy.occurrences[id]?.alert.text = ""
      copy.occurrences[id]?.alert.batteryPercent = nil
      copy.occurrences[id]?.alert.acknowledgements = []
    }
    return copy
  }

  // MARK: Stored form

  /// The stored form, which is local: number of alerts, then each; number of local
  /// acknowledgements, then for each the kind, the row, time and name; then for each alert in order
  /// its cause and whether its acknowledgement is local; then the acknowledgements of ended
  /// occurrences; then for each alert its battery plus one, or 0. Earlier builds wrote only the
  /// first parts.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    let standing = occurrences.values.sorted { $0.alert.id < $1.alert.id }
    writer.append(UInt32(standing.count))
    for alert in standing.map(\.alert) {
      writer.append(alert.id)
      writer.append(alert.level.rawValue)
      writer.append(alert.since.milliseconds)
      writer.append(alert.text)
    }
    let noticed = standing.map(\.alert).filter { $0.acknowledgement != nil }
    writer.append(UInt32(noticed.count))
    for alert in noticed {
      guard let acknowledgement = alert.acknowledgement else { continue }
      writer.append(alert.id)
      writer.append(acknowledgement.moment.milliseconds)
      writer.append(acknowledgement.name)
    }
    for occurrence in standing {
      writer.append(UInt8(occurrence.local == nil ? 0 : 1))
      let cause = AlertReply(
        user: UserID(raw: .zero), note: "", dots: occurrence.cause.dots,
        positions: occurrence.cause.positions)
      Value.alertReply(cause).append(to: &writer)
    }
    writer.append(UInt32(spent.count))
    for id in spent.keys.sorted() {
      writer.append(id)
      let dots = (spent[id] ?? []).sorted()
      writer.append(UInt32(dots.count))
      for dot in dots { writer.append(dot) }
    }
    for alert in standing.map(\.alert) {
      writer.append(alert.batteryPercent.map { $0 + 1 } ?? UInt8(0))
    }
    return writer.bytes
  }

  init() {}

  init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    for _ in 0..<(try reader.count(ofAtLeast: 30)) {
      let id = try reader.alert()
      let level = AlertLevel(rawValue: try reader.integer(UInt8.self))
      let since = Timestamp(milliseconds: try reader.integer(Int64.self))
      let text = try reader.text()
      guard let level else { throw .invalid("alert") }
      occurrences[id] = Occurrence(
        alert: Alert(id: id, level: level, text: text, since: since), cause: .none)
    }
    guard reader.remaining > 0 else { return }
    for _ in 0..<(try reader.count(ofAtLeast: 29)) {
      let id = try reader.alert()
      let moment = Timestamp(milliseconds: try reader.integer(Int64.self))
      let acknowledgement = AlertAcknowledgement(name: try reader.text(), moment: moment)
      guard occurrences[id] != nil else { throw .invalid("acknowledgement") }
      occurrences[id]?.local = acknowledgement
      occurrences[id]?.alert.acknowledgement = acknowledgement
    }
    guard reader.remaining > 0 else { return }
    for id in occurrences.keys.sorted() {
      if try reader.integer(UInt8.self) == 0 { occurrences[id]?.local = nil }
      guard case .alertReply(let cause) = try Value(from: &reader) else { throw .invalid("cause") }
      occurrences[id]?.cause = AlertCause(dots: cause.dots, positions: cause.positions)
    }
    for _ in 0..<(try reader.count(ofAtLeast: 21)) {
      let id = try reader.alert()
      var dots: Set<Dot> = []
      for _ in 0..<(try reader.count(ofAtLeast: 18)) { dots.insert(try reader.dot()) }
      spent[id] = dots
    }
    guard reader.remaining > 0 else { return }
    for id in occurrences.keys.sorted() {
      let battery = try reader.integer(UInt8.self)
      occurrences[id]?.alert.batteryPercent = battery > 0 ? battery - 1 : nil
    }
    try reader.expectEnd()
  }
}

extension AlertKind {
  /// Whether a further call for help makes it wait for an acknowledgement again.
  fileprivate var isOfCalls: Bool { self == .help || self == .unverifiedCall }

  /// Whether a later occurrence can have the same cause, if that names no position. An
  /// acknowledgement then counts only at a node that had raised the alert before it arrived.
  fileprivate var recursWithItsCause: Bool { self == .zoneRule || self == .battery }
}

extension ByteWriter {
  fileprivate mutating func append(_ id: AlertID) {
    append(id.kind.rawValue)
    append(id.row)
  }
}

extension ByteReader {
  fileprivate mutating func alert() throws(DecodingFault) -> AlertID {
    guard let kind = AlertKind(rawValue: try integer(UInt8.self)) else {
      throw .invalid("alert kind")
    }
    return AlertID(kind: kind, row: try identifier(RowID.self))
  }
}
