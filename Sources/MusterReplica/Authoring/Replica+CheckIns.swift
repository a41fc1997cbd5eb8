internal import MusterCRDT
public import MusterCrypto
public import MusterModel
internal import MusterStatus
internal import MusterStore

/// Timers by which people must check in (decision 0046). A timer is a row that belongs to the
/// person; each device that holds it raises the alarm by itself.
extension Replica {
  // MARK: Writing

  /// Starts one timer for each person, in the urgent lane. A person starts their own, or one for
  /// the carrier of their tracker; command starts any.
  ///
  /// - Parameters:
  ///   - people: empty for this device's user.
  ///   - pin: one of the two PINs of this device, if they are set.
  public mutating func startCheckIns(
    _ draft: CheckInDraft, of people: [UserID], pin: String? = nil, now: ClockReading
  ) throws -> (ids: [RowID], outcome: Outcome) {
    guard (1...Limits.spanSeconds).contains(draft.durationSeconds) else {
      throw Refusal("a check-in is due after one second to a week: give another time")
    }
    guard max(draft.graceSeconds, draft.reminderSeconds) <= Limits.spanSeconds else {
      throw Refusal("grace and reminder are at most a week: give shorter ones")
    }
    let isStillInRange = (Limits.leastStillSeconds...Limits.spanSeconds).contains(
      draft.stillSeconds)
    guard draft.stillSeconds == 0 || isStillInRange else {
      throw Refusal("a time without movement is one minute to a week: give another time")
    }
    let people = people.isEmpty ? [local.author.user] : people
    guard people.count <= Limits.namesPerGroup else {
      throw Refusal("a check-in is for at most \(Limits.namesPerGroup) people: start several")
    }
    try refreshStatuses(now: now)
    let sealer = try CheckInSealer(pin: pin, in: context)
    var (ids, rows): ([RowID], [[Write]]) = ([], [])
    for user in Set(people).sorted() {
      let state = try personToCheckIn(user, now: now)
      let running = derived.checkIns.running(of: user).count
      guard running < CheckInBoard.countedPerPerson else {
        throw Refusal(
          "\(try context.callsign(of: user)) has \(running) running check-ins: stop one first",
          .unfit)
      }
      var origin = own.newOrigin(now: now)
      // Also a timer that command starts belongs to the person.
      origin = RowOrigin(owner: state.owner ?? origin.owner, nonce: origin.nonce)
      let id = RowID(operation: local.operation, origin: origin)
      var composer = Composer(RowState(key: RowKey(kind: .checkIn, id: id)), origin: origin)
      composer.assertExistence()
      if state.key.kind == .tracker {
        composer.set(.checkInTracker, to: .reference(state.key.id))
      }
      composer.set(.checkInDurationSeconds, to: .number(draft.durationSeconds))
      if draft.repeats { composer.set(.checkInRepeats, to: .code(1)) }
      composer.set(.checkInGraceSeconds, to: .number(draft.graceSeconds))
      composer.set(.checkInReminderSeconds, to: .number(draft.reminderSeconds))
      if draft.stillSeconds > 0 {
        composer.set(.checkInStillSeconds, to: .number(draft.stillSeconds))
      }
      if !draft.note.isEmpty { composer.set(.checkInNote, to: .text(draft.note)) }
      composer.insert(.checkInSealed, sealer.field(in: id, drawn: own.drawKey(now: now)))
      ids.append(id)
      rows.append(composer.writes)
    }
    return (ids, try write(rows, lane: .urgent, now: now))
  }

  /// Reports on the running timers of a person, or on one of them.
  ///
  /// - Parameters:
  ///   - user: nil for this device's own.
  ///   - reference: the timer's id; nil for all that run.
  ///   - seconds: by how much an extension postpones the due time.
  ///   - pin: one of the two PINs of this device, if they are set.
  public mutating func checkIn(
    _ kind: CheckInReportKind, of user: UserID?, timer reference: String?, seconds: UInt32,
    note: String, pin: String? = nil, now: ClockReading
  ) throws -> Outcome {
    let chosen = try reference.map { try row(.checkIn, named: $0) }
    try refreshStatuses(now: now)
    let timers =
      try chosen.map { [try settled(.checkIn, $0, now: now)] }
      ?? derived.checkIns.running(of: user ?? local.author.user).compactMap {
        try store.row(RowKey(kind: .checkIn, id: $0))
      }
    guard !timers.isEmpty else {
      let name = try context.callsign(of: user ?? local.author.user)
      throw Refusal("no check-in of \(name) is running: see muster checkin list", .unfit)
    }
    let sealer = try CheckInSealer(pin: pin, in: context)
    var rows: [[Write]] = []
    for timer in timers {
      let isTheirs = timer.owner == local.author.user
      if isTheirs { try require(.command, .member, .observer) } else { try require(.command) }
      if kind == .stop, !isTheirs, !note.contains(where: { !$0.isWhitespace }) {
        throw Refusal("give a reason to stop another person's check-in: --reason \"is back\"")
      }
      guard timer.hasRunningCheckIn else {
        throw Refusal("check-in \(timer.key.id.short) has ended: start another", .unfit)
      }
      var composer = Composer(timer, origin: nil)
      let next = try nextSeconds(kind, of: timer, extendedBy: seconds, now: now)
      // A further check-in is written even if it equals the one before.
      composer.insert(
        .checkInReport,
        .checkIn(CheckInReport(kind: kind, nextSeconds: next, note: note)),
        replacing: Array(timer.dots(of: .checkInReport).prefix(Limits.supersededDots)))
      composer.insert(
        .checkInSealed, sealer.field(in: timer.key.id, drawn: own.drawKey(now: now)),
        replacing: Array(timer.dots(of: .checkInSealed).prefix(Limits.supersededDots)))
      rows.append(composer.writes)
    }
    return try write(rows, lane: .urgent, now: now)
  }

  private func nextSeconds(
    _ kind: CheckInReportKind, of timer: RowState, extendedBy seconds: UInt32, now: ClockReading
  ) throws -> UInt32 {
    switch kind {
    case .ok:
      if timer.code(.checkInRepeats) == 1 { return timer.checkInDurationSeconds }
      // Who answers that they are well after a lack of movement has not come back yet.
      return standing(of: timer)?.isStill == true ? secondsLeft(of: timer, now: now) : 0
    case .stop: return 0
    case .extend:
      guard seconds > 0 else { throw Refusal("an extension takes one second or more") }
      let left = secondsLeft(of: timer, now: now)
      guard Int64(left) + Int64(seconds) <= Int64(Limits.spanSeconds) else {
        throw Refusal("a check-in is due within a week: extend it by less")
      }
      return left + seconds
    }
  }

  private func standing(of timer: RowState) -> CheckInStanding? {
    timer.checkInPerson.flatMap { person in
      derived.statusModel.assessment(of: person)?.timers.first { $0.id == timer.key.id }
    }
  }

  /// Returns the seconds until the check-in is due, whether or not the person moves.
  private func secondsLeft(of timer: RowState, now: ClockReading) -> UInt32 {
    guard let due = standing(of: timer)?.regularDue else { return 0 }
    return UInt32(clamping: min(Int64(Limits.spanSeconds), (due.latest - ages.reading(now)) / 1000))
  }

  private mutating func personToCheckIn(_ user: UserID, now: ClockReading) throws -> RowState {
    let state = try person(user, now: now)
    if state.owner == local.author.user {
      try require(.command, .member, .observer)
    } else {
      try require(.command)
    }
    return state
  }

  /// Returns who is in a team or has a role now, except those who signed off. Throws if no one is.
  ///
  /// - Parameters:
  ///   - team: empty for any.
  ///   - role: nil for any; carriers of trackers have none.
  public mutating func members(
    ofTeam team: String, role: Role?, now: ClockReading
  ) throws -> [UserID] {
    let found = try users(now: now).filter {
      !$0.has(.signedOff) && (team.isEmpty || $0.team == team)
        && (role == nil || (!$0.isTracker && $0.role == role))
    }
    guard !found.isEmpty else {
      throw Refusal("no one is in that team or has that role: see muster user list", .unknown)
    }
    return found.map(\.id)
  }

  // MARK: PINs

  /// Whether this device requires a PIN for check-ins.
  public func requiresCheckInPin() throws -> Bool { try CheckInPins.stored(in: store) != nil }

  /// Sets or replaces the two PINs of this device, or removes them if there are no new ones.
  ///
  /// - Parameters:
  ///   - current: one of the PINs that are set. With either, the result is the same.
  ///   - cost: of each guess.
  public mutating func setCheckInPins(
    _ pins: (usual: String, duress: String)?, current: String?,
    cost: PasswordCost = .interactive, now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member, .observer)
    let new = try CheckInPins.replacing(
      current, by: pins, salt: own.drawSalt(now: now), cost: cost, in: store)
    return try transact(now: now) { new.store(in: &$0.transaction.batch) }
  }

  // MARK: Queries

  /// Returns the timers: those that run by their due time, then the newest of those that ended.
  public mutating func checkIns(now: ClockReading) throws -> [CheckInSummary] {
    try refreshStatuses(now: now)
    return try checkInReader(now: now).summaries(by: derived.statusModel)
  }

  /// Restores the saved dates of reports, once after each start.
  mutating func restoreCheckIns(now: ClockReading) throws(StoreError) {
    guard !derived.checkIns.isRestored else { return }
    let store = store
    try derived.checkIns.restore(at: ages.reading(now), wall: now.wall, boot: own.boot) {
      name throws(StoreError) in try store.local(name)
    }
  }

  func checkInReader(now: ClockReading) -> CheckInReader {
    CheckInReader(context: context, ages: ageReader(at: now))
  }

  /// When time alone may next change a status: a check-in is due, or an order's deadline passes.
  /// Nil before the first review.
  public func nextStatusChange(now: ClockReading) -> Instant? {
    derived.statusModel.nextChange.map { next in
      now.instant.advanced(byMilliseconds: max(0, next - ages.reading(now)))
    }
  }
}
