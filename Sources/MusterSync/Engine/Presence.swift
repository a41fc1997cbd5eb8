internal import MusterModel

/// When, where and how a peer was received.
///
/// Invariant: `receivedSince` is not after `lastReceived`.
struct Presence: Sendable {
  /// The source address of its last datagram, on a session or of an announce.
  var endpoint: Endpoint
  private(set) var lastReceived: Instant
  /// Since when it has been received without a gap of `Timing.steadyMilliseconds`.
  private(set) var receivedSince: Instant
  /// Since when there has been a session without interruption.
  var connectedSince: Instant?
  /// The newest announce, and the link on which it was received.
  private(set) var announced: (at: Instant, link: LinkID)?
  /// The longest recent interval between its announces.
  private var announceMilliseconds = Timing.announceIntervals.lowerBound
  /// The wall clock time that it last reported.
  var clock: ShownClock?
  /// Whether an announce showed that it lost its sessions, and none has begun since.
  private(set) var hasRestarted = false
  /// Traffic of its sessions in bytes, including headers.
  var bytesIn: UInt64 = 0
  var bytesOut: UInt64 = 0

  init(at endpoint: Endpoint, now: Instant) {
    self.endpoint = endpoint
    lastReceived = now
    receivedSince = now
  }

  /// Records a new session.
  mutating func recordSession(now: Instant) {
    recordActivity(now: now)
    connectedSince = connectedSince ?? now
    hasRestarted = false
  }

  /// Records an announce, or other data by multicast.
  ///
  /// - Parameter hasRestarted: whether it shows that the device lost its sessions.
  mutating func recordAnnounce(on link: LinkID, hasRestarted: Bool, now: Instant) {
    recordActivity(now: now)
    if hasRestarted { self.hasRestarted = true }
    if let announced {
      let range = Timing.announceIntervals
      let interval = min(
        max(now.milliseconds(since: announced.at), range.lowerBound), range.upperBound)
      announceMilliseconds = max(interval, announceMilliseconds - announceMilliseconds / 16)
    }
    announced = (now, link)
  }

  /// Returns whether it was received by multicast within two of its intervals.
  func isAnnounced(lately now: Instant) -> Bool {
    announced.map { now.milliseconds(since: $0.at) < 2 * announceMilliseconds } ?? false
  }

  /// Records that something of its own arrived, on a session or in an announce.
  mutating func recordActivity(now: Instant) {
    if isGap(until: now) { receivedSince = now }
    lastReceived = now
  }

  /// Returns whether it has not been received for so long that its state is unknown.
  func isGap(until now: Instant) -> Bool {
    now.milliseconds(since: lastReceived) > Timing.steadyMilliseconds
  }
}
