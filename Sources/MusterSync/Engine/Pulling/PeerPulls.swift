internal import MusterModel

/// What one peer is asked for, and how much at a time: what it sends in a second or two, so that a
/// slow peer is not left with a large share of what several could send.
struct PeerPulls: Sendable {
  /// Logs of which it holds something that nobody was asked for yet.
  var queue = PullQueue()
  /// Logs of which it was asked for something that has not come.
  var logs: Set<LogID> = []
  /// Frames asked for that have not come.
  var frames = 0
  /// Since it sent anything that was asked for; doubles as the wait grows.
  var attempts = 0
  /// When it counts as silent; nil while nothing is asked for.
  var deadline: Instant?

  private var credit = Self.firstCredit
  private var typicalFrame = 300
  private var received = 0
  private var periodStart: Instant?

  private static let firstCredit = 64 * 1024
  private static let leastCredit = 16 * 1024

  /// Whether it may be asked for more.
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
