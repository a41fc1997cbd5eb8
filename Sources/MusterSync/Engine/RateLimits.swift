internal import MusterModel

/// Rate limits of what this device does for addresses that it does not know.
struct RateLimits: Sendable {
  /// Its own connection attempts.
  var calls: Allowance
  /// Handshakes that others begin.
  var initiations: Allowance

  init(now: Instant) {
    calls = Allowance(saving: Timing.callMilliseconds * Timing.callBurst, now: now)
    initiations = Allowance(
      saving: InitiationCost.milliseconds * InitiationCost.burst, now: now)
  }
}
