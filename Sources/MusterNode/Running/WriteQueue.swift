internal import MusterModel
internal import MusterReplica

/// Commands that write and must wait: for the peers' answers after a start, or for their turn in a
/// transaction that several share. Each is resumed exactly once.
struct WriteQueue {
  /// The row writes of a command, with its caller's continuation.
  struct QueuedWrite {
    let write: Command.ReplicaWrite
    let answer: CheckedContinuation<Reply, Never>
  }

  /// In the order of arrival.
  private var gathered: [QueuedWrite] = []
  /// Writers that wait until the peers have reported what they hold of this device's logs.
  private var unanswered: [CheckedContinuation<Void, Never>] = []

  /// The most commands that share a transaction.
  private static let gatheredAtOnce = 256

  // MARK: Turns

  /// Adds a command. Returns whether a turn MUST be scheduled.
  mutating func add(_ command: QueuedWrite) -> Bool {
    gathered.append(command)
    return gathered.count == 1
  }

  /// Removes and returns the commands of a turn, and whether another turn MUST be scheduled.
  mutating func takeTurn() -> (commands: [QueuedWrite], hasMore: Bool) {
    let turn = Array(gathered.prefix(Self.gatheredAtOnce))
    gathered.removeFirst(turn.count)
    return (turn, !gathered.isEmpty)
  }

  // MARK: Answers of the peers

  var awaitsPeers: Bool { !unanswered.isEmpty }

  mutating func awaitPeers(_ writer: CheckedContinuation<Void, Never>) {
    unanswered.append(writer)
  }

  /// Resumes the writers that wait for the peers.
  mutating func peersAnswered() {
    let writers = unanswered
    unanswered = []
    for writer in writers { writer.resume() }
  }
}
