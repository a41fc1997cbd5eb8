internal import MusterModel

/// When a device tells whom it hears: once that has changed and settled, and ever less often while
/// it goes on changing.
///
///     changed ──▶ due after a while, and an interval after the last telling ──▶ told
///        └─ back as it was told: nothing is due          the interval doubles ◀──┘
///                                         and is the first again after two without a change
///
/// It is looked at when something else is due, so that who is idle is not woken for it; nothing is
/// told while nothing changes.
struct NeighbourDesk: Sendable {
  /// What is compared: by which path each is heard. For how long does not count.
  typealias Heard = [DeviceID: NeighbourPath]

  static let settleMilliseconds: Int64 = 20_000
  /// The same where the same are heard as before by other paths: announces may come a minute after
  /// a session.
  static let pathSettleMilliseconds: Int64 = 180_000
  static let firstMilliseconds: Int64 = 120_000
  static let lastMilliseconds: Int64 = 1_800_000
  /// Looked at no more often.
  static let restMilliseconds: Int64 = 5000

  /// What was told last; nil while that is not known.
  private(set) var told: Heard?
  private var toldAt: Instant?
  private var due: Instant?
  private var lookedAt: Instant?
  private var intervalMilliseconds = firstMilliseconds

  /// When `look` is wanted; nil while there is nothing to tell.
  var nextDeadline: Instant? { due }

  /// Whether a look is worth its while yet.
  func mayLook(now: Instant) -> Bool {
    if let due, due <= now { return true }
    return lookedAt.map { now.milliseconds(since: $0) >= Self.restMilliseconds } ?? true
  }

  /// What an earlier life of the program told.
  mutating func remember(_ told: Heard) { self.told = told }

  /// Takes whom the device hears now. True when that is to be told now.
  ///
  /// - Parameter jitter: drawn anew, 0 to `settleMilliseconds`: who hears the same does not tell
  ///   it at once.
  mutating func look(at heard: Heard, jitter: Int64, now: Instant) -> Bool {
    lookedAt = now
    // Who hears nobody tells nobody.
    guard heard != told, !heard.isEmpty else {
      due = nil
      return false
    }
    guard let due else {
      if let toldAt, now.milliseconds(since: toldAt) >= 2 * intervalMilliseconds {
        intervalMilliseconds = Self.firstMilliseconds
      }
      let isByPath = told.map { $0.keys == heard.keys } ?? false
      let settle = isByPath ? Self.pathSettleMilliseconds : Self.settleMilliseconds
      let settled = now.advanced(byMilliseconds: settle + jitter)
      let rested = toldAt?.advanced(byMilliseconds: intervalMilliseconds)
      due = max(settled, rested ?? settled)
      return false
    }
    return due <= now
  }

  /// It is durable that this was told.
  mutating func noteTold(_ heard: Heard, now: Instant) {
    if toldAt != nil {
      intervalMilliseconds = min(2 * intervalMilliseconds, Self.lastMilliseconds)
    }
    (told, toldAt, due) = (heard, now, nil)
  }

  /// There is no key to tell it under, or no room: looked at again when something else is due.
  mutating func putOff() { due = nil }
}
