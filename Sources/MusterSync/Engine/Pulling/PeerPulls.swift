internal import MusterModel

/// The requests to one peer. Outstanding requests are limited to what the peer sends in a second or
/// two, so that a slow peer does not hold a large share that others could send.
struct PeerPulls: Sendable {
  /// Logs of which it holds something that has not been requested yet.
  var queue = PullQueue()
  /// Logs with outstanding requests.
  var logs: Set<LogID> = []
  /// Requested frames that have not arrived.
  var frames = 0
  /// Timeouts since it delivered anything; the timeout doubles with each.
  var attempts = 0
  /// When its requests time out; nil while none is outstanding.
  var deadline: Instant?

  private var credit = Self.firstCredit
  private var typicalFrame = 300
  private var received = 0
  private var periodStart: Instant?

  private static let firstCredit = 64 * 1024
  private static let leastCredit = 16 * 1024

  /// Whether more may be requested from it.
  var hasCredit: Bool { frames < Limits.wantedFrames && frames * typicalFrame < credit }

  mutating func noteProgress(frames count: Int, bytes: Int, now: Instant) {
    attempts = 0
    typicalFrame = max(32, (7 * typicalFrame + bytes / max(1, count)) / 8)
    received += bytes
    let start = periodStart ?? now
    periodStart = start
    guard received >= credit else { return }
    let took = now.milliseconds(since: start)
    if took < 1000 { credit = min(credit * 2, Limits.wantCreditBytes) }
    if took > 2000 { credit = max(credit / 2, Self.leastCredit) }
    received = 0
    periodStart = now
  }
}
