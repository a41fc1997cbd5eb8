internal import MusterModel
internal import MusterReplica

/// How the commands that direct people write rows.
extension Command {
  var commandWrite: RowWrite? {
    switch self {
    case .overrideSafety(let user, let claim, let note):
      { replica, now in
        let user = try replica.user(named: user, now: now)
        guard let claim else { return (.done, try replica.withdrawOverride(of: user, now: now)) }
        return (.done, try replica.overrideSafety(of: user, claim, note: note, now: now))
      }
    case .setTeam(let team, let user):
      { replica, now in
        let user = try user.map { try replica.user(named: $0, now: now) }
        return (.done, try replica.setTeam(team, of: user, now: now))
      }
    case .direct(let order):
      { replica, now in
        let (id, outcome) = try replica.direct(try order.draft(&replica, now: now), now: now)
        return (.created(id), outcome)
      }
    case .closeDirective(let reference):
      { replica, now in
        let id = try replica.row(.directive, named: reference)
        return (.done, try replica.closeDirective(id, now: now))
      }
    case .acknowledge(let reference, let note, let user):
      { replica, now in
        let id = try replica.row(.directive, named: reference)
        let user = try user.map { try replica.user(named: $0, now: now) }
        return (.done, try replica.acknowledge(id, note: note, for: user, now: now))
      }
    case .setProfile(let profile, let user, let isForeground):
      { replica, now in
        let user = try user.map { try replica.user(named: $0, now: now) }
        let outcome = try replica.setLocationProfile(
          profile, of: user, inForeground: isForeground, now: now)
        return (.done, outcome)
      }
    case .setSilence(let seconds, let user):
      { replica, now in
        let user = try user.map { try replica.user(named: $0, now: now) }
        return (.done, try replica.setSilence(seconds: seconds, of: user, now: now))
      }
    default: nil
    }
  }
}

extension DirectiveOrder {
  fileprivate func draft(
    _ replica: inout Replica, now: ClockReading
  ) throws -> DirectiveDraft {
    var draft = DirectiveDraft(kind: kind, text: text)
    draft.fence = try fence.map { try replica.row(.fence, named: $0) }
    if let deadlineSeconds {
      let (milliseconds, overflow) = deadlineSeconds.multipliedReportingOverflow(by: 1000)
      let (moment, isLate) = now.wall.milliseconds.addingReportingOverflow(milliseconds)
      guard !overflow, !isLate, milliseconds > 0 else {
        throw NodeError.refused("the deadline is out of range")
      }
      draft.deadline = Timestamp(milliseconds: moment)
    }
    if !users.isEmpty {
      draft.addressees = .users(try users.map { try replica.user(named: $0, now: now) })
    } else if let team {
      draft.addressees = .team(team)
    } else if let role {
      draft.addressees = .role(role)
    }
    return draft
  }
}
