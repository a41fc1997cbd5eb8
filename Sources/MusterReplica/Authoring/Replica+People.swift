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
      .relayedClaim(
        claim, note: note, login: login, seen: PersonEvidenceReader.claimsSeen(in: state)))
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
      case .needsHelp:
        Value.overruling(claim, note: note, seen: PersonEvidenceReader.claimsSeen(in: state))
      case .safe:
        Value.accounting(
          try evidenceReader(now: now).accounting(for: user, state, note: note, away: away))
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
    let evidence = try evidenceReader(now: now)
    if !isConfirmed, let obstacle = try evidence.obstacle(to: user, state) {
      throw Refusal("\(name) \(obstacle) first, or confirm with --yes and a reason")
    }
    var composer = Composer(state, origin: nil)
    composer.set(
      PersonFields(state.key.kind).signOff,
      to: .signOff(reason: reason, seen: try evidence.openOrders(for: user)))
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

  private mutating func evidenceReader(now: ClockReading) throws -> PersonEvidenceReader {
    try refreshStatuses(now: now)
    return PersonEvidenceReader(context: context, checkIns: derived.checkIns)
  }
}
