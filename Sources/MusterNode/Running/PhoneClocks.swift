internal import MusterGeo
internal import MusterLocation
internal import MusterModel

/// What is known of the clocks of the phones that report here, and of the phone of this device's
/// user. Bounded: the phone that was used longest ago is forgotten first.
struct PhoneClocks: Sendable {
  private struct Phone {
    var clock = PhoneClock()
    var used: Instant
  }

  private var phones: [TrackerName?: Phone] = [:]

  /// Returns the age of a sample that arrives now.
  ///
  /// - Parameters:
  ///   - phone: nil for the phone of this device's user.
  ///   - time: what the phone states.
  mutating func age(
    of phone: TrackerName?, _ time: DeviceTime, now: ClockReading
  ) -> SampleAge {
    if phones[phone] == nil, phones.count > Limits.trackersPerDevice,
      let oldest = phones.min(by: { $0.value.used < $1.value.used })
    {
      phones[oldest.key] = nil
    }
    var known = phones[phone] ?? Phone(used: now.instant)
    defer { phones[phone] = known }
    known.used = now.instant
    return known.clock.age(of: time, arriving: now)
  }
}
