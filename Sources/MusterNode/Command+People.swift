internal import MusterModel
internal import MusterReplica

extension Command {
  /// The row write of a command about people or permits; nil for any other command.
  var peopleWrite: RowWrite? {
    switch self {
    case .claimSafety(let claim, let note):
      { (.done, try $0.claimSafety(claim, note: note, now: $1)) }
    case .claimSafetyOf(let tracker, let claim, let note):
      { replica, now in
        let user = try replica.user(named: tracker, now: now)
        return (.done, try replica.claimSafety(claim, note: note, forTracker: user, now: now))
      }
    case .relayClaim(let claim, let note, let login, let user):
      { replica, now in
        let user = try replica.user(named: user, now: now)
        let outcome = try replica.relayClaim(claim, note: note, login: login, of: user, now: now)
        return (.done, outcome)
      }
    case .signOff(let user, let reason, let isConfirmed):
      { replica, now in
        let user = try user.map { try replica.user(named: $0, now: now) }
        let outcome = try replica.signOff(
          user, reason: reason, isConfirmed: isConfirmed, now: now)
        return (.done, outcome)
      }
    case .signOn(let user, let reason):
      { replica, now in
        let user = try user.map { try replica.user(named: $0, now: now) }
        return (.done, try replica.signOn(user, reason: reason, now: now))
      }
    case .addPermit(let order):
      { replica, now in
        let draft = PermitDraft(
          people: try order.people.map { try replica.user(named: $0, now: now) },
          team: order.team, zone: try replica.hazardZone(named: order.zone),
          durationSeconds: order.durationSeconds)
        let (id, outcome) = try replica.addPermit(draft, now: now)
        return (.created(id), outcome)
      }
    case .revokePermit(let reference):
      { replica, now in
        let id = try replica.row(.permit, named: reference)
        return (.done, try replica.revokePermit(id, now: now))
      }
    default: nil
    }
  }
}
