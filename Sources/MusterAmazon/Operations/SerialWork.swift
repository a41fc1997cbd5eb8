internal import Synchronization

/// Performs asynchronous work one piece after the other, for reads that a later write depends on.
/// At most `most` pieces wait.
final class SerialWork: Sendable {
  private static let most = 64

  private struct State {
    var isBusy = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Throws if too much work waits.
  func perform<Result: Sendable>(
    _ work: () async throws(ServiceFault) -> Result
  ) async throws(ServiceFault) -> Result {
    guard state.withLock({ $0.waiting.count < Self.most }) else {
      throw ServiceFault(.throttled, "too many writes at once: try again")
    }
    await enter()
    defer { leave() }
    return try await work()
  }

  private func enter() async {
    await withCheckedContinuation { turn in
      let isFree = state.withLock { state in
        if state.isBusy {
          state.waiting.append(turn)
          return false
        }
        state.isBusy = true
        return true
      }
      if isFree { turn.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isBusy = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
