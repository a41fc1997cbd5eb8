internal import MusterModel

/// Decides when a device publishes its neighbours: after a change has settled, and with a growing
/// interval while changes continue.
///
///     changed ──▶ due after a while, and an interval after the last record ──▶ published
///        └─ as published before: nothing is due          the interval doubles ◀──┘
///                                          and is reset after two intervals without a change
///
/// It is checked when something else is due, so that an idle device is not woken for it; nothing is
/// published without a change.
struct NeighbourPublisher: Sendable {
  /// What is compared: the path to each neighbour. Durations do not count.
  typealias Paths = [DeviceID: NeighbourPath]

  static let settleMilliseconds: Int64 = 20_000
  /// The interval if only paths changed: announces may arrive a minute after a session.
  static let pathSettleMilliseconds: Int64 = 180_000
  static let firstMilliseconds: Int64 = 120_000
  static let lastMilliseconds: Int64 = 1_800_000
  /// The minimum interval between two checks.
  static let restMilliseconds: Int64 = 5000

  /// The last published neighbours; nil if unknown.
  private(set) var published: Paths?
  private var publishedAt: Instant?
  private var due: Instant?
  private var lookedAt: Instant?
  private var intervalMilliseconds = firstMilliseconds

  /// When `look` is to be called; nil while nothing is to be published.
  var nextDeadline: Instant? { due }

  /// Whether it is time for a check.
  func mayLook(now: Instant) -> Bool {
    if let due, due <= now { return true }
    return lookedAt.map { now.milliseconds(since: $0) >= Self.restMilliseconds } ?? true
  }

  /// Restores what an earlier run of the program published.
  mutating func remember(_ published: Paths) { self.published = published }

  /// Compares the current neighbours. Returns true if they are to be published now.
  ///
  /// - Parameter jitter: random, 0 to `settleMilliseconds`, so that devices with the same
  ///   neighbours do not publish at once.
  mutating func look(at paths: Paths, jitter: Int64, now: Instant) -> Bool {
    lookedAt = now
    // A device without neighbours publishes nothing.
    guard paths != published, !paths.isEmpty else {
      due = nil
      return false
    }
    guard let due else {
      if let publishedAt, now.milliseconds(since: publishedAt) >= 2 * intervalMilliseconds {
        intervalMilliseconds = Self.firstMilliseconds
      }
      let isByPath = published.map { $0.keys == paths.keys } ?? false
      let settle = isByPath ? Self.pathSettleMilliseconds : Self.settleMilliseconds
      let settled = now.advanced(byMilliseconds: settle + jitter)
      let rested = publishedAt?.advanced(byMilliseconds: intervalMilliseconds)
      due = max(settled, rested ?? settled)
      return false
    }
    return due <= now
  }

  /// Records that this was durably published.
  mutating func notePublished(_ paths: Paths, now: Instant) {
    if publishedAt != nil {
      intervalMilliseconds = min(2 * intervalMilliseconds, Self.lastMilliseconds)
    }
    (published, publishedAt, due) = (paths, now, nil)
  }

  /// Postpones publishing without a key or without room: checked again when something else is due.
  mutating func putOff() { due = nil }
}
