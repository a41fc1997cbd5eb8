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
    let zone = try context.existing(.fence, draft.zone)
    guard zone.fenceKind == .hazard else {
      throw Refusal(
        "\(zone.text(.fenceName) ?? draft.zone.short) is a \(zone.fenceKind.name) zone: "
          + "a permit requires a hazard zone", .unfit)
    }
    guard (1...Limits.spanSeconds).contains(draft.durationSeconds) else {
      throw Refusal("a permit lasts from one second to a week: give another duration")
    }
    let people = try draft.permitted(among: draft.team.isEmpty ? [] : users(now: now))
    var composer = own.compose(.permit, now: now)
    composer.create(draft, for: people)
    return (composer.row, try write(composer.writes, lane: .urgent, now: now))
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
}

extension PermitDraft {
  /// Returns the people of a permit: the named ones, and those who are in the team now. Members set
  /// their own team, so later members of it have no permit.
  fileprivate func permitted(among users: [UserSummary]) throws(Refusal) -> Set<UserID> {
    guard !people.isEmpty || !team.isEmpty else {
      throw Refusal("a permit needs people: name people or a team")
    }
    let inTeam = team.isEmpty ? [] : users.filter { $0.team == team }
    guard !people.isEmpty || !inTeam.isEmpty else {
      throw Refusal("no one is in the team \(team): see muster user list", .unknown)
    }
    let all = Set(people).union(inTeam.map(\.id))
    guard all.count <= Limits.namesPerGroup else {
      throw Refusal("a permit is for at most \(Limits.namesPerGroup) people: issue several")
    }
    return all
  }
}
