internal import MusterModel

/// Rate limits of what this device does for addresses and devices that it does not know.
struct RateLimits: Sendable {
  /// Its own connection attempts.
  var calls: Allowance
  /// Handshakes that others begin.
  var initiations: Allowance
  /// Signatures of announces from addresses that are not those of their device.
  var strangersSignatures: Allowance
  /// Announces because an unknown or new device is present.
  var selfIntroductions: Allowance

  init(now: Instant) {
    calls = Allowance(saving: Timing.callMilliseconds * Timing.callBurst, now: now)
    initiations = Allowance(
      saving: InitiationCost.milliseconds * InitiationCost.burst, now: now)
    strangersSignatures = Allowance(
      saving: SignatureCost.milliseconds * SignatureCost.burst, now: now)
    selfIntroductions = Allowance(saving: Heartbeat.resetMilliseconds * 8, now: now)
  }
}
