internal import MusterModel

/// What is known of the path to a peer: how much may be under way on it, how long it takes, what it
/// loses. Once one of both ends has moved nothing of it holds (RFC 9000 §9.4).
struct Path: Sendable {
  var window = CongestionWindow()
  var roundTrip = RoundTrip()
  /// Spreads a window over a round trip; nil where round trips are too short to matter.
  var pace: TokenBucket?
  /// Of what was sent, by what was acknowledged; and of what the peer sent.
  var sentLoss = LossMeter()
  var heardLoss = LossMeter()
  /// Timeouts in a row; doubles the next.
  var timeouts = 0
  /// The peer has just been heard again, after what was said to it timed out more than once.
  var isBack = false

  /// Of both directions, the worse.
  var lossPercent: Int { max(sentLoss.percent, heardLoss.percent) }

  /// As fast as the window and the round trip are now, and a little faster.
  mutating func setPace(now: Instant) {
    guard let smoothed = roundTrip.smoothed, smoothed >= 1000 else {
      pace = nil
      return
    }
    let perSecond = Int64(window.bytes) * 1_000_000 / smoothed
    let ahead = window.isInSlowStart ? perSecond * 2 : perSecond * 5 / 4
    let rate = min(max(Int(ahead), 1000), LinkRate.range.upperBound)
    // A timer comes a little late: two milliseconds' worth may leave at once.
    let depth = max(3 * CongestionWindow.datagram, rate / 500)
    if pace == nil {
      pace = TokenBucket(bytesPerSecond: rate, depthBytes: depth, now: now)
    } else {
      pace?.change(bytesPerSecond: rate, depthBytes: depth, now: now)
    }
  }
}
