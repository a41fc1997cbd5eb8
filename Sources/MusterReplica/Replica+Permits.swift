internal import MusterCRDT
public import MusterModel
internal import MusterStore

/// Permission to be in a hazard zone for a limited time. A person inside with a permit is still
/// shown there, as a warning instead of a danger.
extension Replica {
  /// Issues a permit, in the urgent lane; command only.
  public mutating func addPermit(
    _ draft: PermitDraft, now: ClockReading
  ) throws -> (id: RowID, outcome: Outcome) {
    try require(.command)
    let zone = try existing(.fence, draft.zone)
    guard zone.fenceKind == .hazard else {
      throw Refusal(
        "\(zone.text(.fenceName) ?? draft.zone.short) is a \(zone.fenceKind.name) zone: "
          + "a permit requires a hazard zone", .unfit)
    }
    guard (1...Limits.spanSeconds).contains(draft.durationSeconds) else {
      throw Refusal("a permit lasts from one second to a week: give another duration")
    }
    let people = try permitted(draft, now: now)
    let origin = newOrigin(now: now)
    let id = RowID(operation: local.operation, origin: origin)
    var composer = Composer(RowState(key: RowKey(kind: .permit, id: id)), origin: origin)
    composer.assertExistence()
    for person in people.sorted() {
      composer.insert(.permitUsers, .reference(RowID(raw: person.raw)))
    }
    if !draft.team.isEmpty { composer.set(.permitTeam, to: .text(draft.team)) }
    composer.set(.permitZone, to: .reference(draft.zone))
    composer.set(.permitDurationSeconds, to: .number(draft.durationSeconds))
    return (id, try write(composer.writes, lane: .urgent, now: now))
  }

  /// Returns the people of a permit: the named ones, and those who are in the team now. Members set
  /// their own team, so later members of it have no permit.
  private mutating func permitted(
    _ draft: PermitDraft, now: ClockReading
  ) throws -> Set<UserID> {
    guard !draft.people.isEmpty || !draft.team.isEmpty else {
      throw Refusal("a permit needs people: name people or a team")
    }
    let inTeam = draft.team.isEmpty ? [] : try users(now: now).filter { $0.team == draft.team }
    guard !draft.people.isEmpty || !inTeam.isEmpty else {
      throw Refusal("no one is in the team \(draft.team): see muster user list", .unknown)
    }
    let people = Set(draft.people).union(inTeam.map(\.id))
    guard people.count <= Limits.namesPerGroup else {
      throw Refusal("a permit is for at most \(Limits.namesPerGroup) people: issue several")
    }
    return people
  }

  /// Revokes a permit permanently; command only. A permit that is needed again is issued again.
  public mutating func revokePermit(_ id: RowID, now: ClockReading) throws -> Outcome {
    try require(.command)
    let state = try settled(.permit, id, now: now)
    guard !state.isSet(.permitRevoked) else { return Outcome() }
    var composer = Composer(state, origin: nil)
    composer.setFlag(.permitRevoked, to: true)
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Returns the zone with a unique name, or with an id.
  public func hazardZone(named reference: String) throws -> RowID {
    let named = try store.rows(.fence).filter {
      $0.exists && $0.text(.fenceName) == reference
    }
    if named.count == 1 { return named[0].key.id }
    guard named.isEmpty else {
      let ids = named.map(\.key.id.short).sorted().joined(separator: ", ")
      throw Refusal(
        "\(named.count) zones are called \(reference): name one by its id, \(ids)", .unknown)
    }
    do {
      return try row(.fence, named: reference)
    } catch is Refusal {
      throw Refusal("no zone is called \(reference): see muster fence list", .unknown)
    }
  }

  /// Returns all permits: those not revoked first, then the newest.
  public func permits() throws -> [PermitSummary] {
    var permits: [PermitSummary] = []
    for row in try store.rows(.permit) where row.exists { permits.append(try summary(of: row)) }
    return permits.sorted { left, right in
      if left.isRevoked != right.isRevoked { return right.isRevoked }
      return left.issuedAt != right.issuedAt
        ? left.issuedAt > right.issuedAt : left.id < right.id
    }
  }

  private func summary(of row: RowState) throws(StoreError) -> PermitSummary {
    var people: [String] = []
    for case .reference(let id) in row.values(of: .permitUsers).map(\.value) {
      people.append(try callsign(of: UserID(raw: id.raw)))
    }
    var zone = RowID(raw: .zero)
    if case .reference(let id)? = row.shown(.permitZone)?.value { zone = id }
    let fence = try store.row(RowKey(kind: .fence, id: zone))
    return PermitSummary(
      id: row.key.id, people: people.sorted(), team: row.text(.permitTeam) ?? "", zone: zone,
      zoneName: fence?.text(.fenceName) ?? "", durationSeconds: row.permitDurationSeconds ?? 0,
      isRevoked: row.isSet(.permitRevoked),
      callsign: try callsign(of: row.owner ?? UserID(raw: .zero)),
      issuedAt: row.createdAt ?? Timestamp(milliseconds: 0))
  }
}
