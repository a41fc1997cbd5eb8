internal import MusterCRDT
public import MusterModel
internal import MusterStore

/// What command asks of people, and what they answer.
extension Replica {
  // MARK: Directives

  /// Command only, in the urgent lane.
  public mutating func direct(
    _ draft: DirectiveDraft, now: ClockReading
  ) throws -> (id: RowID, outcome: Outcome) {
    try require(.command)
    if draft.kind == .message, !draft.text.contains(where: { !$0.isWhitespace }) {
      throw Refusal("a message has to say something")
    }
    if let fence = draft.fence { _ = try existing(.fence, fence) }
    let origin = RowOrigin(owner: local.author.user, nonce: random.bytes16())
    let id = RowID(operation: local.operation, origin: origin)
    var composer = Composer(RowState(key: RowKey(kind: .directive, id: id)), origin: origin)
    composer.assertExistence()
    composer.set(.directiveKind, to: .code(draft.kind.rawValue))
    composer.set(.directiveText, to: draft.text.isEmpty ? nil : .text(draft.text))
    composer.set(.directiveFence, to: draft.fence.map(Value.reference))
    composer.set(.directiveDeadline, to: draft.deadline.map(Value.time))
    composer.set(.directiveStatus, to: .code(DirectiveStatus.open.rawValue))
    switch draft.addressees {
    case .everyone: break
    case .role(let role): composer.set(.directiveRole, to: .code(role.rawValue))
    case .team(let team): composer.set(.directiveTeam, to: .text(team))
    case .users(let users):
      guard !users.isEmpty else { throw Refusal("a directive is for somebody") }
      for user in Set(users).sorted() {
        composer.insert(.directiveUsers, .reference(RowID(raw: user.raw)))
      }
    }
    return (id, try write(composer.writes, lane: .urgent, now: now))
  }

  /// Command only. Who has not answered need not any more; answers stay.
  public mutating func closeDirective(_ id: RowID, now: ClockReading) throws -> Outcome {
    try require(.command)
    var composer = Composer(try settled(.directive, id, now: now), origin: nil)
    composer.set(.directiveStatus, to: .code(DirectiveStatus.closed.rawValue))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// For this device's own user, or by command for another, such as one who answered by radio. The
  /// same again writes nothing; another note takes the place of the first.
  public mutating func acknowledge(
    _ id: RowID, note: String, for user: UserID?, now: ClockReading
  ) throws -> Outcome {
    let own = local.author.user
    if user == nil || user == own {
      try require(.command, .member)
    } else {
      try require(.command)
    }
    let state = try settled(.directive, id, now: now)
    let reply = Value.reply(user ?? own, note: note)
    let before = state.values(of: .directiveAcknowledgements).filter { value in
      guard value.author == own, case .reply(let answered, _) = value.value else { return false }
      return answered == user ?? own
    }
    if before.contains(where: { $0.value == reply }) { return Outcome() }
    var composer = Composer(state, origin: nil)
    composer.insert(
      .directiveAcknowledgements, reply,
      replacing: before.prefix(Limits.supersededDots).map(\.dot))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  // MARK: Safety

  /// Command only: its word in place of what it has heard the user say. The user's next word takes
  /// it away again.
  public mutating func overrideSafety(
    of user: UserID, _ claim: SafetyClaim, note: String, now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    let state = try row(of: user, now: now)
    let seen = state.values(of: .userSafetyClaim).prefix(Limits.overruledClaims).map(\.dot)
    var composer = Composer(state, origin: nil)
    composer.set(.userSafetyOverride, to: .overruling(claim, note: note, seen: seen))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Command only: the user's own word counts again.
  public mutating func withdrawOverride(of user: UserID, now: ClockReading) throws -> Outcome {
    try require(.command)
    var composer = Composer(try row(of: user, now: now), origin: nil)
    composer.takeAway(.userSafetyOverride)
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// One's own team, or by command another's; of no team any more with an empty one.
  public mutating func setTeam(
    _ team: String, of user: UserID?, now: ClockReading
  ) throws -> Outcome {
    if user == nil || user == local.author.user {
      try require(.command, .member, .observer)
    } else {
      try require(.command)
    }
    let tracker = RowKey(kind: .tracker, id: RowID(raw: (user ?? local.author.user).raw))
    if let state = try seen(tracker), state.exists {
      var composer = Composer(state, origin: nil)
      composer.setOrTakeAway(.trackerTeam, team)
      return try write(composer.writes, lane: .state, now: now)
    }
    var composer = Composer(try row(of: user ?? local.author.user, now: now), origin: nil)
    composer.setOrTakeAway(.userTeam, team)
    return try write(composer.writes, lane: .state, now: now)
  }

  private mutating func row(of user: UserID, now: ClockReading) throws -> RowState {
    let key = RowKey(kind: .user, id: RowID(raw: user.raw))
    try settle(key, now: now)
    return try seen(key) ?? RowState(key: key)
  }

  // MARK: Naming

  /// The user that a person means by a callsign, or by the first digits of an id.
  public mutating func user(named reference: String, now: ClockReading) throws -> UserID {
    let people = try users(now: now)
    let named = people.filter { $0.callsign == reference }
    if named.count == 1 { return named[0].id }
    if named.count > 1 {
      throw Refusal("\(named.count) people are called \(reference): give the id of one", .unknown)
    }
    let prefix = IdentifierPrefix(reference)
    let found = people.filter { prefix?.begins($0.id) ?? false }
    guard found.count == 1 else {
      let fault = found.isEmpty ? "nobody is called" : "\(found.count) ids begin with"
      throw Refusal("\(fault) \(reference)", .unknown)
    }
    return found[0].id
  }

  // MARK: Demands

  /// Open directives that want to know where this device is, and to which no fix of its own has
  /// come since they were given: for whoever begins to watch.
  public func openLocationDemands() throws -> [RowID] {
    let newest = try store.positions().first { $0.device == local.device }?.report.reportedAt
    return try store.rows(.directive).filter { row in
      guard try wantsLocation(row) else { return false }
      guard let newest, let given = row.createdAt else { return true }
      return newest < given
    }.map(\.key.id)
  }

  mutating func noteDemands(among changed: [RowKey]) throws(StoreError) {
    for key in changed where key.kind == .directive && !knownDemands.contains(key.id) {
      guard let row = try store.row(key), try wantsLocation(row) else { continue }
      knownDemands.insert(key.id)
      held.locationDemands.append(key.id)
    }
  }

  private func wantsLocation(_ row: RowState) throws(StoreError) -> Bool {
    guard row.exists, row.directiveKind == .locate, row.isOpenDirective else { return false }
    let (own, role) = (local.author.user, local.author.role)
    let team = try store.row(RowKey(kind: .user, id: RowID(raw: own.raw)))?.text(.userTeam)
    return row.isAddressed(own, role: role, team: team ?? "", isTracker: false)
  }
}

extension RowState {
  var directiveKind: DirectiveKind {
    code(.directiveKind).flatMap(DirectiveKind.init) ?? .message
  }

  var isOpenDirective: Bool { code(.directiveStatus) != DirectiveStatus.closed.rawValue }

  /// Whether a directive is for somebody. Who gave it needs no telling, unless by name; who only
  /// relays or looks on is meant by name or role alone.
  func isAddressed(_ user: UserID, role: Role, team: String, isTracker: Bool) -> Bool {
    let users = values(of: .directiveUsers).map(\.value)
    if users.contains(.reference(RowID(raw: user.raw))) { return true }
    guard user != owner else { return false }
    if let asked = code(.directiveRole), !isTracker, role.rawValue == asked { return true }
    if let asked = text(.directiveTeam), !team.isEmpty, asked == team { return true }
    let isForAll = users.isEmpty && !isSet(.directiveRole) && !isSet(.directiveTeam)
    guard isForAll else { return false }
    // A tracker answers nothing, yet whoever carries it is to be accounted for.
    if isTracker { return directiveKind.includesTrackers }
    return role == .command || role == .member
  }
}
