internal import MusterCRDT
public import MusterModel

/// Requests about permits to be in a hazard zone for a limited time. A person inside with a permit
/// is still shown there, as a warning instead of a danger.
public enum PermitRequests {
  /// Issues a permit, in the urgent lane; command only.
  public static func issue(_ draft: PermitDraft) -> WriteRequest<RowID> {
    WriteRequest { context in
      try context.require(.command)
      let zone = try context.read.existing(.fence, draft.zone)
      guard zone.fenceKind == .hazard else {
        throw Refusal(
          "\(zone.text(.fenceName) ?? draft.zone.short) is a \(zone.fenceKind.name) zone: "
            + "a permit requires a hazard zone", .unfit)
      }
      guard (1...Limits.spanSeconds).contains(draft.durationSeconds) else {
        throw Refusal("a permit lasts from one second to a week: give another duration")
      }
      let people = try people(of: draft, in: &context)
      var composer = context.compose(.permit)
      composer.create(draft, for: people)
      return Draft(creating: composer, lane: .urgent)
    }
  }

  /// Returns the people of a permit: the named ones, and those who are in the team now. Members set
  /// their own team, so later members of it have no permit.
  private static func people(
    of draft: PermitDraft, in context: inout RequestContext
  ) throws -> Set<UserID> {
    guard !draft.people.isEmpty || !draft.team.isEmpty else {
      throw Refusal("a permit needs people: name people or a team")
    }
    let inTeam =
      draft.team.isEmpty ? [] : try context.statuses().users().filter { $0.team == draft.team }
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
  public static func revoke(_ id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let state = try context.settled(.permit, id)
      guard !state.isSet(.permitRevoked) else { return .nothing }
      var composer = Composer(state, origin: nil)
      composer.setFlag(.permitRevoked, to: true)
      return Draft(composer, lane: .urgent)
    }
  }
}
