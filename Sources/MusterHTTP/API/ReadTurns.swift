internal import MusterModel
internal import Synchronization

/// The turns of reads. At most `mostRunning` reads of remote users and programs are performed at a
/// time, from the snapshot of the node to the encoded answer, so that others find processors and
/// memory, however many requests have arrived. The readers take turns: one that sends many requests
/// delays its own. Writes take no turn, nor does what they read.
///
///     request ─▶ share of its reader ─▶ turn ─▶ snapshot ─▶ encoded answer
///                  └ full: 429           └ client is gone: not performed
///
/// The laptop's own page and the command line need no turn.
final class ReadTurns: Sendable {
  /// A client that reads, with its share.
  struct Reader: Sendable {
    /// A login, or the programs on this machine.
    let name: String
    let turns: ReadTurns
    /// Whether the client still waits for the answer.
    let isPresent: @Sendable () -> Bool

    /// Performs a read when it is this reader's turn. Throws `Problem` if the reader has used its
    /// share, or is gone.
    func perform<Result: Sendable>(_ work: () async throws -> Result) async throws -> Result {
      try await turns.perform(by: self, work)
    }
  }

  /// The reads that run at the same time: with two, the next is ready when one ends.
  static let mostRunning = 2
  /// The reads of one reader that wait. A page asks for a dozen sets at once after a change.
  static let mostWaiting = 64

  private enum Turn {
    case granted
    /// The reader has as many waiting reads as it may.
    case full
    /// The client has closed its connection.
    case clientGone
  }

  private struct Waiter {
    let reader: Reader
    let turn: CheckedContinuation<Turn, Never>
  }

  private struct State {
    var running = 0
    /// By reader, oldest first; without empty lists.
    var waiting: [String: [Waiter]] = [:]
    /// The readers with waiting requests, in the order of their turns.
    var order: [String] = []
  }

  private let state = Mutex(State())

  /// The reads of a reader that wait.
  func waiting(of reader: String) -> Int { state.withLock { $0.waiting[reader]?.count ?? 0 } }

  private func perform<Result: Sendable>(
    by reader: Reader, _ work: () async throws -> Result
  ) async throws -> Result {
    switch await turn(of: reader) {
    case .granted: break
    case .full:
      throw Problem("too many reads wait at once: send fewer together", waiting: .seconds(1))
    case .clientGone: throw Problem(.serviceUnavailable, "the client has closed the connection")
    }
    defer { endTurn() }
    return try await work()
  }

  private func turn(of reader: Reader) async -> Turn {
    guard reader.isPresent() else { return .clientGone }
    return await withCheckedContinuation { turn in
      let decided = state.withLock { state -> Turn? in
        if state.running < Self.mostRunning {
          state.running += 1
          return .granted
        }
        guard state.waiting[reader.name]?.count ?? 0 < Self.mostWaiting else { return .full }
        if state.waiting[reader.name] == nil { state.order.append(reader.name) }
        state.waiting[reader.name, default: []].append(Waiter(reader: reader, turn: turn))
        return nil
      }
      if let decided { turn.resume(returning: decided) }
    }
  }

  /// Gives the turn to the next reader whose client is still there.
  private func endTurn() {
    let (next, absent) = state.withLock { state -> (Waiter?, [Waiter]) in
      var absent: [Waiter] = []
      while !state.order.isEmpty {
        let name = state.order.removeFirst()
        guard var list = state.waiting.removeValue(forKey: name) else { continue }
        let first = list.firstIndex { $0.reader.isPresent() } ?? list.endIndex
        absent += list[..<first]
        guard first < list.endIndex else { continue }
        let waiter = list[first]
        list.removeSubrange(...first)
        if !list.isEmpty {
          state.waiting[name] = list
          state.order.append(name)
        }
        return (waiter, absent)
      }
      state.running -= 1
      return (nil, absent)
    }
    for waiter in absent { waiter.turn.resume(returning: .clientGone) }
    next?.turn.resume(returning: .granted)
  }
}
