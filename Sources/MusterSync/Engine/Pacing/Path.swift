internal import MusterModel

/// The state of a path to a peer: congestion window, RTT and loss. It is reset when either end
/// changes its address (RFC 9000 §9.4).
struct Path: Sendable {
  var window = CongestionWindow()
  var roundTrip = RoundTrip()
  /// The pacer, which spreads a window over one RTT; nil if the RTT is too short to matter.
  var pace: TokenBucket?
  /// The loss rate of sent datagrams, measured by acknowledgements, and of the peer's datagrams.
  var sentLoss = LossMeter()
  var receivedLoss = LossMeter()
  /// Consecutive timeouts; doubles the next.
  var timeouts = 0
  /// Whether the peer was received again after more than one timeout.
  var isBack = false

  /// The loss rate of the worse direction.
  var lossPercent: Int { max(sentLoss.percent, receivedLoss.percent) }

  /// Sets the pacing rate slightly above window / RTT.
  mutating func setPace(now: Instant) {
    guard let smoothed = roundTrip.smoothed, smoothed >= 1000 else {
      pace = nil
      return
    }
    let perSecond = Int64(window.bytes) * 1_000_000 / smoothed
    let ahead = window.isInSlowStart ? perSecond * 2 : perSecond * 5 / 4
    let rate = min(max(Int(ahead), 1000), LinkRate.range.upperBound)
    // Timers fire slightly late: two milliseconds' worth may be sent at once.
    let depth = max(3 * CongestionWindow.datagram, rate / 500)
    if pace == nil {
      pace = TokenBucket(bytesPerSecond: rate, depthBytes: depth, now: now)
    } else {
      pace?.change(bytesPerSecond: rate, depthBytes: depth, now: now)
    }
  }
}
