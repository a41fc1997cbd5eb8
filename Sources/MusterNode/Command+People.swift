internal import MusterModel
internal import MusterReplica

extension Command {
  /// The row write of a command about people or permits; nil for any other command.
  var peopleWrite: RowWrite? {
    switch self {
    case .claimSafety(let claim, let note):
      { (.done, try $0.write(PersonRequests.claim(claim, note: note), now: $1)) }
    case .claimSafetyOf(let tracker, let claim, let note):
      { replica, now in
        let user = try replica.statuses(now: now).user(named: tracker)
        return (
          .done,
          try replica.write(PersonRequests.claim(claim, note: note, forTracker: user), now: now)
        )
      }
    case .relayClaim(let claim, let note, let login, let user):
      { replica, now in
        let user = try replica.statuses(now: now).user(named: user)
        let outcome = try replica.write(
          PersonRequests.relayClaim(claim, note: note, login: login, of: user), now: now)
        return (.done, outcome)
      }
    case .signOff(let user, let reason, let isConfirmed):
      { replica, now in
        let user = try user.map { try replica.statuses(now: now).user(named: $0) }
        let outcome = try replica.write(
          PersonRequests.signOff(user, reason: reason, isConfirmed: isConfirmed), now: now)
        return (.done, outcome)
      }
    case .signOn(let user, let reason):
      { replica, now in
        let user = try user.map { try replica.statuses(now: now).user(named: $0) }
        return (.done, try replica.write(PersonRequests.signOn(user, reason: reason), now: now))
      }
    case .addPermit(let order):
      { replica, now in
        let draft = PermitDraft(
          people: try order.people.map { try replica.statuses(now: now).user(named: $0) },
          team: order.team, zone: try replica.queries.hazardZone(named: order.zone),
          durationSeconds: order.durationSeconds)
        let (id, outcome) = try replica.write(PermitRequests.issue(draft), now: now)
        return (.created(id), outcome)
      }
    case .revokePermit(let reference):
      { replica, now in
        let id = try replica.queries.row(.permit, named: reference)
        return (.done, try replica.write(PermitRequests.revoke(id), now: now))
      }
    default: nil
    }
  }
}
