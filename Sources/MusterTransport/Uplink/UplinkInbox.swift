internal import MusterModel
internal import Synchronization

/// The queue of uplink events between the connections and the node, served by turns.
///
///     uplink 1 ─▶ ▢▢▢▢▢▢▢▢ ─┐
///     uplink 2 ─▶ ▢         ─┼─ a turn each, until a batch is full ─▶ node
///     uplink 3 ─▶ ▢▢        ─┘
///
/// So a report waits for one turn of each other uplink at most, however much one of them sends.
/// Turns are short, since in a flood everybody acknowledges. The events of one uplink keep their
/// order.
///
/// Datagrams beyond `bound` are dropped and counted, but those of an uplink with few in the queue
/// are not: a flood displaces itself. Open and close events are never dropped.
final class UplinkInbox: Sendable {
  /// Datagrams of all uplinks.
  static let bound = UDPTransport.receiveBound
  /// Datagrams of one uplink: more than the largest congestion window.
  static let boundOfOne = 1024
  /// Datagrams that each uplink may have in the queue even if that bound is reached.
  static let reserve = 16
  /// Datagrams in a turn of one uplink: an eighth of what waits, so that a post that passes on what
  /// hundreds write gets more turns than one device.
  static let turns = 4...64

  /// What waits of one uplink.
  private struct Line {
    var items = Fifo<Item>()
    var datagrams = 0
  }

  private enum Item {
    case datagram(ReceivedDatagram)
    case event(UplinkSwitch.Event)
  }

  private struct State {
    /// The uplinks with something that waits, each once in `order`.
    var lines: [Endpoint: Line] = [:]
    var order = Fifo<Endpoint>()
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
      switch event {
      case .opened(let endpoint, _), .closed(let endpoint):
        Self.append(.event(event), of: endpoint, to: &state)
      case .datagrams(let datagrams):
        for datagram in datagrams { Self.add(datagram, to: &state) }
      }
      return Self.handOver(&state)
    }
    wake?()
  }

  private static func add(_ datagram: ReceivedDatagram, to state: inout State) {
    let waiting = state.lines[datagram.from]?.datagrams ?? 0
    guard waiting < reserve || waiting < boundOfOne && state.datagrams < bound else {
      state.dropped += 1
      return
    }
    append(.datagram(datagram), of: datagram.from, to: &state)
    state.lines[datagram.from]?.datagrams += 1
    state.datagrams += 1
  }

  private static func append(_ item: Item, of endpoint: Endpoint, to state: inout State) {
    if state.lines[endpoint] == nil { state.order.append(endpoint) }
    state.lines[endpoint, default: Line()].items.append(item)
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
    guard let reader = state.reader, state.order.first != nil || state.isFinished else {
      return nil
    }
    state.reader = nil
    let event = takeNext(&state)
    return { reader.resume(returning: event) }
  }

  /// Removes the next event, or the datagrams of as many turns as fit a batch; nil if none waits.
  private static func takeNext(_ state: inout State) -> UplinkSwitch.Event? {
    var batch: [ReceivedDatagram] = []
    while batch.count < Limits.inputsPerBatch, let endpoint = state.order.first {
      if case .event(let event)? = state.lines[endpoint]?.items.first {
        // What was taken of others comes before it.
        guard batch.isEmpty else { break }
        state.lines[endpoint]?.items.removeFirst()
        endTurn(of: endpoint, in: &state)
        return event
      }
      let share = (state.lines[endpoint]?.datagrams ?? 0) / 8
      let turn = min(max(turns.lowerBound, share), turns.upperBound)
      var left = min(turn, Limits.inputsPerBatch - batch.count)
      while left > 0, case .datagram(let datagram)? = state.lines[endpoint]?.items.first {
        state.lines[endpoint]?.items.removeFirst()
        state.lines[endpoint]?.datagrams -= 1
        state.datagrams -= 1
        batch.append(datagram)
        left -= 1
      }
      endTurn(of: endpoint, in: &state)
    }
    return batch.isEmpty ? nil : .datagrams(batch)
  }

  /// Lets the first uplink be the last one, if anything of it waits.
  private static func endTurn(of endpoint: Endpoint, in state: inout State) {
    state.order.removeFirst()
    if state.lines[endpoint]?.items.first == nil {
      state.lines[endpoint] = nil
    } else {
      state.order.append(endpoint)
    }
  }

  private static func abandon(_ state: inout State) -> (@Sendable () -> Void)? {
    guard let reader = state.reader else { return nil }
    state.reader = nil
    return { reader.resume(returning: nil) }
  }
}

/// A queue whose first element is removed in constant time on average.
private struct Fifo<Element> {
  private var elements: [Element?] = []
  /// How many of them were removed.
  private var removed = 0

  var first: Element? { removed < elements.count ? elements[removed] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() {
    elements[removed] = nil
    removed += 1
    guard removed * 2 >= elements.count else { return }
    elements.removeFirst(removed)
    removed = 0
  }
}
