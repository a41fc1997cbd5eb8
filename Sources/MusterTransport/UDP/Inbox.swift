internal import MusterModel
internal import Synchronization

/// The queue between the event loop and the one task that reads datagrams.
///
/// It holds at most `bound` datagrams. Further ones are dropped and counted, as in the kernel's own
/// buffer. While the reader is behind, read cycles merge into larger batches, which reduces the
/// reader's fixed cost per datagram under load.
final class Inbox: Sendable {
  static let bound = UDPTransport.receiveBound

  private struct State {
    var waiting: [ReceivedDatagram] = []
    var reader: CheckedContinuation<[ReceivedDatagram]?, Never>?
    var isFinished = false
  }
  private let state = Mutex(State())

  /// Queues the datagrams of one read cycle. Returns how many of them were dropped.
  func deliver(_ batch: [ReceivedDatagram]) -> Int {
    let (dropped, wake) = state.withLock { state in
      let room = state.isFinished ? 0 : Self.bound - state.waiting.count
      state.waiting.append(contentsOf: batch.prefix(room))
      return (max(0, batch.count - room), Self.handOver(&state))
    }
    wake?()
    return dropped
  }

  /// Returns everything queued, up to `Limits.inputsPerBatch`, in order of arrival; suspends while
  /// the queue is empty. Nil once finished and drained, or if the task is cancelled.
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

  /// Ends the queue after the reader has drained it.
  func finish() {
    let wake = state.withLock { state in
      state.isFinished = true
      return Self.handOver(&state)
    }
    wake?()
  }

  /// Returns the closure that resumes the reader, to be called outside the lock; nil if there is no
  /// reader or nothing to deliver.
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
