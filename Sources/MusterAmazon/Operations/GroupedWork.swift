internal import Synchronization

/// Performs requests in groups: those that arrive during a piece of work share the next one. No
/// request is delayed for a later one, and at most `mostWaiting` wait.
final class GroupedWork<Request: Sendable, Answer: Sendable>: Sendable {
  /// Performs a group, and returns the answer to each of its requests, in their order.
  typealias Work = @Sendable ([Request]) async -> [Answer]

  private struct State {
    var isBusy = false
    var waiting: [(request: Request, turn: CheckedContinuation<Answer, Never>)] = []
  }

  private let mostWaiting = 64
  private let mostAtOnce = 32
  private let state = Mutex(State())

  /// How many requests wait.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Throws if too many requests wait.
  ///
  /// - Parameter work: the same for all requests.
  func perform(_ request: Request, by work: @escaping Work) async throws(ServiceFault) -> Answer {
    guard state.withLock({ $0.waiting.count < mostWaiting }) else {
      throw ServiceFault(.throttled, "too many writes at once: try again")
    }
    return await withCheckedContinuation { turn in
      let begins = state.withLock { state in
        state.waiting.append((request, turn))
        defer { state.isBusy = true }
        return !state.isBusy
      }
      if begins { Task { await run(work) } }
    }
  }

  private func run(_ work: Work) async {
    while true {
      let group = state.withLock { state in
        let group = Array(state.waiting.prefix(mostAtOnce))
        state.waiting.removeFirst(group.count)
        state.isBusy = !group.isEmpty
        return group
      }
      guard !group.isEmpty else { return }
      let answers = await work(group.map(\.request))
      for (entry, answer) in zip(group, answers) { entry.turn.resume(returning: answer) }
    }
  }
}
