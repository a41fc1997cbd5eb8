internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// How what a node learns becomes notes of the history.
extension HistoryRecorder {
  // MARK: Fixes

  /// Records a position of another device, which was taken and dated just now.
  mutating func record(
    _ position: DevicePosition, by author: DeviceID, datedBy ages: AgeTracker, now: ClockReading
  ) {
    let report = position.report
    let claimed = now.wall.milliseconds(since: report.reportedAt)
    let (age, shown): (Span, Int64)
    if let made = ages.made(ofPositionOf: position.device) {
      age = made.age(at: ages.reading(now))
      shown = age.guess(wallClockEstimate: claimed)
    } else {
      age = UnstampedAge(sinceArrival: 0, wall: now.wall, reportedAt: report.reportedAt)
        .milliseconds
      shown = age.latest
    }
    let fix = HistoryFix(
      position: report.fix.position, accuracyDecimetres: report.fix.accuracyDecimetres,
      earlierBy: age.latest > 1 << 51 ? nil : UInt64(age.latest - shown),
      laterBy: UInt64(shown - age.earliest))
    let wall = now.wall.milliseconds
    note(
      HistoryNote(
        subject: HistorySubject(kind: .fix, raw: position.device.raw), person: position.user,
        author: author.raw, entry: HistoryEntry(learnt: wall, event: wall - shown, .fix(fix))))
  }

  /// Records a fix of this device or of a tracker that it records.
  ///
  /// - Parameters:
  ///   - person: the person whose place it is.
  ///   - device: this device.
  ///   - isNewest: false for one that came late, and changes nothing of the present.
  mutating func recordOwn(
    _ fix: Fix, of subject: DeviceID, _ person: UserID, by device: DeviceID, isNewest: Bool,
    now: ClockReading
  ) {
    guard isRecording else { return }
    let note = HistoryNote(
      fix, of: subject.raw, person, by: device.raw,
      at: isNewest ? now.wall : fix.sampleTime, now: now.wall)
    if isNewest { self.note(note) } else { noteLate(note) }
  }

  /// Records the published tracks among changed rows, under their owners: no row names the device.
  /// Their times are those of their authors.
  ///
  /// - Parameter user: the user of this device, whose fixes are recorded as they are taken.
  mutating func recordTracks(
    among changed: [RowKey], in store: Store, except user: UserID, now: ClockReading
  ) throws(StoreError) {
    guard isRecording else { return }
    for key in changed where key.kind == .track {
      guard let row = try store.row(key), let owner = row.owner,
        owner != user, case .bytes(let bytes)? = row.shown(.trackPoints)?.value,
        let segment = TrackSegment(decoding: bytes)
      else { continue }
      for fix in segment.fixes {
        noteLate(
          HistoryNote(
            fix, of: owner.raw, owner, by: owner.raw, at: fix.sampleTime, now: now.wall))
      }
    }
  }

  // MARK: Statuses

  /// Records how this node shows people from now on.
  mutating func recordStatuses(of model: inout StatusModel, by ages: AgeReader) throws {
    let changed = model.takeChanged()
    guard isRecording else { return }
    let wall = ages.now.wall.milliseconds
    for user in changed.sorted() {
      guard let assessment = model.assessment(of: user) else { continue }
      let began = try began(assessment, of: user, in: model, by: ages)
      note(assessment.conditions, of: user, since: min(began ?? wall, wall), now: wall)
    }
    guard model.people.count < listedPeople else { return }
    for user in people where model.person(user) == nil {
      note([], of: user, since: wall, now: wall)
    }
  }

  private mutating func note(
    _ conditions: [StatusCondition], of user: UserID, since began: Int64, now: Int64
  ) {
    note(
      HistoryNote(
        subject: HistorySubject(kind: .status, raw: user.raw), person: user, author: user.raw,
        entry: HistoryEntry(learnt: now, event: began, .status(conditions))))
  }

  /// Returns the moment of what a status follows from, by this node's wall clock; nil for now.
  private func began(
    _ assessment: StatusAssessment, of user: UserID, in model: StatusModel, by ages: AgeReader
  ) throws -> Int64? {
    let moment: Int64?
    switch assessment.status {
    case .noContact: moment = assessment.received?.latest
    case .mayday:
      let calls = model.statements(of: user)?.openCalls
      moment = try calls?.first.flatMap { try ages.made(of: $0.dot)?.latest }
    case .reportedSafe:
      let claims = model.statements(of: user)?.claims
      moment = try claims?.first { $0.claim == .safe }
        .flatMap { try ages.made(of: $0.dot)?.latest }
    case .inHazard, .atAssembly: return arrivedFix(of: user, in: model)
    default: moment = nil
    }
    return moment.map { ages.now.wall.milliseconds - (ages.reading - $0) }
  }

  /// Returns the time of the newest fix of a person, if it came after their last status.
  private func arrivedFix(of user: UserID, in model: StatusModel) -> Int64? {
    let status = logs[HistorySubject(kind: .status, raw: user.raw)]?.newest
    let devices = model.person(user)?.devices.map(\.id) ?? []
    let fixes = devices.compactMap {
      logs[HistorySubject(kind: .fix, raw: $0.raw)]?.newest
    }
    guard let newest = fixes.max(by: { $0.event < $1.event }),
      newest.learnt >= status?.learnt ?? .min
    else { return nil }
    return newest.event
  }

  // MARK: Measurement

  /// See `Replica.recordForMeasurement`.
  mutating func recordForMeasurement(
    _ fix: Fix, _ status: PersonStatus, of user: UserID, now: ClockReading
  ) {
    note(HistoryNote(fix, of: user.raw, user, by: user.raw, at: fix.sampleTime, now: now.wall))
    let condition = StatusCondition(
      status: status, severity: status.severity, reason: status.label)
    note([condition], of: user, since: now.wall.milliseconds, now: now.wall.milliseconds)
  }
}

extension HistoryNote {
  /// A fix with a time that nothing but a label bounds.
  init(
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
