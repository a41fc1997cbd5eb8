internal import MusterModel

/// Decides when this device sends a presence record: if it has stamped nothing else for almost half
/// of its user's silence setting, at the start of the program, and soon after it meets devices that
/// do not know yet that it is in contact.
struct PresenceSchedule: Sendable {
  /// The minimum interval between two presence records.
  static let spacingMilliseconds: Int64 = 15_000
  /// The interval between checks whether this device may write.
  static let lookMilliseconds: Int64 = 250
  /// How long other starting devices are collected, so that they are echoed together.
  static let gatheringMilliseconds: Int64 = 2000

  /// Returns the least time between two records of one tracker that publish a contact without a new
  /// fix: others may show it out of contact that much too early.
  ///
  /// - Parameter silence: the silence setting, in milliseconds.
  static func contactSpacing(silence: Int64) -> Int64 { min(max(silence / 10, 5000), 60_000) }

  /// Nil until `start`. A relay never starts, since it cannot seal a record.
  private(set) var due: Instant?
  private var last: Instant?

  mutating func start(now: Instant) { due = now }

  func isDue(now: Instant) -> Bool { due.map { $0 <= now } ?? false }

  /// Records that a stamped record was made.
  ///
  /// - Parameters:
  ///   - half: half of the silence setting, in milliseconds.
  ///   - jitter: from 0 up to a tenth of it.
  mutating func noteStamped(half: Int64, jitter: Int64, now: Instant) {
    guard due != nil else { return }
    let wait = max(half - half / 10 + jitter, Self.spacingMilliseconds)
    due = now.advanced(byMilliseconds: wait)
  }

  /// Records that a presence record was made.
  mutating func noteSent(now: Instant) { last = now }

  /// Shortens the wait, because other devices wait for an echo.
  mutating func hurry(now: Instant) {
    guard let due else { return }
    var soon = now.advanced(byMilliseconds: Self.gatheringMilliseconds)
    if let last { soon = max(soon, last.advanced(byMilliseconds: Self.spacingMilliseconds)) }
    self.due = min(due, soon)
  }

  /// Postpones a record that cannot be sent now.
  mutating func putOff(byMilliseconds wait: Int64 = spacingMilliseconds, now: Instant) {
    due = now.advanced(byMilliseconds: wait)
  }
}
