internal import MusterModel
internal import MusterReplica

extension Command {
  /// Answers a program that carries data away: to a memory stick, or to an archive.
  func carryingReply(by replica: inout Replica) throws -> Reply {
    switch self {
    case .logStates: return .logStates(try replica.queries.logStates())
    case .bundlePiece(let place, let selection):
      return .bundlePiece(try replica.bundlePiece(at: place.bytes, only: selection))
    default: preconditionFailure("\(self) carries nothing")
    }
  }
}
