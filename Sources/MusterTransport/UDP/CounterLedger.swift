internal import Synchronization

/// Thread-safe counters: the event loop adds to them, any thread may read them.
final class CounterLedger: Sendable {
  private let counters = Mutex(TransportCounters())

  var reading: TransportCounters { counters.withLock { $0 } }

  func add(_ tally: TransportCounters) { counters.withLock { $0.add(tally) } }

  func drop(_ reason: DropReason, count: Int) {
    counters.withLock { $0.drop(reason, count: count) }
  }

  func countRebuilt() { counters.withLock { $0.rebuiltSockets &+= 1 } }
}
