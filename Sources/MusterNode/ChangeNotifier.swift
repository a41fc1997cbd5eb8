internal import MusterModel
internal import MusterReplica

/// Notifies subscribers of changes, and schedules the review of alerts.
///
/// Alerts are reviewed soon after a change, and periodically, since silence raises alerts too; but
/// at most so often that a large operation's node has time for other work. What a person states,
/// such as a call for help, and an entry into a zone wait less for a review than other writes.
struct ChangeNotifier: Sendable {
  /// Batches that wait for a slow subscriber.
  static let bound = 1024
  private static let soonMicroseconds: Int64 = 200_000
  private static let restMicroseconds: Int64 = 1_000_000
  private static let idleMicroseconds: Int64 = 10_000_000
  /// A review takes at most this fraction of a node's time, and this one after a change of people.
  private static let thrift: Int64 = 20
  private static let thriftAboutPeople: Int64 = 3

  let crossings = Followers<[CrossingSummary]>(bound: bound)
  /// Queues of one element: the newest alerts and counts replace all earlier ones.
  let alerts = Followers<[Alert]>(bound: 1)
  let counts = Followers<ChangeCounts>(bound: 1)
  private(set) var log: ChangeLog
  /// Always equal to the counts of `log`.
  let tally: ChangeTally
  private var photos = PhotoNotices()
  /// When alerts are next reviewed.
  private(set) var reviewDue = Instant(microseconds: 0)
  private var restEnds = Instant(microseconds: 0)
  private var restAboutPeopleEnds = Instant(microseconds: 0)
  /// The webhooks that have stopped; nil until their sender reports.
  private(set) var stoppedWebhooks: [StoppedWebhook]?

  init(starts: UInt64) {
    log = ChangeLog(starts: starts)
    tally = ChangeTally(log.counts)
  }

  /// Records the outcome of a piece of work. MUST be called with each outcome.
  mutating func note(_ outcome: Replica.Outcome, now: Instant) {
    photos.note(outcome.grownBlobs)
    guard log.note(outcome) else { return }
    tally.set(log.counts)
    counts.send(log.counts)
    let soon = Instant(microseconds: now.microseconds + Self.soonMicroseconds)
    let rest = outcome.concernsPeople ? restAboutPeopleEnds : restEnds
    reviewDue = min(reviewDue, max(soon, rest))
  }

  /// Records which webhooks have stopped, for the next review.
  mutating func note(_ stopped: [StoppedWebhook]) {
    guard stoppedWebhooks != stopped else { return }
    stoppedWebhooks = stopped
    reviewDue = min(reviewDue, restEnds)
  }

  /// Records that other exposure notices concern this device's user.
  mutating func noteExposures() {
    log.noteExposures()
    tally.set(log.counts)
    counts.send(log.counts)
  }

  /// Records the end of a review.
  ///
  /// - Parameter change: when time alone may change a status next.
  mutating func reviewed(from start: Instant, to end: Instant, nextChange change: Instant?) {
    let taken = max(0, end.microseconds - start.microseconds)
    let rest = max(Self.restMicroseconds, Self.thrift * taken)
    restEnds = Instant(microseconds: end.microseconds + rest)
    restAboutPeopleEnds = Instant(microseconds: end.microseconds + Self.thriftAboutPeople * taken)
    let idle = Instant(microseconds: end.microseconds + Self.idleMicroseconds)
    reviewDue = max(restEnds, change.map { min($0, idle) } ?? idle)
  }

  /// When the progress of photos is to be announced; nil while there is none.
  var photosDue: Instant? { photos.due }

  /// Returns the blobs whose progress is due, and forgets them.
  mutating func takeGrownPhotos(now: Instant) -> Set<BlobID> { photos.take(now: now) }

  /// Records that the progress of photos was announced.
  mutating func announcedPhotos(from start: Instant, to end: Instant) {
    photos.announced(from: start, to: end)
  }

  /// Makes the next review due: after a sleep of the machine, timers may be past due.
  mutating func hasten() { reviewDue = Instant(microseconds: 0) }

  func finish() {
    crossings.finish()
    alerts.finish()
    counts.finish()
  }
}

extension Replica.Outcome {
  /// Whether the row of a person changed, a call of someone who is not proven, or who is in a zone.
  fileprivate var concernsPeople: Bool {
    !crossings.isEmpty
      || changedRows.contains { [.user, .tracker, .unverifiedCall].contains($0.kind) }
  }
}
