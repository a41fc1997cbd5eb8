internal import MusterModel
internal import Synchronization

/// Datagrams between the event loop and the one task that reads them.
///
/// It holds at most `bound`; what comes while it is full is dropped and counted, as the kernel
/// does with its own buffer. While the reader is behind, read cycles merge into larger batches,
/// so that the reader's fixed cost per batch shrinks under load.
final class Inbox: Sendable {
  static let bound = UDPTransport.receiveBound

  private struct State {
    var waiting: [ReceivedDatagram] = []
    var reader: CheckedContinuation<[ReceivedDatagram]?, Never>?
    var isFinished = false
  }
  private let state = Mutex(State())

  /// Takes what one read cycle brought. Returns how many of them were dropped.
  func deliver(_ batch: [ReceivedDatagram]) -> Int {
    let (dropped, wake) = state.withLock { state in
      let room = state.isFinished ? 0 : Self.bound - state.waiting.count
      state.waiting.append(contentsOf: batch.prefix(room))
      return (max(0, batch.count - room), Self.handOver(&state))
    }
    wake?()
    return dropped
  }

  /// Everything that waits, up to `Limits.inputsPerBatch`, in order of arrival; suspends while
  /// there is nothing. Nil once finished and drained, or when the task is cancelled.
  ///
  /// MUST be called by one task at a time.
  func next() async -> [ReceivedDatagram]? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let wake = state.withLock { state in
          precondition(state.reader == nil, "datagrams has two readers")
          state.reader = reader
          return Task.isCancelled ? Self.abandon(&state) : Self.handOver(&state)
        }
        wake?()
      }
    } onCancel: {
      state.withLock { Self.abandon(&$0) }?()
    }
  }

  /// Lets the reader drain what waits, and then end.
  func finish() {
    let wake = state.withLock { state in
      state.isFinished = true
      return Self.handOver(&state)
    }
    wake?()
  }

  /// What to run outside the lock to resume the reader, if there is one and something for it.
  private static func handOver(_ state: inout State) -> (@Sendable () -> Void)? {
    guard let reader = state.reader, !state.waiting.isEmpty || state.isFinished else { return nil }
    state.reader = nil
    guard !state.waiting.isEmpty else { return { reader.resume(returning: nil) } }
    let batch: [ReceivedDatagram]
    if state.waiting.count <= Limits.inputsPerBatch {
      batch = state.waiting
      state.waiting = []
    } else {
      batch = Array(state.waiting.prefix(Limits.inputsPerBatch))
      state.waiting.removeFirst(Limits.inputsPerBatch)
    }
    return { reader.resume(returning: batch) }
  }

  private static func abandon(_ state: inout State) -> (@Sendable () -> Void)? {
    guard let reader = state.reader else { return nil }
    state.reader = nil
    return { reader.resume(returning: nil) }
  }
}
