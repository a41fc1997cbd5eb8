internal import MusterCRDT
public import MusterModel
internal import MusterStatus
internal import MusterStore

/// Requests about timers by which people must check in (decision 0046). A timer is a row that
/// belongs to the person; each device that holds it raises the alarm by itself.
public enum CheckInRequests {
  // MARK: Starting

  /// Starts one timer for each person, in the urgent lane. A person starts their own, or one for
  /// the carrier of their tracker; command starts any.
  ///
  /// - Parameters:
  ///   - people: empty for this device's user.
  ///   - pin: one of the two PINs of this device, if they are set.
  ///   - isOfLogin: whether a login starts it for its own person, who has a PIN here only as this
  ///     device's own user.
  /// - Returns: a request for the ids of the timers.
  public static func start(
    _ draft: CheckInDraft, of people: [UserID], pin: String? = nil, isOfLogin: Bool = false
  ) -> WriteRequest<[RowID]> {
    WriteRequest { context in
      try check(draft)
      let people = people.isEmpty ? [context.user] : people
      guard people.count <= Limits.namesPerGroup else {
        throw Refusal("a check-in is for at most \(Limits.namesPerGroup) people: start several")
      }
      let statuses = try context.statuses()
      let index = statuses.checkInIndex
      let sealer = try CheckInSealer(
        pin: pin, isOfLogin: isOfLogin && !people.contains(context.user), in: context.read)
      var (ids, rows): ([RowID], [[Write]]) = ([], [])
      for user in Set(people).sorted() {
        // Others would list them without a name, and could not reach them.
        guard statuses.statuses.isKnown(user) else {
          throw Refusal("\(user.short) is not known here: wait for their device", .unknown)
        }
        let state = try personToCheckIn(user, in: &context)
        let running = index.running(of: user).count
        guard running < CheckInIndex.countedPerPerson else {
          throw Refusal(
            "\(try context.read.callsign(of: user)) has \(running) running check-ins: "
              + "stop one first", .unfit)
        }
        let composer = compose(draft, for: state, sealer, in: &context)
        ids.append(composer.row)
        rows.append(composer.writes)
      }
      return Draft(answer: ids, rows: rows, lane: .urgent)
    }
  }

  private static func check(_ draft: CheckInDraft) throws(Refusal) {
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
  }

  /// - Parameter person: the row of the person.
  private static func compose(
    _ draft: CheckInDraft, for person: RowState, _ sealer: CheckInSealer,
    in context: inout RequestContext
  ) -> Composer {
    var origin = context.newOrigin()
    // Also a timer that command starts belongs to the person.
    origin = RowOrigin(owner: person.owner ?? origin.owner, nonce: origin.nonce)
    var composer = Composer(creating: .checkIn, origin: origin, operation: context.operation)
    composer.assertExistence()
    if person.key.kind == .tracker {
      composer.set(.checkInTracker, to: .reference(person.key.id))
    }
    composer.set(.checkInDurationSeconds, to: .number(draft.durationSeconds))
    if draft.repeats { composer.set(.checkInRepeats, to: .code(1)) }
    composer.set(.checkInGraceSeconds, to: .number(draft.graceSeconds))
    composer.set(.checkInReminderSeconds, to: .number(draft.reminderSeconds))
    if draft.stillSeconds > 0 {
      composer.set(.checkInStillSeconds, to: .number(draft.stillSeconds))
    }
    if !draft.note.isEmpty { composer.set(.checkInNote, to: .text(draft.note)) }
    composer.insert(.checkInSealed, sealer.field(in: composer.row, drawn: context.drawKey()))
    return composer
  }

  private static func personToCheckIn(
    _ user: UserID, in context: inout RequestContext
  ) throws -> RowState {
    let state = try context.person(user)
    if state.owner == context.user {
      try context.require(.command, .member, .observer)
    } else {
      try context.require(.command)
    }
    return state
  }

  // MARK: Reporting

  /// Reports on the running timers of a person, or on one of them.
  ///
  /// - Parameters:
  ///   - user: nil for this device's own.
  ///   - reference: the timer's id; nil for all that run.
  ///   - seconds: by how much an extension postpones the due time.
  ///   - pin: one of the two PINs of this device, if they are set.
  ///   - isOfLogin: as in `start`; only a timer of `user` is reported on.
  public static func report(
    _ kind: CheckInReportKind, of user: UserID?, timer reference: String?, seconds: UInt32,
    note: String, pin: String? = nil, isOfLogin: Bool = false
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      let names = NameResolver(context: context.read)
      let chosen = try reference.map { try names.row(.checkIn, named: $0) }
      let statuses = try context.statuses()
      let store = context.read.store
      let timers =
        try chosen.map { [try context.settled(.checkIn, $0)] }
        ?? statuses.checkInIndex.running(of: user ?? context.user).compactMap {
          try store.row(RowKey(kind: .checkIn, id: $0))
        }
      guard !timers.isEmpty else {
        let name = try context.read.callsign(of: user ?? context.user)
        throw Refusal("no check-in of \(name) is running: see muster checkin list", .unfit)
      }
      if isOfLogin, let other = timers.first(where: { $0.checkInPerson != user }) {
        throw Refusal(
          "check-in \(other.key.id.short) is another person's: name one of your own", .notAllowed)
      }
      let sealer = try CheckInSealer(
        pin: pin, isOfLogin: isOfLogin && user != context.user, in: context.read)
      var rows: [[Write]] = []
      for timer in timers {
        try check(kind, of: timer, note: note, in: context.read)
        let next = try nextSeconds(kind, of: timer, extendedBy: seconds, by: statuses)
        var composer = Composer(timer, origin: nil)
        // A further check-in is written even if it equals the one before.
        composer.insert(
          .checkInReport,
          .checkIn(CheckInReport(kind: kind, nextSeconds: next, note: note)),
          replacing: Array(timer.dots(of: .checkInReport).prefix(Limits.supersededDots)))
        composer.insert(
          .checkInSealed, sealer.field(in: timer.key.id, drawn: context.drawKey()),
          replacing: Array(timer.dots(of: .checkInSealed).prefix(Limits.supersededDots)))
        rows.append(composer.writes)
      }
      return Draft(rows: rows, lane: .urgent)
    }
  }

  private static func check(
    _ kind: CheckInReportKind, of timer: RowState, note: String, in context: ReadContext
  ) throws(Refusal) {
    let isTheirs = timer.owner == context.local.author.user
    if isTheirs {
      try context.require(.command, .member, .observer)
    } else {
      try context.require(.command)
    }
    if kind == .stop, !isTheirs, !note.contains(where: { !$0.isWhitespace }) {
      throw Refusal("give a reason to stop another person's check-in: --reason \"is back\"")
    }
    guard timer.hasRunningCheckIn else {
      throw Refusal("check-in \(timer.key.id.short) has ended: start another", .unfit)
    }
  }

  private static func nextSeconds(
    _ kind: CheckInReportKind, of timer: RowState, extendedBy seconds: UInt32,
    by statuses: StatusQueries
  ) throws(Refusal) -> UInt32 {
    switch kind {
    case .ok:
      if timer.code(.checkInRepeats) == 1 { return timer.checkInDurationSeconds }
      // Who answers that they are well after a lack of movement has not come back yet.
      return statuses.standing(of: timer)?.isStill == true ? statuses.secondsLeft(of: timer) : 0
    case .stop: return 0
    case .extend:
      guard seconds > 0 else {
        throw Refusal("an extension takes one second or more: give a longer one")
      }
      let left = statuses.secondsLeft(of: timer)
      guard Int64(left) + Int64(seconds) <= Int64(Limits.spanSeconds) else {
        throw Refusal("a check-in is due within a week: extend it by less")
      }
      return left + seconds
    }
  }
}

extension StatusQueries {
  fileprivate func standing(of timer: RowState) -> CheckInStanding? {
    timer.checkInPerson.flatMap { person in
      statuses.assessment(of: person)?.timers.first { $0.id == timer.key.id }
    }
  }

  /// Returns the seconds until the check-in is due, whether or not the person moves.
  fileprivate func secondsLeft(of timer: RowState) -> UInt32 {
    guard let due = standing(of: timer)?.regularDue else { return 0 }
    return UInt32(clamping: min(Int64(Limits.spanSeconds), (due.latest - ages.reading) / 1000))
  }
}
