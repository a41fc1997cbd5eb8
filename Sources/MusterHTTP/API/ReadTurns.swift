internal import MusterModel
internal import Synchronization

/// The turns of reads by remote users and programs, from the snapshot of the node to the answer
/// that is sent, so that others find processors and memory, however many requests have arrived.
///
///     request ─▶ share ─▶ turn ─▶ snapshot ─▶ encoded answer ─▶ sent
///                 └ full: 429      └ client is gone: not performed
///
/// A share is a reader and a cost class: a map that is drawn does not delay the list of alerts. The
/// shares take turns. One read of a share runs at a time, and none begins while `mostUnsent` bytes
/// of its answers are not sent: one that sends many requests, or reads its answers slowly, delays
/// its own.
///
/// Writes take no turn, nor does what they read, nor do the laptop's own page and the command line.
final class ReadTurns: Sendable {
  /// Whose reads take turns with those of others.
  struct Share: Hashable, Sendable {
    /// A login, or the programs on this machine.
    let reader: String
    let cost: RouteRights.Cost
  }

  /// A client that reads, with its share.
  struct Reader: Sendable {
    let share: Share
    let turns: ReadTurns
    /// Whether the client still waits for the answer.
    let isPresent: @Sendable () -> Bool

    /// Performs a read when it is its share's turn, and returns the answer, which counts until it
    /// is sent. Throws `Problem` if the share is used, or the client is gone.
    func perform(_ work: () async throws -> Answer) async throws -> Answer {
      try await turns.perform(by: self, work)
    }
  }

  /// The reads that run at the same time: with two, the next is ready when one ends.
  static let mostRunning = 2
  /// The reads of one share that wait. A page asks for a dozen sets at once after a change.
  static let mostWaiting = 64
  /// Bytes of one share's answers that are not sent, from which its next read waits.
  static let mostUnsent = 4 << 20

  private enum Turn {
    case granted
    /// The share has as many waiting reads as it may.
    case full
    /// The client has closed its connection.
    case clientGone
  }

  private struct Waiter {
    let reader: Reader
    let turn: CheckedContinuation<Turn, Never>
  }

  /// What a share uses.
  private struct Use {
    var isRunning = false
    var unsent = 0
    /// Oldest first.
    var waiting: [Waiter] = []

    var mayRun: Bool { !isRunning && unsent < ReadTurns.mostUnsent }
    var isNone: Bool { !isRunning && unsent == 0 && waiting.isEmpty }
  }

  private struct State {
    var running = 0
    /// Without those that use nothing.
    var uses: [Share: Use] = [:]
    /// The shares with waiting reads, in the order of their turns.
    var order: [Share] = []
  }

  /// An answer that is not sent yet.
  private final class Unsent: Sendable {
    let share: Share
    let bytes: Int
    let turns: ReadTurns

    init(_ bytes: Int, of share: Share, in turns: ReadTurns) {
      (self.share, self.bytes, self.turns) = (share, bytes, turns)
    }

    deinit { turns.settle { ReadTurns.change(share, in: &$0) { $0.unsent -= bytes } } }
  }

  private let state = Mutex(State())

  /// The reads of a share that wait.
  func waiting(of share: Share) -> Int { state.withLock { $0.uses[share]?.waiting.count ?? 0 } }

  private func perform(
    by reader: Reader, _ work: () async throws -> Answer
  ) async throws -> Answer {
    switch await turn(of: reader) {
    case .granted: break
    case .full:
      throw Problem("too many reads wait at once: send fewer together", waiting: .seconds(1))
    case .clientGone: throw Problem(.serviceUnavailable, "the client has closed the connection")
    }
    let share = reader.share
    var unsent = 0
    // In one step: the next read of this share begins only if the answer leaves room.
    defer {
      settle { state in
        state.running -= 1
        Self.change(share, in: &state) {
          $0.isRunning = false
          $0.unsent += unsent
        }
      }
    }
    let answer = try await work()
    unsent = answer.waitingBytes
    return unsent == 0 ? answer : answer.sent(holding: Unsent(unsent, of: share, in: self))
  }

  private func turn(of reader: Reader) async -> Turn {
    guard reader.isPresent() else { return .clientGone }
    return await withCheckedContinuation { turn in
      settle { state in
        var use = state.uses[reader.share] ?? Use()
        var absent: [Waiter] = []
        if use.waiting.count >= Self.mostWaiting {
          let waiting = use.waiting
          use.waiting = []
          for waiter in waiting {
            if waiter.reader.isPresent() {
              use.waiting.append(waiter)
            } else {
              absent.append(waiter)
            }
          }
        }
        if use.waiting.count < Self.mostWaiting {
          if !state.order.contains(reader.share) { state.order.append(reader.share) }
          use.waiting.append(Waiter(reader: reader, turn: turn))
        } else {
          turn.resume(returning: .full)
        }
        state.uses[reader.share] = use
        for waiter in absent { waiter.turn.resume(returning: .clientGone) }
      }
    }
  }

  private static func change(
    _ share: Share, in state: inout State, _ act: (inout Use) -> Void
  ) {
    act(&state.uses[share, default: Use()])
    if state.uses[share]?.isNone == true { state.uses[share] = nil }
  }

  /// Changes the state, and gives the turns that are free then, to readers whose clients are there.
  private func settle(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      while state.running < Self.mostRunning,
        let place = state.order.firstIndex(where: { state.uses[$0]?.mayRun == true })
      {
        let share = state.order.remove(at: place)
        var use = state.uses[share] ?? Use()
        while !use.waiting.isEmpty, !use.isRunning {
          let waiter = use.waiting.removeFirst()
          use.isRunning = waiter.reader.isPresent()
          waiter.turn.resume(returning: use.isRunning ? .granted : .clientGone)
        }
        if use.isRunning { state.running += 1 }
        if !use.waiting.isEmpty { state.order.append(share) }
        Self.change(share, in: &state) { $0 = use }
      }
    }
  }
}
