internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// What enters the history of people. See `HistoryRecorder`.
enum HistoryIntake {
  /// Begins to record, with what is known of everybody now.
  static func start(in core: inout ReplicaCore, now: ClockReading) throws {
    try core.history.start(after: core.store, now: now)
    let ages = AgeReader(of: core, at: now)
    for position in try core.context.devicePositions() {
      let subject = HistorySubject(kind: .fix, raw: position.device.raw)
      let known = core.history.logs[subject]?.newest?.fix?.position
      guard known != position.report.fix.position else { continue }
      let age = ages.shownAge(of: position) ?? ages.shownContactAge(of: position)
      let shown = Timestamp(milliseconds: now.wall.milliseconds &- age)
      core.history.note(
        HistoryNote(
          position.report.fix, of: subject.raw, position.user, by: subject.raw, at: shown,
          now: now.wall))
    }
    core.derived.statusModel.markAllChanged()
    try StatusQueries.refresh(&core, now: now)
  }

  /// Stores the rest of what was recorded, before the database is closed.
  static func keepRest(of core: ReplicaCore) {
    do {
      try core.store.keepHistory(core.history.rest)
    } catch {
      // Only the history lacks its last second.
    }
  }

  /// See `Replica.recordForMeasurement`.
  static func recordForMeasurement(
    _ fix: Fix, _ status: PersonStatus, of user: UserID, in core: inout ReplicaCore,
    now: ClockReading
  ) {
    core.history.note(
      HistoryNote(fix, of: user.raw, user, by: user.raw, at: fix.sampleTime, now: now.wall))
    let condition = StatusCondition(
      status: status, severity: status.severity, reason: status.label)
    note(
      [condition], of: user, since: now.wall.milliseconds, now: now.wall.milliseconds,
      in: &core.history)
  }

  // MARK: Fixes

  /// Records a position of another device, which was taken and dated just now.
  static func record(
    _ position: DevicePosition, from record: LatestRecord, in core: inout ReplicaCore,
    now: ClockReading
  ) {
    guard core.history.isRecording, let author = core.control.author(of: record.certificate)
    else { return }
    let subject = HistorySubject(kind: .fix, raw: position.device.raw)
    let report = position.report
    // A contact without a new fix is no point of the track.
    if position.fixOrder != position.order,
      core.history.logs[subject]?.newest?.fix?.position == report.fix.position
    {
      return
    }
    let claimed = now.wall.milliseconds(since: report.recordedAt)
    let (age, shown): (Span, Int64)
    if let made = core.records.ages.made(ofPositionOf: position.device) {
      age = made.age(at: core.records.ages.reading(now))
      shown = age.guess(wallClockEstimate: claimed)
    } else {
      age =
        UnstampedAge(sinceArrival: 0, wall: now.wall, reportedAt: report.recordedAt)
        .milliseconds
      shown = age.latest
    }
    let isBounded = age.latest <= 1 << 51 && report.age.atReceipt.doubtMilliseconds != nil
    let fix = HistoryFix(
      position: report.fix.position, accuracyDecimetres: report.fix.accuracyDecimetres,
      earlierBy: isBounded ? UInt64(age.latest - shown) : nil,
      laterBy: UInt64(shown - age.earliest))
    let wall = now.wall.milliseconds
    core.history.note(
      HistoryNote(
        subject: subject, person: position.user, author: author.device.raw,
        entry: HistoryEntry(
          learnt: wall, event: wall - shown - report.age.leastMilliseconds, .fix(fix))))
  }

  /// Records a fix of this device or of a tracker that it records.
  ///
  /// - Parameter isNewest: false for one that came late, and changes nothing of the present.
  static func recordOwn(
    _ report: PositionReport, of subject: DeviceID, _ person: UserID, isNewest: Bool,
    in core: inout ReplicaCore, now: ClockReading
  ) {
    guard core.history.isRecording else { return }
    let note = HistoryNote(
      report.fix, of: subject.raw, person, by: core.local.device.raw,
      at: isNewest ? report.madeAt ?? now.wall : report.fix.sampleTime, now: now.wall)
    if isNewest { core.history.note(note) } else { core.history.noteLate(note) }
  }

  /// Records what a commit replaced of zones and reports.
  static func recordReplaced(
    _ rows: [RowState], in core: inout ReplicaCore, now: ClockReading
  ) throws(StoreError) {
    guard core.history.isRecording else { return }
    for before in rows {
      guard let after = try core.store.row(before.key), let owner = after.owner,
        let replaced = EarlierRow(from: before, to: after)
      else { continue }
      core.history.note(replaced, of: before.key, owner, now: now.wall)
    }
  }

  /// Records the published tracks among changed rows, under their owners: no row names the device.
  /// Their times are those of their authors.
  static func recordTracks(
    among changed: [RowKey], in core: inout ReplicaCore, now: ClockReading
  ) throws(StoreError) {
    guard core.history.isRecording else { return }
    for key in changed where key.kind == .track {
      guard let row = try core.store.row(key), let owner = row.owner,
        owner != core.local.author.user, case .bytes(let bytes)? = row.shown(.trackPoints)?.value,
        let segment = TrackSegment(decoding: bytes)
      else { continue }
      for fix in segment.fixes {
        core.history.noteLate(
          HistoryNote(
            fix, of: owner.raw, owner, by: owner.raw, at: fix.sampleTime, now: now.wall))
      }
    }
  }

  // MARK: Statuses

  /// Records how this node shows people from now on.
  static func recordStatuses(in core: inout ReplicaCore, now: ClockReading) throws {
    let changed = core.derived.statusModel.takeChanged()
    guard core.history.isRecording else { return }
    let ages = AgeReader(of: core, at: now)
    let wall = now.wall.milliseconds
    for user in changed.sorted() {
      guard let assessment = core.derived.statusModel.assessment(of: user) else { continue }
      let since = try began(assessment, of: user, by: ages, in: core)
      note(
        assessment.conditions, of: user, since: min(since ?? wall, wall), now: wall,
        in: &core.history)
    }
    guard core.derived.statusModel.people.count < core.history.listedPeople else { return }
    for user in core.history.people where core.derived.statusModel.person(user) == nil {
      note([], of: user, since: wall, now: wall, in: &core.history)
    }
  }

  private static func note(
    _ conditions: [StatusCondition], of user: UserID, since began: Int64, now: Int64,
    in history: inout HistoryRecorder
  ) {
    history.note(
      HistoryNote(
        subject: HistorySubject(kind: .status, raw: user.raw), person: user, author: user.raw,
        entry: HistoryEntry(learnt: now, event: began, .status(conditions))))
  }

  /// Returns the moment of what a status follows from, by this node's wall clock; nil for now.
  private static func began(
    _ assessment: StatusAssessment, of user: UserID, by ages: AgeReader, in core: ReplicaCore
  ) throws -> Int64? {
    let moment: Int64?
    switch assessment.status {
    case .noContact: moment = assessment.received?.latest
    case .mayday:
      let calls = core.derived.statusModel.statements(of: user)?.openCalls
      moment = try calls?.first.flatMap { try ages.made(of: $0.dot)?.latest }
    case .reportedSafe:
      let claims = core.derived.statusModel.statements(of: user)?.claims
      moment = try claims?.first { $0.claim == .safe }
        .flatMap { try ages.made(of: $0.dot)?.latest }
    case .inHazard, .atAssembly: return arrivedFix(of: user, in: core)
    default: moment = nil
    }
    return moment.map { ages.now.wall.milliseconds - (ages.reading - $0) }
  }

  /// Returns the time of the newest fix of a person, if it came after their last status.
  private static func arrivedFix(of user: UserID, in core: ReplicaCore) -> Int64? {
    let status = core.history.logs[HistorySubject(kind: .status, raw: user.raw)]?.newest
    let devices = core.derived.statusModel.person(user)?.devices.map(\.id) ?? []
    let fixes = devices.compactMap {
      core.history.logs[HistorySubject(kind: .fix, raw: $0.raw)]?.newest
    }
    guard let newest = fixes.max(by: { $0.event < $1.event }),
      newest.learnt >= status?.learnt ?? .min
    else { return nil }
    return newest.event
  }
}

extension HistoryNote {
  /// A fix with a time that nothing but a label bounds.
  fileprivate init(
    _ fix: Fix, of subject: Bytes16, _ person: UserID, by author: Bytes16, at time: Timestamp,
    now: Timestamp
  ) {
    self.init(
      subject: HistorySubject(kind: .fix, raw: subject), person: person, author: author,
      entry: HistoryEntry(
        learnt: now.milliseconds, event: time.milliseconds,
        .fix(
          HistoryFix(
            position: fix.position, accuracyDecimetres: fix.accuracyDecimetres,
            earlierBy: time == now ? 0 : nil, laterBy: 0))))
  }
}
