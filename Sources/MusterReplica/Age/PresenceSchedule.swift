internal import MusterModel

/// When this device sends a presence record: where it has stamped nothing else for almost half of
/// its user's silence setting, at the start of the program, and soon after it has come to know
/// devices that do not know yet that it is in contact.
struct PresenceSchedule: Sendable {
  /// Between two presence records.
  static let spacingMilliseconds: Int64 = 15_000
  /// Between looks whether this device may write at last.
  static let lookMilliseconds: Int64 = 250
  /// Others that start at the same time are echoed together.
  static let gatheringMilliseconds: Int64 = 2000

  /// Nil until `start`: a relay, which cannot seal one, never starts.
  private(set) var due: Instant?
  private var last: Instant?

  mutating func start(now: Instant) { due = now }

  func isDue(now: Instant) -> Bool { due.map { $0 <= now } ?? false }

  /// A record with a stamp was made.
  ///
  /// - Parameters:
  ///   - half: of the silence setting, in milliseconds.
  ///   - jitter: from 0 up to a tenth of it.
  mutating func noteStamped(half: Int64, jitter: Int64, now: Instant) {
    guard due != nil else { return }
    let wait = max(half - half / 10 + jitter, Self.spacingMilliseconds)
    due = now.advanced(byMilliseconds: wait)
  }

  /// A presence record was made.
  mutating func noteSent(now: Instant) { last = now }

  /// Others wait to be echoed.
  mutating func hurry(now: Instant) {
    guard let due else { return }
    var soon = now.advanced(byMilliseconds: Self.gatheringMilliseconds)
    if let last { soon = max(soon, last.advanced(byMilliseconds: Self.spacingMilliseconds)) }
    self.due = min(due, soon)
  }

  /// It cannot be sent now.
  mutating func putOff(byMilliseconds wait: Int64 = spacingMilliseconds, now: Instant) {
    due = now.advanced(byMilliseconds: wait)
  }
}
