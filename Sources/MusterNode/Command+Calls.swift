internal import MusterModel
internal import MusterReplica

extension Command {
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
