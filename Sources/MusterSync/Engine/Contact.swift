internal import MusterModel

/// An address that the engine tries to connect to.
struct Contact: Sendable {
  var device: DeviceID?
  /// `never` while its device is reachable, or no session with it is needed.
  var nextAttempt: Instant
  var lastAttempt: Instant?
  var backoffMilliseconds = Timing.contactFirstMilliseconds
  /// Nil for an address that the user configured or that a device authenticated from: it is retried
  /// indefinitely. An address that was only received may be a forged source, so its attempts are
  /// limited.
  var attemptsLeft: Int?

  static let never = Instant(microseconds: .max)

  mutating func hasten(to moment: Instant) {
    nextAttempt = min(nextAttempt, moment)
    backoffMilliseconds = Timing.contactFirstMilliseconds
  }
}
