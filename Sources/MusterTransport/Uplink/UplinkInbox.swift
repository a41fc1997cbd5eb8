internal import MusterModel
internal import Synchronization

/// The queue of uplink events between the connections and the node.
///
/// Datagrams beyond `bound` are dropped and counted. Open and close events, of which there are few,
/// are not. While the reader is behind, consecutive datagrams of one uplink merge.
final class UplinkInbox: Sendable {
  static let bound = UDPTransport.receiveBound

  private struct State {
    var waiting: [UplinkSwitch.Event] = []
    var datagrams = 0
    var dropped: UInt64 = 0
    var reader: CheckedContinuation<UplinkSwitch.Event?, Never>?
    var isFinished = false
  }
  private let state = Mutex(State())

  var dropped: UInt64 { state.withLock { $0.dropped } }

  func deliver(_ event: UplinkSwitch.Event) {
    let wake: (@Sendable () -> Void)? = state.withLock { state in
      guard !state.isFinished else { return nil }
      Self.add(event, to: &state)
      return Self.handOver(&state)
    }
    wake?()
  }

  private static func add(_ event: UplinkSwitch.Event, to state: inout State) {
    guard case .datagrams(let new) = event else { return state.waiting.append(event) }
    let room = Self.bound - state.datagrams
    if new.count > room { state.dropped += UInt64(new.count - room) }
    let taken = Array(new.prefix(room))
    guard !taken.isEmpty else { return }
    state.datagrams += taken.count
    if case .datagrams(let last) = state.waiting.last,
      last.count + taken.count <= Limits.inputsPerBatch
    {
      state.waiting[state.waiting.count - 1] = .datagrams(last + taken)
    } else {
      state.waiting.append(.datagrams(taken))
    }
  }

  /// Returns the next event; nil once finished and drained, or if the task is cancelled.
  ///
  /// MUST be called by one task at a time.
  func next() async -> UplinkSwitch.Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        state.withLock { state in
          precondition(state.reader == nil, "events has two readers")
          state.reader = reader
          return Task.isCancelled ? Self.abandon(&state) : Self.handOver(&state)
        }?()
      }
    } onCancel: {
      state.withLock { Self.abandon(&$0) }?()
    }
  }

  /// Ends the queue after the reader has drained it.
  func finish() {
    state.withLock { state in
      state.isFinished = true
      return Self.handOver(&state)
    }?()
  }

  private static func handOver(_ state: inout State) -> (@Sendable () -> Void)? {
    guard let reader = state.reader, !state.waiting.isEmpty || state.isFinished else { return nil }
    state.reader = nil
    guard !state.waiting.isEmpty else { return { reader.resume(returning: nil) } }
    let event = state.waiting.removeFirst()
    if case .datagrams(let datagrams) = event { state.datagrams -= datagrams.count }
    return { reader.resume(returning: event) }
  }

  private static func abandon(_ state: inout State) -> (@Sendable () -> Void)? {
    guard let reader = state.reader else { return nil }
    state.reader = nil
    return { reader.resume(returning: nil) }
  }
}
