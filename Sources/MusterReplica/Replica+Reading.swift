internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStatus
public import MusterStore
internal import MusterSync

/// A person for lists, with the status function's result.
typealias AssessedPerson = (summary: UserSummary, assessment: StatusAssessment)

/// Reads of the replica for display.
extension Replica {
  // MARK: Users

  /// Returns everyone with a certificate and every tracker, in the order of lists, with their
  /// status at `now`.
  public mutating func users(now: ClockReading) throws -> [UserSummary] {
    try people(now: now).map(\.summary)
  }

  /// Returns the same people with the status function's results.
  mutating func people(now: ClockReading) throws -> [AssessedPerson] {
    try refreshStatuses(now: now)
    let zones = try monitor.zones(in: store)
    var found: [AssessedPerson] = []
    for person in statusModel.people {
      guard let assessment = statusModel.assessment(of: person.identity.id) else { continue }
      found.append((try summary(person, assessment, zones: zones, now: now), assessment))
    }
    return found.sorted { UserSummary.isListed($0.summary, before: $1.summary) }
  }

  private func summary(
    _ person: PersonRoster.Person, _ assessment: StatusAssessment,
    zones: GeofenceMonitor.Zones, now: ClockReading
  ) throws -> UserSummary {
    let (identity, row) = (person.identity, person.row)
    let standing = try row.map {
      SafetyStanding($0, openCalls: try statements($0).openCalls)
    }
    let newest = newestPositions(
      person.devices.compactMap { statusModel.position(of: $0.id) })[identity.id]
    var summary = UserSummary(
      id: identity.id, callsign: person.callsign ?? identity.id.short, role: identity.role,
      status: assessment.status, severity: assessment.severity, reason: assessment.reason,
      fix: newest?.report.fix, reportedAt: newest?.report.reportedAt,
      fixAgeSeconds: newest.map { shownAge(of: $0, now: now) / 1000 }, team: identity.team,
      trackerOwner: identity.isTracker ? person.row?.owner : nil,
      word: try standing?.word.map(word),
      override: try standing?.override.map(word))
    summary.conditions = assessment.conditions
    summary.age = contactAge(of: assessment, now: now)
    summary.order = followedOrder(of: assessment, zones: zones, now: now)
    return summary
  }

  private func word(_ value: LiveValue) throws(StoreError) -> SafetyWord {
    let (claim, note) = SafetyStanding.claim(of: value.value) ?? (.needsHelp, "")
    var callsign = try callsign(of: value.author)
    if case .relayedClaim(_, _, let login, _) = value.value {
      callsign = "\(login), via \(callsign)'s post"
    }
    return SafetyWord(claim: claim, note: note, callsign: callsign, saidAt: value.writtenAt)
  }

  /// Returns each user's newest fix; one of a revoked device only if no other device has one.
  private func newestPositions(_ positions: [DevicePosition]) -> [UserID: DevicePosition] {
    var newest: [UserID: DevicePosition] = [:]
    func rank(_ position: DevicePosition) -> (Int, Timestamp) {
      (control.isRevoked(position.device) ? 0 : 1, position.report.reportedAt)
    }
    for position in positions {
      if let known = newest[position.user], rank(known) >= rank(position) { continue }
      newest[position.user] = position
    }
    return newest
  }

  func userRow(_ user: UserID) throws(StoreError) -> RowState? {
    try store.row(RowKey(kind: .user, id: RowID(raw: user.raw)))
  }

  func callsign(of user: UserID) throws(StoreError) -> String {
    if let callsign = try userRow(user)?.text(.userCallsign) { return callsign }
    return try trackerRow(user)?.text(.trackerCallsign) ?? user.short
  }

  private func trackerRow(_ user: UserID) throws(StoreError) -> RowState? {
    try store.row(RowKey(kind: .tracker, id: RowID(raw: user.raw)))
  }

  /// Returns the callsign of a crossing's subject: a tracker's, or its author's.
  private func callsign(of recorded: RecordedCrossing) throws(StoreError) -> String {
    guard recorded.crossing.subject != recorded.author.device else {
      return try callsign(of: recorded.author.user)
    }
    return try callsign(of: UserID(raw: recorded.crossing.subject.raw))
  }

  /// Returns every device with a valid certificate, by id.
  public func devices() throws -> [DeviceSummary] {
    try control.admissions.map { admission in
      let author = admission.signed.certificate.author
      let standing = councilStanding(of: author.device)
      return DeviceSummary(
        id: author.device, user: author.user, callsign: try callsign(of: author.user),
        role: author.role, rank: admission.rank, isThisDevice: author.device == local.device,
        isRevoked: control.isRevoked(author.device), isCouncilMember: standing.isMember,
        votes: standing.votes, quorum: standing.quorum)
    }
  }

  // MARK: Reports

  /// Returns all reports: open and most severe first, then the newest.
  ///
  /// - Parameter now: the time up to which the ages of delivery figures count; nil for no ages.
  public func reports(now: ClockReading? = nil) throws -> [ReportSummary] {
    var book = deliveryTracker(now: now)
    var summaries: [ReportSummary] = []
    for row in try store.rows(.report) where row.exists {
      summaries.append(try summary(row, in: &book))
    }
    return summaries.sorted { left, right in
      let leftOrder = (left.status.rawValue, left.toEvacuate ? 0 : 1, -Int(left.severity ?? 0))
      let rightOrder = (right.status.rawValue, right.toEvacuate ? 0 : 1, -Int(right.severity ?? 0))
      if leftOrder != rightOrder { return leftOrder < rightOrder }
      return left.createdAt != right.createdAt
        ? left.createdAt > right.createdAt : left.id < right.id
    }
  }

  /// Returns a report. Throws `Refusal` for one that was deleted, or has not arrived.
  ///
  /// - Parameter now: as in `reports(now:)`.
  public func report(_ id: RowID, now: ClockReading? = nil) throws -> ReportSummary {
    var book = deliveryTracker(now: now)
    return try summary(existing(.report, id), in: &book)
  }

  private func summary(
    _ row: RowState, in book: inout DeliveryTracker
  ) throws(StoreError) -> ReportSummary {
    let owner = row.owner ?? UserID(raw: .zero)
    var position: Coordinate?
    if case .position(let place)? = row.shown(.reportPosition)?.value { position = place }
    var confirmations: Set<String> = []
    for value in row.values(of: .reportConfirmations) {
      confirmations.insert(try callsign(of: value.author))
    }
    return ReportSummary(
      id: row.key.id, title: row.text(.reportTitle) ?? "",
      details: row.text(.reportDescription) ?? "",
      category: row.code(.reportCategory).flatMap(ReportCategory.init) ?? .other,
      severity: row.code(.reportSeverity), position: position,
      toEvacuate: row.isSet(.reportToEvacuate),
      status: row.code(.reportStatus).flatMap(ReportStatus.init) ?? .open, owner: owner,
      ownerCallsign: try callsign(of: owner), confirmations: confirmations.sorted(),
      comments: try comments(of: row), conflicts: try conflicts(of: row),
      delivery: try book.delivery(of: row),
      createdAt: row.createdAt ?? Timestamp(milliseconds: 0),
      updatedAt: row.updatedAt ?? Timestamp(milliseconds: 0))
  }

  private func comments(of row: RowState) throws(StoreError) -> [ReportComment] {
    var comments: [(dot: Dot, comment: ReportComment)] = []
    for value in row.values(of: .reportComments) {
      guard case .text(let text) = value.value else { continue }
      comments.append(
        (
          value.dot,
          ReportComment(
            callsign: try callsign(of: value.author), text: text, writtenAt: value.writtenAt)
        ))
    }
    return comments.sorted {
      ($0.comment.writtenAt, $0.dot) < ($1.comment.writtenAt, $1.dot)
    }.map(\.comment)
  }

  private func conflicts(of row: RowState) throws(StoreError) -> [FieldConflict] {
    var conflicts: [FieldConflict] = []
    for field in row.conflicts {
      let shown = row.shown(field)
      let ordered = [shown].compactMap { $0 } + row.values(of: field).filter { $0 != shown }
      var values: [ConflictingValue] = []
      for value in ordered {
        values.append(
          ConflictingValue(
            text: value.value.words(in: field), callsign: try callsign(of: value.author),
            writtenAt: value.writtenAt))
      }
      conflicts.append(FieldConflict(field: field, values: values))
    }
    return conflicts
  }

  // MARK: Fences

  /// Returns all fences by name. A fence whose outline has not arrived is omitted.
  public mutating func fences() throws -> [FenceSummary] {
    let zones = try monitor.zones(in: store)
    let positions = newestPositions(try devicePositions())
    return try store.rows(.fence).filter(\.exists).compactMap { row in
      try summary(row, zones: zones, positions: positions)
    }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  private func summary(
    _ row: RowState, zones: GeofenceMonitor.Zones, positions: [UserID: DevicePosition]
  ) throws(StoreError) -> FenceSummary? {
    guard case .geometry(let geometry)? = row.shown(.fenceGeometry)?.value,
      let prepared = zones.prepared[row.key.id]
    else { return nil }
    var inside: [String] = []
    for (user, position) in positions where prepared.contains(position.report.fix.position) {
      // A removed tracker.
      if let tracker = try trackerRow(user), !tracker.exists { continue }
      inside.append(try callsign(of: user))
    }
    var summary = FenceSummary(
      id: row.key.id, name: row.text(.fenceName) ?? "", kind: row.fenceKind,
      isActive: row.isActiveFence, geometry: geometry,
      dwellSeconds: row.dwellSeconds, mode: row.fenceMode,
      needs: row.code(.fenceRole).flatMap(Role.init),
      properties: row.text(.fenceProperties) ?? "", inside: inside.sorted(),
      conflicts: try conflicts(of: row), createdAt: row.createdAt ?? Timestamp(milliseconds: 0),
      updatedAt: row.updatedAt ?? Timestamp(milliseconds: 0))
    if case .time(let moment)? = row.shown(.fenceReviewAt)?.value { summary.reviewAt = moment }
    summary.alertsEntry = row.code(.fenceEntryAlert) != 0
    return summary
  }

  // MARK: Crossings

  /// Returns the crossings after an arrival number, in the order of these numbers.
  public func crossings(after arrival: Int64?, limit: Int) throws -> [CrossingSummary] {
    try store.crossings(after: arrival, limit: limit).map(summary)
  }

  /// Returns the highest arrival number that a crossing ever had here; 0 before the first.
  public func newestArrival() throws -> Int64 { try store.newestArrival() }

  /// Adds the current names to a crossing.
  public func summary(_ arrived: ArrivedCrossing) throws -> CrossingSummary {
    let recorded = arrived.recorded
    let crossing = recorded.crossing
    let fence = try store.row(RowKey(kind: .fence, id: crossing.fence))
    return CrossingSummary(
      id: recorded.id, arrival: arrived.arrival, type: crossing.type, fence: crossing.fence,
      fenceName: fence?.text(.fenceName) ?? "", subject: crossing.subject,
      callsign: try callsign(of: recorded), sampleTime: crossing.fix.sampleTime,
      position: crossing.fix.position, isBaseline: crossing.isBaseline)
  }

  // MARK: Status

  /// Returns the number of frames of all logs, including openings: faster than a status.
  public func framesHeld() throws -> Int { try store.counts().frames }

  /// Counts and hashes what is held; the node fills in `rejected` and `diskFreeBytes`.
  public mutating func status(now: ClockReading) throws -> StatusSummary {
    let counts = try store.counts()
    let callsigns = Dictionary(
      try devices().map { ($0.id, $0.callsign) }, uniquingKeysWith: { first, _ in first })
    let peers = engine.peerStatus(now: now.instant).map { peer in
      var summary = PeerSummary(
        callsign: callsigns[peer.device] ?? peer.device.short, device: peer.device,
        state: PeerSummary.State(peer.state), endpoint: peer.endpoint, link: peer.link,
        interface: "", lastHeardSeconds: peer.lastHeardSeconds,
        connectedSeconds: peer.connectedSeconds,
        roundTripMicroseconds: engine.roundTripMicroseconds(to: peer.device),
        behindFrames: peer.behindFrames, sentBytes: peer.bytesOut, receivedBytes: peer.bytesIn)
      summary.needsUpdate = UpdateNeed(own: local.rulesVersion, peer: peer.rules)
      summary.isRevoked = control.isRevoked(peer.device)
      return summary
    }
    var status = StatusSummary(
      operation: local.operation, operationName: local.operationName,
      callsign: try callsign(of: local.author.user), device: local.device,
      role: local.author.role, stateHash: try stateHash(),
      stateIsIncomplete: counts.waiting > 0, root: root(), logs: counts.logs,
      frames: counts.frames, waitingFrames: counts.waiting,
      quarantinedFrames: try framesCut(),
      missingFrames: try missingFrames().reduce(0) { $0 + $1.sequences.count },
      users: Set(control.admissions.map(\.signed.certificate.author.user)).count,
      reports: try store.rows(.report).filter(\.exists).count,
      fences: try store.rows(.fence).filter(\.exists).count,
      crossings: try store.crossingCount(), peers: peers,
      fix: try devicePosition(of: local.device)?.report, rejected: [:],
      droppedForLackOfRoom: engine.droppedForLackOfRoom, forks: try forks(callsigns),
      diskFreeBytes: nil)
    status.isRevoked = isRevoked
    status.clockLead = engine.clockLead(now: now)
    status.stateFolderProblem = stateFolderProblem
    status.clones = try clones()
    status.bounds = try boundsReached
    status.epoch = try writingEpoch
    let name = { (device: DeviceID) in callsigns[device] ?? device.short }
    status.withholding = engine.standstills(now: now.instant).map { peer in
      StandstillSummary(
        device: peer.device, callsign: name(peer.device),
        kind: StandstillSummary.Kind(peer.kind), seconds: peer.seconds)
    }
    status.stale = engine.silences(now: now.instant)
      .filter { $0.seconds >= Self.staleSeconds }
      .map { SilenceSummary(device: $0.device, callsign: name($0.device), seconds: $0.seconds) }
      .sorted { ($1.seconds, $0.device) < ($0.seconds, $1.device) }
    return status
  }

  /// Whether this device was revoked, as far as it knows.
  var isRevoked: Bool { control.isRevoked(local.device) }

  /// As long as the detection of a stalled peer may take.
  private static let staleSeconds: Int64 = 600

  private func forks(_ callsigns: [DeviceID: String]) throws(StoreError) -> [ForkSummary] {
    guard control.hasForks else { return [] }
    let logs = try store.logs()
    return logs.filter { $0.base == nil && $0.isParted }.map { own in
      let log = own.head.log
      let device = control.author(of: own.opening.certificate)?.device
      return ForkSummary(
        device: device ?? DeviceID(raw: .zero),
        callsign: device.map { callsigns[$0] ?? $0.short } ?? "the root", log: log,
        lane: own.opening.lane, place: own.head.sequence + 1,
        branches: logs.count { $0.log == log && !$0.isParted })
    }
  }

  private func framesCut() throws(StoreError) -> Int {
    guard !control.state.revocations.isEmpty || control.hasForks else { return 0 }
    return try store.logs().reduce(0) { $0 + quarantinedFrames(of: $1) }
  }

  /// Counts as the quarantine lists: no openings, control frames or released frames.
  private func quarantinedFrames(of log: LogSummary) -> Int {
    let cut = control.framesCut(of: log)
    guard log.opening.lane != .control, cut > 0 else { return 0 }
    let first = max(log.first, log.head.sequence + 1 - cut, 1)
    guard first <= log.head.sequence else { return 0 }
    let released = control.state.released.filter {
      $0.log == log.log && $0.sequence >= first && $0.sequence <= log.head.sequence
    }
    return max(0, Int(log.head.sequence + 1 - first) - released.count)
  }

  /// The first eight bytes of each set's root: equal on replicas that hold the same.
  public mutating func root() -> [UInt8] { engine.rootBytes() }

  /// Returns the state hash. The first call reads every row and crossing; later ones read only
  /// changed leaves.
  public mutating func stateHash() throws -> StateHash {
    var tree = try stateTree ?? StateTree(of: store)
    stateTree = nil
    let hash = try tree.hash(of: store, control: control.outcomeHash())
    stateTree = tree
    return hash
  }

  // MARK: Naming

  /// Returns the row with an id, or with an id that begins with these digits.
  public func row(_ kind: EntityKind, named reference: String) throws -> RowID {
    guard let prefix = IdentifierPrefix(reference) else { throw Refusal.noID(reference) }
    let found = try store.rows(kind).filter(\.exists).map(\.key.id).filter(prefix.begins)
    guard let only = found.first else { throw Refusal("no \(kind) \(reference) here", .unknown) }
    guard found.count == 1 else {
      throw Refusal("\(found.count) \(kind)s begin with \(reference): give more digits", .unknown)
    }
    return only
  }

  /// Returns the device with an id that begins with these digits, or of the user with this
  /// callsign; of several of theirs the one that is not revoked.
  public func device(named reference: String) throws -> DeviceID {
    let known = try devices()
    let theirs = known.filter { $0.callsign == reference }
    let standing = theirs.filter { !$0.isRevoked }
    let prefix = IdentifierPrefix(reference)
    let begun = known.filter { prefix?.begins($0.id) ?? false }
    let meant = Set(((standing.isEmpty ? theirs : standing) + begun).map(\.id)).sorted()
    guard let only = meant.first else {
      throw Refusal("no device belongs to \(reference), or has an id that begins with it", .unknown)
    }
    guard meant.count == 1 else {
      let ids = meant.map(\.short).joined(separator: ", ")
      throw Refusal("\(meant.count) devices match \(reference): name one of \(ids)", .unknown)
    }
    return only
  }
}

extension PeerSummary.State {
  fileprivate init(_ state: PeerStatus.State) {
    switch state {
    case .connected: self = .connected
    case .heard: self = .heard
    case .silent: self = .silent
    }
  }
}

extension Value {
  /// Returns the value as text.
  fileprivate func words(in field: Field) -> String {
    switch (self, field) {
    case (.text(let text), _): text
    case (.code(let code), .reportCategory): ReportCategory(rawValue: code)?.name ?? "\(code)"
    case (.code(let code), .reportStatus): ReportStatus(rawValue: code)?.name ?? "\(code)"
    case (.code(let code), .fenceKind): FenceKind(rawValue: code)?.name ?? "\(code)"
    case (.code(let code), .fenceMode): code == 2 ? "strict-aws" : "careful"
    case (.code(let code), .fenceActive): code == 1 ? "active" : "inactive"
    case (.code(let code), _): "\(code)"
    case (.position(let position), _): "\(position.latitude),\(position.longitude)"
    case (.geometry(.circle(let center, let radius)), _):
      "circle of \(radius / 100) m at \(center.latitude),\(center.longitude)"
    case (.geometry(.polygons(let polygons)), _):
      "outline of \(polygons.reduce(0) { $0 + $1.outer.vertices.count }) vertices"
    case (.claim(let claim, let note), _):
      (claim == .safe ? "safe" : "needs help") + (note.isEmpty ? "" : ": \(note)")
    case (.mark, _): "yes"
    case (.reference(let row), _): row.short
    case (.time(let moment), _): "\(moment)"
    case (.number(let number), _): "\(number)"
    case (.bytes(let bytes), _): "\(bytes.count) bytes"
    case (.reply(let user, let note), _): "\(user.short) \(note)"
    case (.overruling(let claim, let note, _), _): Value.claim(claim, note: note).words(in: field)
    case (.accounting, _), (.relayedClaim, _), (.signOff, _), (.signOn, _), (.alertReply, _),
      (.trackerReply, _):
      personalWords
    case (.profile(let profile), _):
      "\(profile.mode.name), read every \(profile.readingSeconds) s, sent every "
        + "\(profile.sendingSeconds) s"
    }
  }

  private var personalWords: String {
    let (words, note) =
      switch self {
      case .accounting(let accounting): ("accounted for", accounting.note)
      case .relayedClaim(let claim, let note, let login, _):
        ((claim == .safe ? "safe" : "needs help") + " (\(login))", note)
      case .signOff(let reason, _): ("signed off", reason)
      case .signOn(let reason): ("in the operation", reason)
      case .alertReply(let reply): ("acknowledged", reply.note)
      case .trackerReply(_, let note): ("acknowledged for a tracker", note)
      default: ("", "")
      }
    return note.isEmpty ? words : "\(words): \(note)"
  }
}
