import MusterModel

/// A device's clocks, with the errors of the scenario.
struct NodeClock {
  /// The correct wall clock at the start of a run: 2026-07-01T06:00:00Z.
  static let epochMilliseconds: Int64 = 1_782_885_600_000

  /// Over a hundred thousand years.
  private static let never: Int64 = 4_000_000_000_000_000_000

  private let machine: UInt64
  let driftPerMillion: Int64
  /// How far the wall clock is ahead of the correct time, apart from its drift.
  private(set) var skewMilliseconds: Int64
  /// A monotonic clock has no meaning across a restart.
  private var bootOffsetMicroseconds: Int64 = 0
  /// What the monotonic clock showed when the machine booted; it had been up for a while before the
  /// program began.
  private var bootedAtMicroseconds: Int64 = 0
  /// How often the machine was started.
  private(set) var boots: UInt64 = 0

  /// - Parameter machine: another number for each, also for that of a clone.
  init(machine: UInt64 = 0, skewMilliseconds: Int64, driftPerMillion: Int64) {
    self.machine = machine
    self.skewMilliseconds = skewMilliseconds
    self.driftPerMillion = driftPerMillion
  }

  mutating func jump(byMilliseconds milliseconds: Int64) { skewMilliseconds += milliseconds }

  /// The machine is started, and after a while the program.
  ///
  /// - Parameter downMicroseconds: how long the machine was off; nil to ignore it, so that the
  ///   machine may claim to have been up since before its last stop.
  mutating func boot(at time: Instant, offsetMicroseconds: Int64, downMicroseconds: Int64?) {
    bootOffsetMicroseconds = offsetMicroseconds
    boots += 1
    let longest = min(Self.longestUptimeMicroseconds, downMicroseconds ?? .max)
    bootedAtMicroseconds = elapsed(at: time) - offsetMicroseconds % max(1, longest)
  }

  /// What the boot clock would show if it had started with the run and never restarted.
  func steadyMilliseconds(at time: Instant) -> Int64 { elapsed(at: time) / 1000 }

  /// Returns the first time at which `steadyMilliseconds` is this or more.
  func time(ofSteady milliseconds: Int64) -> Instant {
    time(of: Instant(microseconds: milliseconds * 1000 + bootOffsetMicroseconds))
  }

  /// The start of the present boot by the same clock.
  var bootedAtMilliseconds: Int64 { bootedAtMicroseconds / 1000 }

  /// What the system calls its present boot: no other one of any machine has that name.
  var systemBoot: [UInt8] {
    withUnsafeBytes(of: (machine.bigEndian, boots.bigEndian)) { Array($0) }
  }

  private static let longestUptimeMicroseconds: Int64 = 30 * 86_400_000_000

  func reading(at time: Instant) -> ClockReading {
    let elapsed = elapsed(at: time)
    return ClockReading(
      instant: Instant(microseconds: elapsed + bootOffsetMicroseconds),
      wall: Timestamp(
        milliseconds: Self.epochMilliseconds + skewMilliseconds + elapsed / 1000),
      boot: (elapsed - bootedAtMicroseconds) / 1000,
      // The worst case: a machine whose entropy repeats.
      entropy: .zero)
  }

  private func elapsed(at time: Instant) -> Int64 {
    // In two parts, so that nothing overflows and the clock never runs backwards.
    let (seconds, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return time.microseconds + seconds * driftPerMillion + rest * driftPerMillion / 1_000_000
  }

  /// Returns the first time at which this clock shows `instant` or later.
  func time(of instant: Instant) -> Instant {
    let (elapsed, overflow) = instant.microseconds.subtractingReportingOverflow(
      bootOffsetMicroseconds)
    guard !overflow, elapsed < Self.never else { return Instant(microseconds: Self.never) }
    guard driftPerMillion != 0 else { return Instant(microseconds: elapsed) }
    let rate = 1_000_000 + driftPerMillion
    let (seconds, rest) = elapsed.quotientAndRemainder(dividingBy: rate)
    return Instant(microseconds: seconds * 1_000_000 + rest * 1_000_000 / rate + 2)
  }

  /// Returns the satellite time, which is always correct.
  static func satelliteTime(at time: Instant) -> Timestamp {
    Timestamp(milliseconds: epochMilliseconds + time.microseconds / 1000)
  }
}
