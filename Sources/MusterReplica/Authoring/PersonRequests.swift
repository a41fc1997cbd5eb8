internal import MusterCRDT
public import MusterModel

/// Requests about people: names, teams, self-reports, and statements of command and of tracker
/// owners about them. A person is a user, or the carrier of a tracker.
public enum PersonRequests {
  // MARK: Names and teams

  /// Sets the callsign of a user; relays have none.
  ///
  /// - Parameter user: nil for this device's own; another one, as command, until it has a callsign.
  public static func setCallsign(_ callsign: String, of user: UserID? = nil) -> WriteRequest<Void> {
    WriteRequest { context in
      try user == nil
        ? context.require(.command, .member, .observer, .archive)
        : context.require(.command)
      let state = try context.settled(row(of: user ?? context.user))
      if user != nil, state.text(.userCallsign) != nil { return .nothing }
      var composer = Composer(state, origin: nil)
      composer.set(.userCallsign, to: .text(callsign))
      return Draft(composer, lane: .state)
    }
  }

  /// Sets the own user's team, or by command another's; an empty one clears it.
  ///
  /// - Parameter user: nil for this device's own.
  public static func setTeam(_ team: String, of user: UserID?) -> WriteRequest<Void> {
    WriteRequest { context in
      let named = user ?? context.user
      if named == context.user {
        try context.require(.command, .member, .observer)
      } else {
        try context.require(.command)
      }
      let tracker = RowKey(kind: .tracker, id: RowID(raw: named.raw))
      if let state = try context.read.row(tracker), state.exists {
        var composer = Composer(state, origin: nil)
        composer.setOrTakeAway(.trackerTeam, team)
        return Draft(composer, lane: .state)
      }
      var composer = Composer(try context.settled(row(of: named)), origin: nil)
      composer.setOrTakeAway(.userTeam, team)
      return Draft(composer, lane: .state)
    }
  }

  private static func row(of user: UserID) -> RowKey {
    RowKey(kind: .user, id: RowID(raw: user.raw))
  }

  // MARK: Claims

  /// Writes the user's own claim, which supersedes command's earlier statements about them.
  public static func claim(_ claim: SafetyClaim, note: String) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member, .observer)
      var composer = Composer(try context.person(context.user), origin: nil)
      composer.claim(.claim(claim, note: note))
      return Draft(composer, lane: .urgent)
    }
  }

  /// Writes a claim for the carrier of a tracker, by its owner or by command.
  public static func claim(
    _ claim: SafetyClaim, note: String, forTracker user: UserID
  ) -> WriteRequest<Void> {
    WriteRequest { try draft(of: claim, note: note, forTracker: user, in: &$0) }
  }

  private static func draft(
    of claim: SafetyClaim, note: String, forTracker user: UserID,
    in context: inout RequestContext
  ) throws -> Draft<Void> {
    let state = try context.person(user)
    guard state.key.kind == .tracker else {
      throw Refusal(
        "\(try context.read.callsign(of: user)) has a device of their own, and reports for "
          + "themselves: command can use user override", .notAllowed)
    }
    try requireOwnerOrCommand(of: state, in: context)
    var composer = Composer(state, origin: nil)
    composer.claim(.claim(claim, note: note))
    return Draft(composer, lane: .urgent)
  }

  /// Writes the call for help of a phone, for the carrier of a tracker that this device records.
  /// Writes nothing while a call is open, and for a message that made one before: after command or
  /// the caller ended it, any other message with an alarm is a new call. Rejected for a tracker
  /// that was never recorded, or was removed.
  public static func raise(
    _ call: PhoneCall, ofTracker name: String
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member)
      let tracker = OwnTracker(named: name, of: context.read.local)
      guard let row = try context.read.store.row(tracker.key), row.exists else {
        throw Refusal("the tracker \(name) is not listed, or was removed", .unknown)
      }
      let user = UserID(raw: tracker.row.raw)
      return try draft(of: call, tracker.nonce, by: try context.person(user), in: &context)
    }
  }

  /// Writes the call for help of the phone of this device's user, as `raise(_:ofTracker:)` does.
  public static func raise(_ call: PhoneCall) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member, .observer)
      return try draft(of: call, nil, by: try context.person(context.user), in: &context)
    }
  }

  private static func draft(
    of call: PhoneCall, _ tracker: Bytes16?, by state: RowState, in context: inout RequestContext
  ) throws -> Draft<Void> {
    let log = try context.phoneCalls(of: tracker)
    guard !log.contains(call) else { return .nothing }
    var draft = Draft.nothing
    // A message that arrives while a call is open is part of it, also after that call has ended.
    if try StatementReader(context: context.read).statements(state).openCalls.isEmpty {
      var composer = Composer(state, origin: nil)
      composer.claim(.claim(.needsHelp, note: call.note))
      draft = Draft(composer, lane: .urgent)
    } else if !call.isWithinRate {
      return .nothing
    }
    draft.local = log.adding(call)
    return draft
  }

  /// Writes the claim of a login at this command post, which is bound to a user: signed by this
  /// device, and shown as the user's. Command only.
  public static func relayClaim(
    _ claim: SafetyClaim, note: String, login: String, of user: UserID
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      if let fault = TextRule.line.fault(in: login) { throw Refusal("the login's name \(fault)") }
      let state = try context.person(user)
      guard state.key.kind == .user else {
        // A tracker's carrier has no device that could contradict: command reports for them.
        return try draft(of: claim, note: note, forTracker: user, in: &context)
      }
      var composer = Composer(state, origin: nil)
      composer.claim(
        .relayedClaim(
          claim, note: note, login: login, seen: PersonEvidenceReader.claimsSeen(in: state)))
      return Draft(composer, lane: .urgent)
    }
  }

  // MARK: Overrides

  /// Overrides the claims that command has seen of a person, until the person's next claim; command
  /// only. "Safe" is an accounting: it names the claims, open orders and positions that this device
  /// holds.
  ///
  /// - Parameter away: devices of the person that are not with them.
  public static func overrideSafety(
    of user: UserID, _ claim: SafetyClaim, note: String, away: [DeviceID] = []
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let state = try context.person(user)
      let value =
        switch claim {
        case .needsHelp:
          Value.overruling(claim, note: note, seen: PersonEvidenceReader.claimsSeen(in: state))
        case .safe:
          Value.accounting(
            try PersonEvidenceReader(context.statuses())
              .accounting(for: user, state, note: note, away: away))
        }
      if claim == .needsHelp, !away.isEmpty {
        throw Refusal("--away requires the claim safe: use safe, or omit it")
      }
      var composer = Composer(state, origin: nil)
      composer.set(PersonFields(state.key.kind).override, to: value)
      return Draft(composer, lane: .urgent)
    }
  }

  /// Withdraws command's override, so that the person's own claim counts again; command only.
  public static func withdrawOverride(of user: UserID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let state = try context.person(user)
      var composer = Composer(state, origin: nil)
      composer.takeAway(PersonFields(state.key.kind).override)
      return Draft(composer, lane: .urgent)
    }
  }

  // MARK: Signing off

  /// Signs a person off: by themselves, by their tracker's owner, or by command. It settles the
  /// open orders that it names. It revokes nothing, and later reports of the person count.
  ///
  /// - Parameters:
  ///   - user: nil for this device's own.
  ///   - isConfirmed: confirms it in spite of a help claim, or an open order for them.
  public static func signOff(
    _ user: UserID?, reason: String, isConfirmed: Bool
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      let user = user ?? context.user
      let state = try personToSign(user, in: &context)
      guard reason.contains(where: { !$0.isWhitespace }) else {
        throw Refusal("give a reason: --reason \"shift is over\"")
      }
      let name = try context.read.callsign(of: user)
      let evidence = PersonEvidenceReader(try context.statuses())
      if !isConfirmed, let obstacle = try evidence.obstacle(to: user, state) {
        throw Refusal("\(name) \(obstacle) first, or confirm with --yes and a reason")
      }
      var composer = Composer(state, origin: nil)
      composer.set(
        PersonFields(state.key.kind).signOff,
        to: .signOff(reason: reason, seen: try evidence.openOrders(for: user)))
      return Draft(composer, lane: .urgent)
    }
  }

  /// Signs a person on again. Of concurrent values this one wins over a sign-off.
  ///
  /// - Parameter user: nil for this device's own.
  public static func signOn(_ user: UserID?, reason: String) -> WriteRequest<Void> {
    WriteRequest { context in
      let user = user ?? context.user
      let state = try personToSign(user, in: &context)
      let field = PersonFields(state.key.kind).signOff
      guard case .signOff? = state.shown(field)?.value else {
        throw Refusal(
          "\(try context.read.callsign(of: user)) has not signed off: nothing is to be done", .unfit
        )
      }
      var composer = Composer(state, origin: nil)
      composer.set(field, to: .signOn(reason: reason))
      return Draft(composer, lane: .urgent)
    }
  }

  private static func personToSign(
    _ user: UserID, in context: inout RequestContext
  ) throws -> RowState {
    let state = try context.person(user)
    if user == context.user {
      try context.require(.command, .member, .observer)
    } else {
      try requireOwnerOrCommand(of: state, in: context)
    }
    return state
  }

  private static func requireOwnerOrCommand(
    of state: RowState, in context: RequestContext
  ) throws {
    guard state.key.kind == .tracker, state.owner == context.user else {
      return try context.require(.command)
    }
    try context.require(.command, .member)
  }
}
