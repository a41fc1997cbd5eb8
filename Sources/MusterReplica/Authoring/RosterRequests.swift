internal import MusterCRDT
public import MusterModel
internal import MusterSync

/// Requests about the people that command expects; command only.
public enum RosterRequests {
  /// Adds people, or changes those of the same name. A team or a number that is not given stays.
  ///
  /// The id of a person follows from the name: two commanders who add the same file add the same
  /// people.
  public static func add(_ entries: [RosterEntry]) -> WriteRequest<RosterOutcome> {
    WriteRequest { context in
      try context.require(.command)
      var known: [String: RowState] = [:]
      for row in try context.settledRows(.user) {
        if let entry = RosterList.entry(of: row) { known[entry.name.lowercased()] = row }
      }
      let names = Set(entries.map { $0.name.lowercased() })
      guard names.union(known.keys).count <= Limits.rosterPeople else {
        throw Refusal("a roster has at most \(Limits.rosterPeople) people: remove some first")
      }
      var (outcome, rows) = (RosterOutcome(), [[Write]]())
      for entry in entries {
        if let fault = entry.fault { throw Refusal("\(entry.name): \(fault)") }
        let state = try known[entry.name.lowercased()] ?? context.settled(key(of: entry, context))
        let writes = writes(for: entry, in: state, context)
        guard !writes.isEmpty else { continue }
        rows.append(writes)
        if RosterList.entry(of: state) == nil { outcome.added += 1 } else { outcome.changed += 1 }
      }
      return Draft(answer: outcome, rows: rows, lane: .state)
    }
  }

  private static func key(of entry: RosterEntry, _ context: RequestContext) -> RowKey {
    let user = UserID(operation: context.operation, rosterName: entry.name)
    return RowKey(kind: .user, id: RowID(raw: user.raw))
  }

  private static func writes(
    for entry: RosterEntry, in state: RowState, _ context: RequestContext
  ) -> [Write] {
    var composer = Composer(state, origin: nil)
    let before = RosterList.entry(of: state)
    var contact = entry
    if contact.phone.isEmpty { contact.phone = before?.phone ?? "" }
    if contact.function.isEmpty { contact.function = before?.function ?? "" }
    // Two commanders who add the same file write the same values, which stay.
    func set(_ field: Field, to text: String) {
      if state.text(field) != text { composer.set(field, to: .text(text)) }
    }
    set(.userContact, to: contact.contact)
    // Those who arrived choose their own names and teams.
    if !RosterList(context: context.read).hasArrived(state) {
      if before == nil { set(.userCallsign, to: entry.name) }
      if !entry.team.isEmpty { set(.userTeam, to: entry.team) }
    }
    return composer.writes
  }

  /// States that a person arrived.
  ///
  /// - Parameter other: as one who takes part already; nil for a person without a device, who is
  ///   then listed.
  public static func arrive(_ reference: String, as other: UserID?) -> WriteRequest<Void> {
    WriteRequest { context in
      let (state, entry) = try person(named: reference, in: &context)
      guard !RosterList(context: context.read).hasArrived(state) else {
        throw Refusal("\(entry.name) has arrived: nothing is to be done", .unfit)
      }
      var composer = Composer(state, origin: nil)
      composer.setFlag(.userDeactivated, to: true)
      let arrival =
        try other.map { try writes(forArrivalOf: entry, as: $0, in: &context) }
        ?? listing(of: entry, in: &context)
      return Draft(rows: [composer.writes, arrival].filter { !$0.isEmpty }, lane: .state)
    }
  }

  /// Returns the writes that give one who takes part the team of the roster, if they have none.
  private static func writes(
    forArrivalOf entry: RosterEntry, as user: UserID, in context: inout RequestContext
  ) throws -> [Write] {
    guard let known = try context.statuses().users([user]).first, !known.isUnknown else {
      throw Refusal("\(user.short) is no person who takes part: see muster user list", .unknown)
    }
    let state = try context.person(user)
    var composer = Composer(state, origin: nil)
    if known.team.isEmpty, !entry.team.isEmpty {
      composer.set(known.isTracker ? .trackerTeam : .userTeam, to: .text(entry.team))
    }
    return composer.writes
  }

  /// Returns the writes that list a person without a device, under the name of the roster: as the
  /// carrier of a tracker of this device, which a phone of that name uses later.
  private static func listing(
    of entry: RosterEntry, in context: inout RequestContext
  ) throws -> [Write] {
    let tracker = OwnTracker(named: entry.name, of: context.read.local)
    let user = context.user
    let state = try context.settled(tracker.key)
    var composer: Composer
    if state.exists {
      composer = Composer(state, origin: nil)
    } else {
      let count = try context.settledRows(.tracker).count { $0.exists && $0.owner == user }
      guard count < Limits.trackersPerDevice else {
        throw Refusal(
          "this laptop lists \(Limits.trackersPerDevice) people without a laptop: state the "
            + "arrival on another one")
      }
      composer = Composer(state, origin: RowOrigin(owner: user, nonce: tracker.nonce))
      composer.assertExistence()
      composer.set(.trackerCallsign, to: .text(entry.name))
    }
    if !entry.team.isEmpty, state.text(.trackerTeam) == nil {
      composer.set(.trackerTeam, to: .text(entry.team))
    }
    return composer.writes
  }

  /// Withdraws that a person arrived.
  public static func expect(_ reference: String) -> WriteRequest<Void> {
    WriteRequest { context in
      let (state, entry) = try person(named: reference, in: &context)
      guard !context.read.control.hasCertified(UserID(raw: state.key.id.raw)) else {
        throw Refusal("\(entry.name) has a device, and stays in the operation", .unfit)
      }
      var composer = Composer(state, origin: nil)
      composer.setFlag(.userDeactivated, to: false)
      return Draft(composer, lane: .state)
    }
  }

  /// Removes a person from the roster. One with a device stays in the operation.
  public static func remove(_ reference: String) -> WriteRequest<Void> {
    WriteRequest { context in
      let (state, _) = try person(named: reference, in: &context)
      var composer = Composer(state, origin: nil)
      composer.takeAway(.userContact)
      if !context.read.control.hasCertified(UserID(raw: state.key.id.raw)) {
        for field in [Field.userCallsign, .userTeam, .userDeactivated] { composer.takeAway(field) }
      }
      return Draft(composer, lane: .state)
    }
  }

  private static func person(
    named reference: String, in context: inout RequestContext
  ) throws -> (RowState, RosterEntry) {
    try context.require(.command)
    guard let prefix = IdentifierPrefix(reference) else { throw Refusal.noID(reference) }
    let found = try context.settledRows(.user).compactMap { row in
      prefix.begins(row.key.id) ? RosterList.entry(of: row).map { (row, $0) } : nil
    }
    guard let only = found.first else {
      throw Refusal("no one on the roster is \(reference): see muster roster list", .unknown)
    }
    guard found.count == 1 else {
      throw Refusal("\(found.count) people on the roster match \(reference): give more digits")
    }
    return only
  }
}
