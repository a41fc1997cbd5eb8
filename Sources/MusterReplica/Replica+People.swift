internal import MusterCRDT
public import MusterModel
internal import MusterStore

/// Self-reports of people, and statements of command and of tracker owners about them. A person is
/// a user, or the carrier of a tracker.
extension Replica {
  // MARK: Claims

  /// Writes the user's own claim, which supersedes command's earlier statements about them.
  public mutating func claimSafety(
    _ claim: SafetyClaim, note: String, now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member, .observer)
    var composer = Composer(try person(local.author.user, now: now), origin: nil)
    composer.claim(.claim(claim, note: note))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Writes a claim for the carrier of a tracker, by its owner or by command.
  public mutating func claimSafety(
    _ claim: SafetyClaim, note: String, forTracker user: UserID, now: ClockReading
  ) throws -> Outcome {
    let state = try person(user, now: now)
    guard state.key.kind == .tracker else {
      throw Refusal(
        "\(try context.callsign(of: user)) has a device of their own, and reports for themselves: "
          + "command can use user override", .notAllowed)
    }
    try requireOwnerOrCommand(of: state)
    var composer = Composer(state, origin: nil)
    composer.claim(.claim(claim, note: note))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Writes the claim of a login at this command post, which is bound to a user: signed by this
  /// device, and shown as the user's. Command only.
  public mutating func relayClaim(
    _ claim: SafetyClaim, note: String, login: String, of user: UserID, now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    if let fault = TextRule.line.fault(in: login) { throw Refusal("the login's name \(fault)") }
    let state = try person(user, now: now)
    guard state.key.kind == .user else {
      // A tracker's carrier has no device that could contradict: command reports for them.
      return try claimSafety(claim, note: note, forTracker: user, now: now)
    }
    var composer = Composer(state, origin: nil)
    composer.claim(
      .relayedClaim(claim, note: note, login: login, seen: Self.claimsSeen(in: state)))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  // MARK: Overrides

  /// Overrides the claims that command has seen of a person, until the person's next claim; command
  /// only. "Safe" is an accounting: it names the claims, open orders and positions that this device
  /// holds.
  ///
  /// - Parameter away: devices of the person that are not with them.
  public mutating func overrideSafety(
    of user: UserID, _ claim: SafetyClaim, note: String, away: [DeviceID] = [],
    now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    let state = try person(user, now: now)
    let value =
      switch claim {
      case .needsHelp: Value.overruling(claim, note: note, seen: Self.claimsSeen(in: state))
      case .safe: Value.accounting(try accounting(for: user, state, note: note, away: away))
      }
    if claim == .needsHelp, !away.isEmpty {
      throw Refusal("--away requires the claim safe: use safe, or omit it")
    }
    var composer = Composer(state, origin: nil)
    composer.set(PersonFields(state.key.kind).override, to: value)
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Withdraws command's override, so that the person's own claim counts again; command only.
  public mutating func withdrawOverride(of user: UserID, now: ClockReading) throws -> Outcome {
    try require(.command)
    let state = try person(user, now: now)
    var composer = Composer(state, origin: nil)
    composer.takeAway(PersonFields(state.key.kind).override)
    return try write(composer.writes, lane: .urgent, now: now)
  }

  private func accounting(
    for user: UserID, _ state: RowState, note: String, away: [DeviceID]
  ) throws -> Accounting {
    let positions = try devicePositions().filter { $0.user == user }
    let devices = Set(
      control.admissions.map(\.signed.certificate.author).filter { $0.user == user }
        .map(\.device) + positions.map(\.device))
    let away = Set(away)
    if let stranger = away.subtracting(devices).min() {
      throw Refusal(
        "\(stranger.short) is not a device of \(try context.callsign(of: user)): "
          + "see muster device list", .unknown)
    }
    guard away.count <= Limits.seenPositions else {
      throw Refusal("at most \(Limits.seenPositions) devices can be away")
    }
    // Those that count against the person first: a device that is away never does.
    let weighed = positions.sorted { left, right in
      let (leftAway, rightAway) = (away.contains(left.device), away.contains(right.device))
      if leftAway != rightAway { return rightAway }
      let (leftTime, rightTime) = (left.report.reportedAt, right.report.reportedAt)
      return leftTime != rightTime ? leftTime > rightTime : left.device < right.device
    }
    return Accounting(
      note: note, claims: Self.claimsSeen(in: state), rows: try openOrders(for: user),
      positions: weighed.prefix(Limits.seenPositions)
        .map { SeenPosition(device: $0.device, order: $0.order) }
        .sorted { $0.device < $1.device },
      away: away.sorted())
  }

  /// Returns the live claims of a person, help claims first.
  private static func claimsSeen(in state: RowState) -> [Dot] {
    let claims = PersonFields(state.key.kind).claims.flatMap { state.values(of: $0) }
    let calls = claims.filter { SafetyStanding.claim(of: $0.value)?.claim == .needsHelp }
    let others = claims.filter { SafetyStanding.claim(of: $0.value)?.claim != .needsHelp }
    return (calls + others).prefix(Limits.overruledClaims).map(\.dot)
  }

  /// Returns the open orders that a person's accounting or sign-off settles: first those that name
  /// the person, then the others, since an order's audience may change; each part the newest first.
  private func openOrders(for user: UserID) throws -> [RowID] {
    var orders: [(row: RowState, isTheirs: Bool)] = []
    for row in try store.rows(.directive) where row.exists && row.isOpenDirective {
      guard [.evacuate, .muster, .rollcall].contains(row.directiveKind) else { continue }
      orders.append((row, try isAddressed(user, by: row)))
    }
    return orders.sorted { left, right in
      if left.isTheirs != right.isTheirs { return left.isTheirs }
      let moments = (left.row.createdAt, right.row.createdAt)
      if let first = moments.0, let second = moments.1, first != second { return first > second }
      return left.row.key.id < right.row.key.id
    }.prefix(Limits.seenRows).map(\.row.key.id)
  }

  private func isAddressed(_ user: UserID, by directive: RowState) throws -> Bool {
    let tracker = try store.row(RowKey(kind: .tracker, id: RowID(raw: user.raw)))
    let row = try tracker ?? store.row(RowKey(kind: .user, id: RowID(raw: user.raw)))
    let roles = control.admissions.map(\.signed.certificate.author).filter { $0.user == user }
    let role = roles.map(\.role).min { $0.rawValue < $1.rawValue } ?? .member
    let team = row?.text(tracker == nil ? .userTeam : .trackerTeam) ?? ""
    return Audience(of: directive).includes(
      user, role: role, team: team, isTracker: tracker != nil, of: directive.directiveKind,
      by: directive.owner)
  }

  // MARK: Signing off

  /// Signs a person off: by themselves, by their tracker's owner, or by command. It settles the
  /// open orders that it names. It revokes nothing, and later reports of the person count.
  ///
  /// - Parameters:
  ///   - user: nil for this device's own.
  ///   - isConfirmed: confirms it in spite of a help claim, or an open order for them.
  public mutating func signOff(
    _ user: UserID?, reason: String, isConfirmed: Bool, now: ClockReading
  ) throws -> Outcome {
    let user = user ?? local.author.user
    let state = try personToSign(user, now: now)
    guard reason.contains(where: { !$0.isWhitespace }) else {
      throw Refusal("give a reason: --reason \"shift is over\"")
    }
    let name = try context.callsign(of: user)
    if !isConfirmed, let obstacle = try obstacle(to: user, state) {
      throw Refusal("\(name) \(obstacle) first, or confirm with --yes and a reason")
    }
    var composer = Composer(state, origin: nil)
    composer.set(
      PersonFields(state.key.kind).signOff,
      to: .signOff(reason: reason, seen: try openOrders(for: user)))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Signs a person on again. Of concurrent values this one wins over a sign-off.
  public mutating func signOn(
    _ user: UserID?, reason: String, now: ClockReading
  ) throws -> Outcome {
    let user = user ?? local.author.user
    let state = try personToSign(user, now: now)
    let field = PersonFields(state.key.kind).signOff
    guard case .signOff? = state.shown(field)?.value else {
      throw Refusal("\(try context.callsign(of: user)) has not signed off", .unfit)
    }
    var composer = Composer(state, origin: nil)
    composer.set(field, to: .signOn(reason: reason))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  private mutating func personToSign(_ user: UserID, now: ClockReading) throws -> RowState {
    let state = try person(user, now: now)
    if user == local.author.user {
      try require(.command, .member, .observer)
    } else {
      try requireOwnerOrCommand(of: state)
    }
    return state
  }

  /// Returns why a person should not sign off yet, and what to do.
  private func obstacle(to user: UserID, _ state: RowState) throws -> String? {
    if try !StatementReader(context: context).statements(state).openCalls.isEmpty {
      return "has an open call for help: answer it with `muster user override`"
    }
    var names: [String] = []
    for row in try store.rows(.directive) where row.exists && row.isOpenDirective {
      guard [.evacuate, .muster, .rollcall].contains(row.directiveKind),
        try isAddressed(user, by: row)
      else { continue }
      names.append("\(row.directiveKind.name) \(row.key.id.short)")
    }
    guard let first = names.first else { return nil }
    let what =
      names.count == 1
      ? "is named by an open order, \(first)"
      : "is named by \(names.count) open orders, \(first) among them"
    return what + ": close it with `muster direct close`, or answer it with `muster ack`,"
  }

  // MARK: Rows

  /// Returns the row of a user, or of a listed tracker.
  mutating func person(_ user: UserID, now: ClockReading) throws -> RowState {
    for kind in [EntityKind.tracker, .user] {
      try settle(RowKey(kind: kind, id: RowID(raw: user.raw)), now: now)
    }
    let tracker = try context.row(RowKey(kind: .tracker, id: RowID(raw: user.raw)))
    if let tracker, tracker.exists { return tracker }
    let key = RowKey(kind: .user, id: RowID(raw: user.raw))
    return try context.row(key) ?? RowState(key: key)
  }

  private func requireOwnerOrCommand(of state: RowState) throws {
    guard state.key.kind == .tracker, state.owner == local.author.user else {
      return try require(.command)
    }
    try require(.command, .member)
  }
}
