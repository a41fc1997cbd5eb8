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
  var announced: (at: Instant, link: LinkID)?
  /// The wall clock time that it last reported.
  var clock: ShownClock?
  /// Traffic of its sessions in bytes, including headers.
  var bytesIn: UInt64 = 0
  var bytesOut: UInt64 = 0

  init(at endpoint: Endpoint, now: Instant) {
    self.endpoint = endpoint
    lastReceived = now
    receivedSince = now
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
