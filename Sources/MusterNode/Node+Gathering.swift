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
  /// A command that waits for its turn, and whoever waits for its reply.
  struct Gathered {
    let command: Command
    let answer: CheckedContinuation<Reply, Never>
  }

  /// As many as share a transaction.
  private static let gatheredAtOnce = 256

  /// On return what the command changed is durable, or it has changed nothing.
  func gather(_ command: Command) async -> Reply {
    await withCheckedContinuation { answer in
      gathered.append(Gathered(command: command, answer: answer))
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
    let replies = turn.count == 1 ? nil : together(turn.map(\.command))
    for (index, gathered) in turn.enumerated() {
      gathered.answer.resume(returning: replies?[index] ?? alone(gathered.command))
    }
  }

  /// Nil when one of them fails, for whatever reason: then nothing has changed.
  private func together(_ commands: [Command]) -> [Reply]? {
    var replies: [Reply] = []
    do {
      try attempt { replica, now in
        try replica.gather(now: now) { replica in
          for command in commands {
            replies.append(try command.write(to: &replica, now: now).reply)
          }
        }
      }
      return replies
    } catch {
      return nil
    }
  }

  private func alone(_ command: Command) -> Reply {
    var reply = Reply.done
    do {
      try attempt { replica, now in
        let written = try command.write(to: &replica, now: now)
        reply = written.reply
        return written.outcome
      }
      return reply
    } catch {
      return .refused("\(error)")
    }
  }
}

extension Command {
  /// Whether it writes rows and does nothing else: such commands may share a transaction.
  var isGathered: Bool {
    switch self {
    case .claimSafety, .addReport, .editReport, .deleteReport, .confirmReport, .commentReport,
      .addFence, .setFenceActive, .deleteFence:
      true
    case .status, .verify, .users, .setPosition, .devices, .reports, .report, .fences, .fence,
      .events, .invite, .admit, .revoke, .rotateEpoch:
      false
    }
  }

  /// Carries out a command that writes rows; MUST not be asked of any other.
  fileprivate func write(
    to replica: inout Replica, now: ClockReading
  ) throws -> (reply: Reply, outcome: Replica.Outcome) {
    switch self {
    case .claimSafety(let claim, let note):
      return (.done, try replica.claimSafety(claim, note: note, now: now))
    case .addReport(let draft):
      let (id, outcome) = try replica.addReport(draft, now: now)
      return (.created(id), outcome)
    case .editReport(let reference, let changes):
      let id = try replica.row(.report, named: reference)
      return (.done, try replica.editReport(id, changes, now: now))
    case .deleteReport(let reference):
      let id = try replica.row(.report, named: reference)
      return (.done, try replica.deleteReport(id, now: now))
    case .confirmReport(let reference):
      let id = try replica.row(.report, named: reference)
      return (.done, try replica.confirmReport(id, now: now))
    case .commentReport(let reference, let text):
      let id = try replica.row(.report, named: reference)
      return (.done, try replica.commentReport(id, text: text, now: now))
    case .addFence(let draft):
      let (id, outcome) = try replica.addFence(draft, now: now)
      return (.created(id), outcome)
    case .setFenceActive(let reference, let isActive):
      let id = try replica.row(.fence, named: reference)
      return (.done, try replica.setFenceActive(id, isActive, now: now))
    case .deleteFence(let reference):
      let id = try replica.row(.fence, named: reference)
      return (.done, try replica.deleteFence(id, now: now))
    case .status, .verify, .users, .setPosition, .devices, .reports, .report, .fences, .fence,
      .events, .invite, .admit, .revoke, .rotateEpoch:
      preconditionFailure("\(self) writes no rows")
    }
  }
}
