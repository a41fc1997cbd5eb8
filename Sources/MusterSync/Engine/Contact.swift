internal import MusterModel

/// An address that is worth trying.
struct Contact: Sendable {
  var device: DeviceID?
  /// `never` while its device is reached, or nobody needs it.
  var nextAttempt: Instant
  var lastAttempt: Instant?
  var backoffMilliseconds = Timing.contactFirstMilliseconds
  /// Nil for an address that the user gave, or at which a device proved to be: it is tried for
  /// ever. One that was only heard may be a forged source, and is given up after so many tries.
  var attemptsLeft: Int?

  static let never = Instant(microseconds: .max)

  mutating func hasten(to moment: Instant) {
    nextAttempt = min(nextAttempt, moment)
    backoffMilliseconds = Timing.contactFirstMilliseconds
  }
}
