internal import MusterReplica
internal import Synchronization

/// The places of snapshots that are read at the same time, `Replica.mostSnapshots`, in the order of
/// the requests. A read without a place waits here, and not at the node's queue.
final class SnapshotPlaces: Sendable {
  private struct State {
    var free = Replica.mostSnapshots
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Takes a place, once one is free. MUST be followed by `leave`.
  func enter() async {
    await withCheckedContinuation { waiter in
      let hasPlace = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(waiter)
          return false
        }
        state.free -= 1
        return true
      }
      if hasPlace { waiter.resume() }
    }
  }

  /// Passes the place on to the request that has waited longest.
  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
