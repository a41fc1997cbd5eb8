import Synchronization

/// A clock that advances only when a task sleeps, to the end of its sleep.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let time = Mutex(Instant(offset: .zero))

  var now: Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .zero }

  var elapsedMilliseconds: Int64 {
    let (seconds, attoseconds) = now.offset.components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    time.withLock { $0 = max($0, deadline) }
  }

  func advance(byMilliseconds milliseconds: Int64) {
    time.withLock { $0 = $0.advanced(by: .milliseconds(milliseconds)) }
  }
}
