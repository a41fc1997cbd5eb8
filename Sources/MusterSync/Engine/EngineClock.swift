internal import MusterModel

/// The readings of this device's clocks for the current input.
///
/// Invariant: `now` never decreases.
struct EngineClock: Sendable {
  private(set) var now: Instant
  /// This device's wall clock, reported to peers. No decision depends on it.
  private(set) var wall: Timestamp
  let startedAt: Instant
  private var shown: ShownClock?

  init(_ reading: ClockReading) {
    (now, wall, startedAt) = (reading.instant, reading.wall, reading.instant)
  }

  /// Sets both clocks. Returns whether the device was suspended: no deadline woke it.
  mutating func advance(to reading: ClockReading, nextDeadline: Instant?) -> Bool {
    wall = reading.wall
    let before = now
    now = max(now, reading.instant)
    guard let deadline = nextDeadline, now > before else { return false }
    return now.milliseconds(since: max(deadline, before)) > Timing.sleepMilliseconds
  }

  /// Returns whether the wall clock was set since the last call.
  mutating func hasStepped() -> Bool {
    defer { shown = ShownClock(wall: wall, at: now) }
    guard let last = shown else { return false }
    let stepped = wall.milliseconds(since: last.reading(at: now))
    return stepped.magnitude > Timing.clockStepMilliseconds
  }
}
