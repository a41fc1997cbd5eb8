public import MusterModel

/// Exchange of wall clock times next to the roots, so that a user learns of clock skew. No
/// replicated state depends on them.
extension SyncEngine {
  /// Reports at once that this device's clock was set: peers would use the old reading.
  mutating func noticeClockStep() {
    guard context.clock.hasStepped() else { return }
    context.sendRootsToAll()
  }

  /// Records the clock of a peer, received on its session. Times outside the calendar range are
  /// ignored.
  mutating func noteClock(_ shown: Timestamp, of device: DeviceID) {
    guard Timestamp.writable.contains(shown) else { return }
    context.peers[known: device].presence.clock = ShownClock(wall: shown, at: context.clock.now)
  }

  /// Returns how far this device's clock is ahead of the median of its peers' clocks. With an even
  /// number, of the two middle ones the smaller lead counts. Nil if no peer has reported its clock.
  ///
  /// - Parameter now: the readings of this device's clocks.
  public func clockLead(now: ClockReading) -> ClockLead? {
    context.peers.clockLead(without: context.roster.revoked, now: now)
  }
}

extension PeerDirectory {
  fileprivate func clockLead(without revoked: Set<DeviceID>, now: ClockReading) -> ClockLead? {
    let leads =
      devices
      .filter { !revoked.contains($0) }
      .compactMap { self[$0]?.presence.clock }
      .map { now.wall.milliseconds(since: $0.reading(at: now.instant)) }
      .sorted()
    guard !leads.isEmpty else { return nil }
    let middle = [leads[(leads.count - 1) / 2], leads[leads.count / 2]]
    return middle.min { $0.magnitude < $1.magnitude }.map(ClockLead.init(milliseconds:))
  }
}

/// A wall clock reading at a point in time.
struct ShownClock: Sendable {
  let wall: Timestamp
  let at: Instant

  /// Returns the extrapolated reading at another time, if the clock was not set in between.
  func reading(at moment: Instant) -> Timestamp {
    let (sum, overflow) = wall.milliseconds.addingReportingOverflow(moment.milliseconds(since: at))
    return overflow ? wall : Timestamp(milliseconds: sum)
  }
}
