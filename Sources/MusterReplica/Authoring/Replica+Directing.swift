internal import MusterCRDT
public import MusterModel
internal import MusterStore

/// Directives and their answers.
extension Replica {
  // MARK: Directives

  /// Issues a directive, in the urgent lane; command only. An order to a zone supersedes the open
  /// ones for the same audience; a roll call is for the people that it addresses now.
  public mutating func direct(
    _ draft: DirectiveDraft, now: ClockReading
  ) throws -> (id: RowID, outcome: Outcome) {
    let order = try directive(draft, now: now)
    return (order.row, try write(order.writes, lane: .urgent, now: now))
  }

  /// Adds an assembly zone and orders people to it; command only. The order is sent first.
  public mutating func addFence(
    _ draft: FenceDraft, ordering order: DirectiveDraft, now: ClockReading
  ) throws -> (fence: RowID, directive: RowID, outcome: Outcome) {
    try require(.command)
    guard draft.kind == .muster else {
      throw Refusal("people can only be sent to an assembly zone: make it of kind muster")
    }
    let fence = try fence(draft, now: now)
    let directive = try directive(order, to: fence.row, now: now)
    let outcome = try write([directive.writes, fence.writes], lane: .urgent, now: now)
    return (fence.row, directive.row, outcome)
  }

  /// - Parameter zone: a zone that is about to be added, besides those that the draft names.
  private mutating func directive(
    _ draft: DirectiveDraft, to zone: RowID? = nil, now: ClockReading
  ) throws -> Composer {
    try require(.command)
    var draft = draft
    var zones: [RowState] = []
    for zone in draft.zones { zones.append(try settled(.fence, zone, now: now)) }
    if let zone { draft.zones.append(zone) }
    let plan = try OrderPlan(
      draft, by: local.author.user, zones: zones, people: try users(now: now),
      directives: try settledRows(.directive, now: now))
    var composer = own.compose(.directive, now: now)
    plan.write(to: &composer)
    return composer
  }

  /// Closes a directive; command only. Answers remain.
  public mutating func closeDirective(_ id: RowID, now: ClockReading) throws -> Outcome {
    try require(.command)
    var composer = Composer(try settled(.directive, id, now: now), origin: nil)
    composer.set(.directiveStatus, to: .code(DirectiveStatus.closed.rawValue))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Acknowledges a directive for this device's own user, for the carrier of one of the user's
  /// trackers, or by command for another, such as one who answered by radio. Repeating it writes
  /// nothing; another note replaces the first.
  public mutating func acknowledge(
    _ id: RowID, note: String, for user: UserID?, now: ClockReading
  ) throws -> Outcome {
    let own = local.author.user
    let asked = user ?? own
    let tracker = try ownTracker(asked, now: now)
    if asked == own || tracker != nil {
      try require(.command, .member)
    } else {
      try require(.command)
    }
    let state = try settled(.directive, id, now: now)
    let reply: Value =
      tracker.map { .trackerReply($0, note: note) } ?? .reply(asked, note: note)
    let before = state.answers(in: local.operation)
      .filter { $0.user == asked && $0.value.author == own }.map(\.value)
    if before.contains(where: { $0.value == reply }) { return Outcome() }
    var composer = Composer(state, origin: nil)
    composer.insert(
      tracker == nil ? .directiveAcknowledgements : .directiveTrackerReplies, reply,
      replacing: before.prefix(Limits.supersededDots).map(\.dot))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Returns the nonce of a tracker's row that this device's user owns; nil for anyone else.
  private mutating func ownTracker(_ user: UserID, now: ClockReading) throws -> Bytes16? {
    guard user != local.author.user else { return nil }
    let row = try person(user, now: now)
    guard row.key.kind == .tracker, row.owner == local.author.user else { return nil }
    return row.origin?.nonce
  }

  /// Withdraws the own user's answer or that for an own tracker, or by command all answers for a
  /// user.
  public mutating func withdrawAcknowledgement(
    _ id: RowID, of user: UserID?, now: ClockReading
  ) throws -> Outcome {
    let own = local.author.user
    let asked = user ?? own
    let isOwn = try asked == own || ownTracker(asked, now: now) != nil
    if isOwn { try require(.command, .member) } else { try require(.command) }
    let state = try settled(.directive, id, now: now)
    let answers = state.answers(in: local.operation).filter { $0.user == asked }.map(\.value)
    let isCommand = local.author.role == .command
    let removable = answers.filter { isCommand || $0.author == own }
    guard !removable.isEmpty else {
      let name = asked == own ? "you have" : "\(try context.callsign(of: asked)) has"
      throw answers.isEmpty
        ? Refusal("\(name) not answered directive \(id.short)")
        : Refusal("command answered for you: only command can withdraw that", .notAllowed)
    }
    var composer = Composer(state, origin: nil)
    for field in [Field.directiveAcknowledgements, .directiveTrackerReplies] {
      let dots = Set(state.values(of: field).map(\.dot))
      composer.remove(field, removable.map(\.dot).filter(dots.contains))
    }
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Returns the kind of a directive. Throws `Refusal` for an unknown one.
  public func kind(ofDirective id: RowID) throws -> DirectiveKind {
    try context.existing(.directive, id).directiveKind
  }

  /// Returns the only open directive that a user has not answered, or, to withdraw an answer, has
  /// answered. Throws if there is none, or more than one.
  public mutating func directive(
    waitingFor user: UserID?, answered: Bool, now: ClockReading
  ) throws -> RowID {
    let known = try directives(now: now)
    return try DirectiveList(context: context, zones: location.monitor.zones(in: store))
      .waiting(for: user ?? local.author.user, answered: answered, among: known)
  }

  // MARK: Teams

  /// Sets the own user's team, or by command another's; an empty one clears it.
  public mutating func setTeam(
    _ team: String, of user: UserID?, now: ClockReading
  ) throws -> Outcome {
    if user == nil || user == local.author.user {
      try require(.command, .member, .observer)
    } else {
      try require(.command)
    }
    let tracker = RowKey(kind: .tracker, id: RowID(raw: (user ?? local.author.user).raw))
    if let state = try context.row(tracker), state.exists {
      var composer = Composer(state, origin: nil)
      composer.setOrTakeAway(.trackerTeam, team)
      return try write(composer.writes, lane: .state, now: now)
    }
    var composer = Composer(try row(of: user ?? local.author.user, now: now), origin: nil)
    composer.setOrTakeAway(.userTeam, team)
    return try write(composer.writes, lane: .state, now: now)
  }

  mutating func row(of user: UserID, now: ClockReading) throws -> RowState {
    let key = RowKey(kind: .user, id: RowID(raw: user.raw))
    try settle(key, now: now)
    return try context.row(key) ?? RowState(key: key)
  }

  // MARK: Naming

  /// Returns the user with a callsign, or with an id that begins with these digits.
  public mutating func user(named reference: String, now: ClockReading) throws -> UserID {
    try NameResolver(context: context).user(named: reference, among: users(now: now))
  }

  // MARK: Locate directives

  mutating func noteDemands(among changed: [RowKey]) throws(StoreError) {
    for key in changed where key.kind == .directive && !location.knownDemands.contains(key.id) {
      guard let row = try store.row(key),
        try LocationDemands(context: context).includes(row)
      else { continue }
      location.knownDemands.insert(key.id)
      transaction.outcome.locationDemands.append(key.id)
    }
  }
}
