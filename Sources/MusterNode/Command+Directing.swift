internal import MusterModel
internal import MusterReplica

/// The row writes of the commands that direct people.
extension Command {
  var commandWrite: RowWrite? {
    switch self {
    case .overrideSafety(let user, let claim, let note, let away):
      { replica, now in
        let user = try replica.statuses(now: now).user(named: user)
        guard let claim else {
          return (.done, try replica.write(PersonRequests.withdrawOverride(of: user), now: now))
        }
        let away = try away.map { try replica.queries.device(named: $0) }
        let outcome = try replica.write(
          PersonRequests.overrideSafety(of: user, claim, note: note, away: away), now: now)
        return (.done, outcome)
      }
    case .setTeam(let team, let user):
      { replica, now in
        let user = try user.map { try replica.statuses(now: now).user(named: $0) }
        return (.done, try replica.write(PersonRequests.setTeam(team, of: user), now: now))
      }
    case .direct(let order):
      { replica, now in
        let (id, outcome) = try replica.write(
          OrderRequests.issue(try order.draft(&replica, now: now)), now: now)
        return (.created(id), outcome)
      }
    case .addAssemblyZone(let draft, let order):
      { replica, now in
        let (made, outcome) = try replica.write(
          OrderRequests.issue(try order.draft(&replica, now: now), to: draft), now: now)
        return (.ordered(zone: made.fence, directive: made.directive), outcome)
      }
    case .closeDirective(let reference):
      { replica, now in
        let id = try replica.queries.row(.directive, named: reference)
        return (.done, try replica.write(OrderRequests.close(id), now: now))
      }
    case .acknowledge(let reference, let note, let user):
      { replica, now in
        let user = try user.map { try replica.statuses(now: now).user(named: $0) }
        let (id, kind) = try replica.directive(
          named: reference, by: user, answered: false, now: now)
        let outcome = try replica.write(
          OrderRequests.acknowledge(id, note: note, for: user), now: now)
        return (.answered(id, kind), outcome)
      }
    case .withdrawAcknowledgement(let reference, let user):
      { replica, now in
        let user = try user.map { try replica.statuses(now: now).user(named: $0) }
        let (id, kind) = try replica.directive(
          named: reference, by: user, answered: true, now: now)
        let outcome = try replica.write(
          OrderRequests.withdrawAcknowledgement(id, of: user), now: now)
        return (.answered(id, kind), outcome)
      }
    case .setProfile(let profile, let user, let isForeground):
      { replica, now in
        let user = try user.map { try replica.statuses(now: now).user(named: $0) }
        let outcome = try replica.write(
          SettingRequests.setLocationProfile(profile, of: user, inForeground: isForeground),
          now: now)
        return (.done, outcome)
      }
    case .setSilence(let seconds, let user):
      { replica, now in
        let user = try user.map { try replica.statuses(now: now).user(named: $0) }
        return (
          .done, try replica.write(SettingRequests.setSilence(seconds: seconds, of: user), now: now)
        )
      }
    default: nil
    }
  }
}

extension RowWriter {
  /// Returns the directive that the user names or, without a name, the only one that applies.
  fileprivate mutating func directive(
    named reference: String?, by user: UserID?, answered: Bool, now: ClockReading
  ) throws -> (id: RowID, kind: DirectiveKind) {
    let id =
      try reference.map { try queries.row(.directive, named: $0) }
      ?? statuses(now: now).directive(waitingFor: user, answered: answered)
    return (id, try queries.kind(ofDirective: id))
  }
}

extension DirectiveOrder {
  fileprivate func draft(
    _ replica: inout RowWriter, now: ClockReading
  ) throws -> DirectiveDraft {
    var draft = DirectiveDraft(kind: kind, text: text)
    draft.zones = try zones.map { try replica.queries.zone(named: $0) }
    // A value out of range becomes 0 here, and is rejected on write.
    draft.durationSeconds = deadlineSeconds.map { UInt32(exactly: $0) ?? 0 }
    if !users.isEmpty {
      draft.addressees = .users(try users.map { try replica.statuses(now: now).user(named: $0) })
    } else if let team {
      draft.addressees = .team(team)
    } else if let role {
      draft.addressees = .role(role)
    }
    return draft
  }
}
