internal import MusterModel
internal import MusterReplica

extension Command {
  typealias AlertChanging = (inout Replica, ClockReading) throws -> Replica.Outcome

  /// The change of an alert at this node; nil for any other command.
  var alertChange: AlertChanging? {
    switch self {
    case .acknowledgeAlert(let reference, let name, let user, let isByProgram):
      { replica, now in
        let user = try user.map { try replica.statuses(now: now).user(named: $0) }
        return try replica.acknowledgeAlert(
          reference, by: name, for: user, isByProgram: isByProgram, now: now)
      }
    case .shelveAlert(let reference, let order):
      { try $0.shelveAlert(reference, order, now: $1) }
    case .clearDuress(let person):
      { replica, now in
        let user = try replica.statuses(now: now).user(named: person)
        return try replica.clearDuress(of: user, now: now)
      }
    default: nil
    }
  }

  /// The row write of an answer to a call for help; nil for any other command.
  var callWrite: RowWrite? {
    guard case .answerCall(let reference, let text, let name, let user, let isByProgram) = self
    else { return nil }
    return { replica, now in
      let user = try user.map { try replica.statuses(now: now).user(named: $0) }
      let outcome = try replica.acknowledgeAlert(
        reference, by: name, for: user, isByProgram: isByProgram, answer: text, now: now)
      return (.done, outcome)
    }
  }
}
