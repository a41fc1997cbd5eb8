import MusterModel
import MusterStore
import MusterSync
import Testing

@testable import MusterReplica

extension Valley {
  /// Gives a laptop the urgent frames of another that it has not received, and no other frames: on
  /// a narrow link those of other lanes come much later.
  mutating func carryUrgentFrames(of author: String, to reader: String) throws {
    let logs = try ask(author) { replica, _ in
      try replica.core.store.logs().filter {
        $0.opening.lane == .urgent
          && $0.opening.certificate == replica.core.local.certificate.hash
      }.map { log in
        (
          log: log.head.log, opening: log.opening,
          frames: try replica.core.store.frames(
            log: log.head.log, from: 0, maxBytes: .max, maxFrames: 1000)
        )
      }
    }
    #expect(!logs.isEmpty)
    for (log, opening, frames) in logs {
      try at(reader) { replica, now in
        let known = try replica.core.store.frames(
          log: log, from: 0, maxBytes: .max, maxFrames: 1000
        ).count
        return try replica.transact(now: now) {
          try $0.core.hold(Array(frames[known...]), opening: opening, now: now)
          try $0.core.commit(now: now)
          let strands = try $0.core.store.strands(of: log)
          try $0.core.run(.attached(log, $0.device, .held(strands)), now: now)
        }
      }
    }
  }
}
