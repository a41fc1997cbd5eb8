internal import MusterModel
internal import MusterReplica

/// Whom to tell what has changed, and when to look for alerts.
///
/// Alerts are looked at soon after something has changed, from time to time besides, since silence
/// is one too, and never so often that a large operation's node does little else.
struct NewsDesk: Sendable {
  /// Batches that wait for a slow follower.
  static let bound = 1024
  private static let soonMicroseconds: Int64 = 200_000
  private static let restMicroseconds: Int64 = 1_000_000
  private static let idleMicroseconds: Int64 = 10_000_000
  /// A look takes at most one part in so many of a node's time.
  private static let thrift: Int64 = 20

  let crossings = Followers<[CrossingSummary]>(bound: bound)
  /// The newest alerts, and the newest counts, say all that earlier ones said.
  let alerts = Followers<[Alert]>(bound: 1)
  let counts = Followers<ChangeCounts>(bound: 1)
  private(set) var log: ChangeLog
  /// The counts of `log`, always.
  let tally: ChangeTally
  /// When alerts are to be looked at next.
  private(set) var reviewDue = Instant(microseconds: 0)
  private var restEnds = Instant(microseconds: 0)

  init(starts: UInt64) {
    log = ChangeLog(starts: starts)
    tally = ChangeTally(log.counts)
  }

  /// To be called with what came of every piece of work.
  mutating func note(_ outcome: Replica.Outcome, now: Instant) {
    guard log.note(outcome) else { return }
    tally.set(log.counts)
    counts.tell(log.counts)
    let soon = Instant(microseconds: now.microseconds + Self.soonMicroseconds)
    reviewDue = min(reviewDue, max(soon, restEnds))
  }

  /// To be called when a look has ended.
  mutating func reviewed(from start: Instant, to end: Instant) {
    let taken = max(0, end.microseconds - start.microseconds)
    let rest = max(Self.restMicroseconds, Self.thrift * taken)
    restEnds = Instant(microseconds: end.microseconds + rest)
    reviewDue = max(
      restEnds, Instant(microseconds: end.microseconds + Self.idleMicroseconds))
  }

  func finish() {
    crossings.finish()
    alerts.finish()
    counts.finish()
  }
}
