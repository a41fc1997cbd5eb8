internal import MusterCrypto
internal import MusterModel

/// How long a webhook has delivered nothing, although something waits.
///
///     failed attempt ─▶ stall ─▶ after `limit` ─▶ stopped: an alert at command
///                         └─ a delivery, nothing left to post, a pause or a user's change ends it
struct WebhookStall: Hashable, Sendable {
  static let limit = Duration.seconds(120)
  /// Rejected events no longer wait: this many in a row count as waiting.
  static let leastRejections = 3

  /// When the first attempt since the last delivery failed.
  private let since: ContinuousClock.Instant
  /// The events that the receiver has rejected since then.
  private(set) var rejections: Int
  /// Whether an event waits for a retry.
  private var waits: Bool
  /// Whether an alert was raised for it: it then stays over a restart until it is known that it
  /// ended.
  private(set) var isReported: Bool

  /// A stall that begins with a failed attempt.
  init(at now: ContinuousClock.Instant) {
    (since, rejections, waits, isReported) = (now, 0, false, false)
  }

  /// A stall that was reported before a restart.
  init(restoredWith rejections: Int, at now: ContinuousClock.Instant) {
    since = now.advanced(by: .seconds(-86_400))
    self.rejections = rejections
    (waits, isReported) = (true, true)
  }

  /// The row of the alert about a webhook of this name.
  static func row(of name: String) -> RowID {
    RowID(raw: Blake2b.hash128(Array("muster webhook 1".utf8), Array(name.utf8)))
  }

  mutating func noteRejection() { rejections += 1 }

  mutating func noteWait() { waits = true }

  /// Records that nothing is left to post. Returns whether the stall has ended.
  mutating func noteIdle() -> Bool {
    waits = false
    return rejections == 0
  }

  /// Returns whether the webhook counts as stopped, and whether that is new.
  mutating func review(
    at now: ContinuousClock.Instant, after limit: Duration
  ) -> (isStopped: Bool, isChanged: Bool) {
    let isStopped =
      now - since >= limit && (waits || rejections >= Self.leastRejections)
    defer { isReported = isStopped }
    return (isStopped, isStopped != isReported)
  }
}
