internal import Dispatch
internal import MusterModel
internal import MusterReplica

/// Commands that change rows, one by one or several at once: those that came while the one before
/// was being committed share one transaction, and their writes share frames and signatures.
///
///     command ─▶ gathered ─▶ turn: alone ─▶ carried out as it is
///     command ─▶ gathered ─┘        several ─▶ all in one, or, if any fails, each by itself
///
/// Nobody waits for a command that has not come: a turn follows what stands in the queue already.
extension Node {
  /// What a command writes, which waits for its turn, and whoever waits for its reply.
  struct Gathered {
    let write: Command.RowWrite
    let answer: CheckedContinuation<Reply, Never>
  }

  /// As many as share a transaction.
  private static let gatheredAtOnce = 256

  /// On return what the command changed is durable, or it has changed nothing.
  func gather(_ write: @escaping Command.RowWrite) async -> Reply {
    await withCheckedContinuation { answer in
      gathered.append(Gathered(write: write, answer: answer))
      if gathered.count == 1 { takeTurn() }
    }
  }

  /// Behind everything that stands in the queue by now, other commands among it.
  private func takeTurn() {
    executor.queue.async { self.assumeIsolated { $0.performGathered() } }
  }

  private func performGathered() {
    let turn = Array(gathered.prefix(Self.gatheredAtOnce))
    gathered.removeFirst(turn.count)
    if !gathered.isEmpty { takeTurn() }
    let replies = turn.count == 1 ? nil : together(turn.map(\.write))
    for (index, gathered) in turn.enumerated() {
      gathered.answer.resume(returning: replies?[index] ?? alone(gathered.write))
    }
  }

  /// Nil when one of them fails, for whatever reason: then nothing has changed.
  private func together(_ writes: [Command.RowWrite]) -> [Reply]? {
    var replies: [Reply] = []
    do {
      try attempt { replica, now in
        try replica.gather(now: now) { replica in
          for write in writes { replies.append(try write(&replica, now).reply) }
        }
      }
      return replies
    } catch {
      return nil
    }
  }

  private func alone(_ write: Command.RowWrite) -> Reply {
    var reply = Reply.done
    do {
      try attempt { replica, now in
        let written = try write(&replica, now)
        reply = written.reply
        return written.outcome
      }
      return reply
    } catch {
      return .refused(error)
    }
  }
}

extension Command {
  typealias RowWrite =
    (inout Replica, ClockReading) throws -> (reply: Reply, outcome: Replica.Outcome)

  /// Whether it goes on with this device's logs.
  var appends: Bool {
    switch self {
    case .setPosition, .admit, .revoke, .rotateEpoch, .release: true
    default: rowWrite != nil
    }
  }

  /// How it writes rows, where it does that and nothing else: such commands may share a
  /// transaction. Nil for every other.
  var rowWrite: RowWrite? {
    switch self {
    case .claimSafety, .claimSafetyOf, .relayClaim, .signOff, .signOn, .addPermit, .revokePermit:
      peopleWrite
    case .overrideSafety, .setTeam, .direct, .addAssemblyZone, .closeDirective, .acknowledge,
      .withdrawAcknowledgement, .setProfile, .setSilence:
      commandWrite
    case .addReport(let draft):
      { replica, now in
        let (id, outcome) = try replica.addReport(draft, now: now)
        return (.created(id), outcome)
      }
    case .editReport(let reference, let changes):
      Self.changing(.report, reference) { try $0.editReport($1, changes, now: $2) }
    case .deleteReport(let reference):
      Self.changing(.report, reference) { try $0.deleteReport($1, now: $2) }
    case .confirmReport(let reference):
      Self.changing(.report, reference) { try $0.confirmReport($1, now: $2) }
    case .commentReport(let reference, let text):
      Self.changing(.report, reference) { try $0.commentReport($1, text: text, now: $2) }
    case .addFence(let draft):
      { replica, now in
        let (id, outcome) = try replica.addFence(draft, now: now)
        return (.created(id), outcome)
      }
    case .editFence(let reference, let changes):
      Self.changing(.fence, reference) { try $0.editFence($1, changes, now: $2) }
    case .setFenceActive(let reference, let isActive):
      Self.changing(.fence, reference) { try $0.setFenceActive($1, isActive, now: $2) }
    case .deleteFence(let reference):
      Self.changing(.fence, reference) { try $0.deleteFence($1, now: $2) }
    case .status, .verify, .users, .setPosition, .track, .devices, .mesh, .reports, .report,
      .fences, .fence, .directives, .directive, .permits, .alerts, .acknowledgeAlert, .changes,
      .settings,
      .events, .invite, .admit, .revoke, .rotateEpoch, .quarantine, .release, .bundlePiece,
      .mergeBundle:
      nil
    }
  }

  private static func changing(
    _ kind: EntityKind, _ reference: String,
    _ change: @escaping (inout Replica, RowID, ClockReading) throws -> Replica.Outcome
  ) -> RowWrite {
    { replica, now in
      let id = try replica.row(kind, named: reference)
      return (.done, try change(&replica, id, now))
    }
  }
}
