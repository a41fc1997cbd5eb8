internal import MusterModel
internal import MusterReplica

extension Command {
  /// The reply to a command about the past (decision 0058).
  func historyReply(by replica: inout Replica, now: ClockReading) throws -> Reply {
    switch self {
    case .history(let instant, let view):
      return .history(try replica.history(at: instant, view: view, now: now))
    case .timeline(let from, let to, let cursor, let limit, let hidesDuress):
      guard from <= to else { throw NodeError.refused("the range ends before it begins") }
      return .timeline(
        try replica.historyEvents(
          in: from...to, after: cursor, limit: limit, hidesDuress: hidesDuress, now: now))
    default: preconditionFailure("no command about the past")
    }
  }
}
