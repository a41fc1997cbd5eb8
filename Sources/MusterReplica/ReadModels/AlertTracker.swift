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
    var phrase: Phrase
    var batteryPercent: UInt8?
    var report: AlertReport?
    var cause = AlertCause.none
    /// Whose certificate stands behind it; nil for this device itself.
    var author: UserID?
    /// Whether a person with a certificate calls, or all further calls of an owner's trackers do.
    var isPersonsCall = false
    /// The calls that share this alert.
    var calls: [FoldedCall] = []

    /// Whether it is about a report with someone near.
    var concernsPeople: Bool { report?.place.concernsPeople == true }
  }

  /// A call for help, or another finding, that shares an alert with others (`AlertKind.isGroup`).
  struct FoldedCall: Hashable, Sendable {
    /// That of an alert of its own: the call is acknowledged in its row.
    let id: AlertID
    let cause: AlertCause
    /// That of an alert of its own.
    var level = AlertLevel.danger
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
    /// The calls that share the alert.
    var calls: [AlertID: StandingCall] = [:]
    /// Whether a report has concerned a person since the alert began.
    var concernsPeople = false
  }

  /// A call that shares an alert.
  private struct StandingCall: Sendable, Equatable {
    var cause: AlertCause
    /// When this node first raised an alert for it.
    var since: Timestamp
    var isAcknowledged: Bool
    var level: AlertLevel
  }

  private var occurrences: [AlertID: Occurrence] = [:]
  /// Acknowledgements of occurrences that have ended here.
  private var spent: [AlertID: Set<Dot>] = [:]

  /// The alerts in the order of every list (`AlertPlace`).
  var alerts: [Alert] { AlertPlace.inOrder(occurrences.values.map(\.alert)) }

  /// The alerts about webhooks as they were last: their findings while nothing else is known.
  var findingsAboutWebhooks: [Finding] {
    alerts.filter { $0.id.kind == .webhook }.map {
      Finding(id: $0.id, level: $0.level, phrase: $0.phrase)
    }
  }

  /// Updates the alerts to the current findings. An alert whose level rises, or whose cause is a
  /// further help claim, is raised again and waits for an acknowledgement again; a change of the
  /// text alone raises nothing. Of too many findings authors take turns (`AlertTurns`).
  ///
  /// - Parameter notices: the live acknowledgements in an alert's row.
  mutating func update(
    _ findings: [Finding], now: Timestamp, notices: (AlertID) throws -> [Notice]
  ) rethrows {
    let found = AlertTurns.chosen(findings)
    for id in ended(by: found) { spent[id] = Set(try notices(id).map(\.dot)) }
    var standing: [AlertID: Occurrence] = [:]
    for finding in found.values {
      if finding.id.kind.isGroup {
        for call in finding.calls where levelBefore(of: call.id).map({ $0 < call.level }) == true {
          spent[call.id, default: []].formUnion(try notices(call.id).map(\.dot))
        }
        standing[finding.id] = try occurrence(ofCalls: finding, now: now, notices)
        continue
      }
      let shared = finding.cause.isShared ? try notices(finding.id) : []
      // An earlier occurrence that this node never saw had the same cause.
      let mayRecur = finding.id.kind.recursWithItsCause && finding.cause.positions.isEmpty
      if mayRecur, occurrences[finding.id] == nil {
        spent[finding.id, default: []].formUnion(shared.map(\.dot))
      }
      // The acknowledged report concerned no one.
      if let known = occurrences[finding.id], !known.concernsPeople, finding.concernsPeople {
        spent[finding.id, default: []].formUnion(shared.map(\.dot))
        occurrences[finding.id]?.local = nil
      }
      // The acknowledged occurrence was less severe.
      if let known = levelBefore(of: finding.id), known < finding.level {
        spent[finding.id, default: []].formUnion(shared.map(\.dot))
      }
      standing[finding.id] = occurrence(of: finding, shared, now: now)
    }
    occurrences = standing
    boundSpent()
  }

  /// Returns the alerts and the folded calls with a shared cause that are not found any more. A
  /// call that gets an alert of its own, or loses it to a shared one, has not ended.
  private func ended(by found: [AlertID: Finding]) -> Set<AlertID> {
    var ended = Set(occurrences.filter { $0.value.cause.isShared }.keys)
    for occurrence in occurrences.values {
      ended.formUnion(occurrence.calls.filter { $0.value.cause.isShared }.keys)
    }
    ended.subtract(found.keys)
    ended.subtract(found.values.flatMap { $0.calls.map(\.id) })
    return ended
  }

  /// Returns the shared alerts of a kind with their members, by id.
  func groups(_ kind: AlertKind) -> [(id: AlertID, members: Set<AlertID>)] {
    occurrences.filter { $0.key.kind == kind }.map { ($0.key, Set($0.value.calls.keys)) }
      .sorted { $0.id < $1.id }
  }

  /// Whether the alert of a finding, of its own or in a shared one, is acknowledged.
  func isAcknowledged(_ id: AlertID) -> Bool {
    if let known = occurrences[id] { return known.alert.acknowledgement != nil }
    return occurrences.values.contains { $0.calls[id]?.isAcknowledged == true }
  }

  /// Returns when a finding was first raised, in an alert of its own or in a shared one.
  func since(of id: AlertID) -> Timestamp? { occurrences[id]?.alert.since ?? folded(id)?.since }

  /// Sets since when an active alert exists.
  mutating func date(_ id: AlertID, since: Timestamp) { occurrences[id]?.alert.since = since }

  /// Returns the level of a finding at the last review, whether it had an alert of its own or
  /// shared one.
  private func levelBefore(of id: AlertID) -> AlertLevel? {
    occurrences[id]?.alert.level
      ?? occurrences.values.lazy.compactMap { $0.calls[id]?.level }.first
  }

  /// Returns the calls that share an active alert and wait for an acknowledgement, then the others,
  /// each in the order of ids.
  func calls(in id: AlertID) -> [(call: FoldedCall, isAcknowledged: Bool)] {
    (occurrences[id]?.calls ?? [:]).sorted { left, right in
      left.value.isAcknowledged != right.value.isAcknowledged
        ? right.value.isAcknowledged : left.key < right.key
    }.map {
      (
        FoldedCall(id: $0.key, cause: $0.value.cause, level: $0.value.level),
        $0.value.isAcknowledged
      )
    }
  }

  /// Returns the cause that an acknowledgement of an active alert names: that of the occurrence
  /// and what has changed since it began, such as another title of a report. Of calls for help it
  /// is what is open.
  func cause(of id: AlertID, with current: AlertCause) -> AlertCause {
    guard let known = occurrences[id]?.cause, known.isShared, !id.kind.isOfCalls else {
      return current
    }
    return known.continued(by: current)
  }

  private func occurrence(
    of finding: Finding, _ notices: [Notice], now: Timestamp
  ) -> Occurrence {
    let known = occurrences[finding.id]
    let member = folded(finding.id)
    let isLouder = known.map { $0.alert.level < finding.level } ?? true
    var next = Occurrence(
      alert: Alert(
        id: finding.id, level: finding.level, phrase: finding.phrase,
        since: known?.alert.since ?? member?.since ?? now,
        batteryPercent: finding.batteryPercent),
      cause: finding.cause, local: isLouder ? nil : known?.local)
    if let known {
      // Each call for help is acknowledged separately; any other alert keeps its original cause.
      if finding.id.kind.isOfCalls {
        if !Set(finding.cause.dots).isSubset(of: known.cause.dots) { next.local = nil }
      } else if known.cause.isShared {
        next.cause = known.cause
      }
    } else if let member, member.cause.isShared, !finding.id.kind.isOfCalls {
      next.cause = member.cause
    }
    next.alert.report = finding.report
    next.concernsPeople = known?.concernsPeople == true || finding.concernsPeople
    let covering = covering(notices, for: finding.id, next.cause, held: finding.cause)
    next.alert.acknowledgements = Self.listed(covering)
    let first = covering.first(where: \.silences)
    next.alert.acknowledgement = first?.acknowledgement ?? next.local
    let isRenewed = known?.alert.acknowledgement != nil && next.alert.acknowledgement == nil
    if isRenewed, !isLouder { next.alert.since = now }
    return next
  }

  /// Returns the acknowledgements that count for an alert, those that are shown first before
  /// others. No claimed time decides.
  private func covering(
    _ notices: [Notice], for id: AlertID, _ cause: AlertCause, held: AlertCause
  ) -> [Notice] {
    notices.filter {
      spent[id]?.contains($0.dot) != true && cause.isCovered(by: $0.reply, held: held)
    }.sorted(by: Self.isShown)
  }

  private static func isShown(_ left: Notice, before right: Notice) -> Bool {
    (left.rank, left.dot) < (right.rank, right.dot)
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

  // MARK: Shared alerts

  /// One alert for several calls: it is acknowledged once each of them is, with the last
  /// acknowledgement, and each further call raises it again.
  private func occurrence(
    ofCalls finding: Finding, now: Timestamp, _ notices: (AlertID) throws -> [Notice]
  ) rethrows -> Occurrence {
    let known = occurrences[finding.id]
    var next = Occurrence(
      alert: Alert(
        id: finding.id, level: finding.level, phrase: finding.phrase,
        since: known?.alert.since ?? now),
      cause: .none, local: known?.local)
    var (isFurther, seen, all): (Bool, [Notice], [Notice]) = (false, [], [])
    for call in finding.calls {
      let before = known?.calls[call.id]
      // Each call for help is acknowledged separately; any other member keeps its original cause.
      let origin = before?.cause ?? occurrences[call.id]?.cause ?? call.cause
      let cause = call.id.kind.isOfCalls || !origin.isShared ? call.cause : origin
      let covering = covering(try notices(call.id), for: call.id, cause, held: call.cause)
      let first = covering.first(where: \.silences)
      all += covering
      let isNew = before.map { !Set(cause.dots).isSubset(of: $0.cause.dots) } ?? true
      if isNew, first == nil { isFurther = true }
      if let first { seen.append(first) }
      next.calls[call.id] = StandingCall(
        cause: cause, since: before?.since ?? occurrences[call.id]?.alert.since ?? now,
        isAcknowledged: first != nil, level: call.level)
    }
    next.alert.members = finding.calls.map(\.id).sorted()
    if let known, known.alert.level < finding.level { isFurther = true }
    if isFurther { next.local = nil }
    next.alert.acknowledgements = Self.listed(all.sorted(by: Self.isShown))
    let last = seen.count == finding.calls.count ? seen.max(by: Self.isShown) : nil
    next.alert.acknowledgement = last?.acknowledgement ?? next.local
    let isRenewed = isFurther || known?.alert.acknowledgement != nil
    if isRenewed, next.alert.acknowledgement == nil { next.alert.since = now }
    return next
  }

  /// Returns a call that was part of a shared alert, before it has one of its own.
  private func folded(_ id: AlertID) -> StandingCall? {
    occurrences.values.lazy.compactMap { $0.calls[id] }.first
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

  /// Raises an active alert as if it were new, unless it is acknowledged.
  mutating func raiseAgain(_ id: AlertID, now: Timestamp) {
    guard occurrences[id]?.alert.acknowledgement == nil else { return }
    occurrences[id]?.alert.since = now
  }

  /// Whether it need not be stored again: texts change with positions.
  func isStored(as other: AlertTracker) -> Bool { withoutTexts == other.withoutTexts }

  private var withoutTexts: AlertTracker {
    var copy = self
    for id in copy.occurrences.keys {
      copy.occurrences[id]?.alert.phrase = Phrase(verbatim: "")
      copy.occurrences[id]?.alert.batteryPercent = nil
      copy.occurrences[id]?.alert.acknowledgements = []
      copy.occurrences[id]?.alert.report = nil
    }
    return copy
  }

  // MARK: Stored form

  /// The stored form, which is local: number of alerts, then each; number of local
  /// acknowledgements, then for each the kind, the row, time and name; then for each alert in order
  /// its cause and whether its acknowledgement is local; then the acknowledgements of ended
  /// occurrences; then for each alert its battery plus one, or 0; then for each shared alert the
  /// number of its calls, and for each the kind, the row, the time, whether it is acknowledged, its
  /// level unless it is a call for help, and the cause; then for each report whether it concerned a
  /// person; then for each alert its phrase. Earlier builds wrote only the first parts.
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
      writer.append(occurrence.cause)
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
    for occurrence in standing where occurrence.alert.id.kind.isGroup {
      writer.append(UInt32(occurrence.calls.count))
      for (id, call) in occurrence.calls.sorted(by: { $0.key < $1.key }) {
        writer.append(id)
        writer.append(call.since.milliseconds)
        writer.append(UInt8(call.isAcknowledged ? 1 : 0))
        if id.kind != .help { writer.append(call.level.rawValue) }
        writer.append(call.cause)
      }
    }
    for occurrence in standing where occurrence.alert.id.kind == .hazard {
      writer.append(UInt8(occurrence.concernsPeople ? 1 : 0))
    }
    for alert in standing.map(\.alert) {
      var phrase: [UInt8] = []
      PhraseCoding.append(alert.phrase, to: &phrase)
      writer.append(lengthPrefixed: phrase)
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
      occurrences[id]?.cause = try reader.cause()
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
    for id in occurrences.keys.sorted() where id.kind.isGroup {
      try readMembers(of: id, from: &reader)
    }
    for id in occurrences.keys.sorted() where id.kind == .hazard && reader.remaining > 0 {
      occurrences[id]?.concernsPeople = try reader.integer(UInt8.self) == 1
    }
    for id in occurrences.keys.sorted() where reader.remaining > 0 {
      let phrase = PhraseCoding.phrase(decoding: try reader.lengthPrefixed())
      if let phrase { occurrences[id]?.alert.phrase = phrase }
    }
    try reader.expectEnd()
  }

  private mutating func readMembers(
    of id: AlertID, from reader: inout ByteReader
  ) throws(DecodingFault) {
    for _ in 0..<(try reader.count(ofAtLeast: 26)) {
      let call = try reader.alert()
      let since = Timestamp(milliseconds: try reader.integer(Int64.self))
      let isAcknowledged = try reader.integer(UInt8.self) == 1
      var level = AlertLevel.danger
      if call.kind != .help {
        guard let stated = AlertLevel(rawValue: try reader.integer(UInt8.self)) else {
          throw .invalid("alert")
        }
        level = stated
      }
      occurrences[id]?.calls[call] = StandingCall(
        cause: try reader.cause(), since: since, isAcknowledged: isAcknowledged, level: level)
    }
    let members = occurrences[id]?.calls.keys.sorted() ?? []
    occurrences[id]?.alert.members = members
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
  mutating func append(_ id: AlertID) {
    append(id.kind.rawValue)
    append(id.row)
  }

  fileprivate mutating func append(_ cause: AlertCause) {
    let reply = AlertReply(
      user: UserID(raw: .zero), note: "", dots: cause.dots, positions: cause.positions)
    Value.alertReply(reply).append(to: &self)
  }
}

extension ByteReader {
  mutating func alert() throws(DecodingFault) -> AlertID {
    guard let kind = AlertKind(rawValue: try integer(UInt8.self)) else {
      throw .invalid("alert kind")
    }
    return AlertID(kind: kind, row: try identifier(RowID.self))
  }

  fileprivate mutating func cause() throws(DecodingFault) -> AlertCause {
    guard case .alertReply(let cause) = try Value(from: &self) else { throw .invalid("cause") }
    return AlertCause(dots: cause.dots, positions: cause.positions)
  }
}
