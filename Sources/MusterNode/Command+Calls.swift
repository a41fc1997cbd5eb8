internal import MusterModel
internal import MusterReplica

extension Command {
  /// The row write of an answer to a call for help; nil for any other command.
  var callWrite: RowWrite? {
    guard case .answerCall(let reference, let text, let name, let user, let isByProgram) = self
    else { return nil }
    return { replica, now in
      let user = try user.map { try replica.statuses(now: now).user(named: $0) }
      let (message, outcome) = try replica.answerCall(
        reference, text, by: name, for: user, isByProgram: isByProgram, now: now)
      return (.created(message), outcome)
    }
  }
}
