public import MusterModel

/// Wall clocks, told beside the roots, so that whoever sits before a wrong one learns of it.
/// Nothing that is replicated depends on them.
extension SyncEngine {
  /// A clock that was set right, or wrong, is told at once: peers would believe the old one.
  mutating func noticeClockStep() {
    defer { lastShown = ShownClock(wall: wall, at: now) }
    guard let last = lastShown else { return }
    let stepped = wall.milliseconds(since: last.reading(at: now))
    guard stepped.magnitude > Timing.clockStepMilliseconds else { return }
    for device in connected { sendRoots(to: device, asksForAnswer: false) }
  }

  /// A peer said on its session what its clock shows. What no calendar writes is no clock.
  mutating func noteClock(_ shown: Timestamp, of device: DeviceID) {
    guard Timestamp.writable.contains(shown) else { return }
    peers[device]?.clock = ShownClock(wall: shown, at: now)
  }

  /// How far this device's clock is ahead of the middle one of its peers'; of two in the middle, of
  /// that which speaks for this device. Nil while no peer has told its own.
  ///
  /// - Parameter now: what this device's clocks show.
  public func clockLead(now: ClockReading) -> ClockLead? {
    let leads =
      met
      .filter { !roster.revoked.contains($0) }
      .compactMap { peers[$0]?.clock }
      .map { now.wall.milliseconds(since: $0.reading(at: now.instant)) }
      .sorted()
    guard !leads.isEmpty else { return nil }
    let middle = [leads[(leads.count - 1) / 2], leads[leads.count / 2]]
    return middle.min { $0.magnitude < $1.magnitude }.map(ClockLead.init(milliseconds:))
  }
}

/// What a wall clock showed at a moment.
struct ShownClock: Sendable {
  let wall: Timestamp
  let at: Instant

  /// What it shows at another, if it was not set since.
  func reading(at moment: Instant) -> Timestamp {
    let (sum, overflow) = wall.milliseconds.addingReportingOverflow(moment.milliseconds(since: at))
    return overflow ? wall : Timestamp(milliseconds: sum)
  }
}
