public import MusterModel
internal import MusterReplica

/// Calls for help whose callers are not proven (decision 0099).
extension Node {
  /// Writes a call for help whose caller is not proven. On return it is durable; an error means
  /// that nothing was stored, so that the caller's program keeps the message.
  public func raiseUnverifiedCall(_ call: UnverifiedCall) async throws {
    let reply = await perform(.raiseUnverifiedCall(call))
    if case .refused(let reason, _) = reply { throw NodeError.refused(reason) }
  }
}

extension Command {
  /// The row write of a command about unverified calls; nil for any other command.
  var unverifiedCallWrite: RowWrite? {
    switch self {
    case .raiseUnverifiedCall(let call):
      { replica, now in
        let (id, outcome) = try replica.write(UnverifiedCallRequests.raise(call), now: now)
        return (.created(id), outcome)
      }
    case .confirmUnverifiedCall(let reference, let user):
      { replica, now in
        let id = try replica.queries.row(.unverifiedCall, named: reference)
        let user = try replica.statuses(now: now).user(named: user)
        let outcome = try replica.write(UnverifiedCallRequests.confirm(id, as: user), now: now)
        return (.done, outcome)
      }
    case .closeUnverifiedCall(let reference, let reason):
      { replica, now in
        let id = try replica.queries.row(.unverifiedCall, named: reference)
        let outcome = try replica.write(
          UnverifiedCallRequests.close(id, reason: reason), now: now)
        return (.done, outcome)
      }
    default: nil
    }
  }
}
