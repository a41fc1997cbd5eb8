internal import MusterGeo
internal import MusterLocation
internal import MusterModel
internal import MusterReplica

/// What is known of the clocks of the phones that report here, and of the phone of this device's
/// user. Bounded: the phone that was used longest ago is forgotten first.
struct PhoneClocks: Sendable {
  private struct Phone {
    var clock = PhoneClock()
    /// By how much command states that the clock is behind, in milliseconds.
    var behind: Int64
    var used: Instant
  }

  private var phones: [TrackerName?: Phone] = [:]

  /// Returns the age of the sample of a report that arrives now.
  ///
  /// - Parameters:
  ///   - phone: nil for the phone of this device's user.
  ///   - replica: stores what command states about the clock.
  mutating func age(
    of phone: TrackerName?, _ report: TrackerReport, in replica: Replica, now: ClockReading
  ) throws -> SampleAge {
    try with(phone, in: replica, now: now) {
      $0.clock.age(
        of: report.time, proven: report.measuredAge, behind: $0.behind, arriving: now)
    }
  }

  /// Returns by how much command states that the clock of a phone is behind, in milliseconds; 0
  /// without a statement.
  mutating func behind(
    of phone: TrackerName?, in replica: Replica, now: ClockReading
  ) throws -> Int64 {
    try with(phone, in: replica, now: now) { $0.behind }
  }

  private mutating func with<Result>(
    _ phone: TrackerName?, in replica: Replica, now: ClockReading, _ work: (inout Phone) -> Result
  ) throws -> Result {
    if phones[phone] == nil, phones.count > Limits.trackersPerDevice,
      let oldest = phones.min(by: { $0.value.used < $1.value.used })
    {
      phones[oldest.key] = nil
    }
    var known =
      try phones[phone]
      ?? Phone(
        behind: replica.queries.phoneClockBehindMilliseconds(of: phone?.description),
        used: now.instant)
    defer { phones[phone] = known }
    known.used = now.instant
    return work(&known)
  }

  /// Forgets what is known of a phone's clock: command made a statement about it.
  mutating func forget(_ phone: TrackerName?) { phones[phone] = nil }
}

/// Command's statement that the clock of a phone is behind, of which only this node knows: the
/// phone reports here.
enum PhoneClockStatement {
  static func make(
    ofPerson reference: String, behindSeconds: UInt32, at node: isolated Node
  ) throws -> Reply {
    let own = try node.user()
    let person = try node.read { replica, now in
      let statuses = try replica.statuses(now: now)
      let id = try statuses.user(named: reference)
      return try statuses.users().first { $0.id == id }
    }
    guard let person, person.id == own || person.trackerOwner == own else {
      throw NodeError.refused(
        "the phone of \(person?.callsign ?? reference) reports to another laptop: state it there")
    }
    let phone =
      person.id == own ? nil : TrackerName(person.callsign, longestBytes: Limits.lineBytes)
    try node.attempt {
      try $0.write(
        SettingRequests.setPhoneClock(
          behindSeconds: behindSeconds, ofTracker: phone?.description), now: $1)
    }
    node.location.phones.forget(phone)
    node.location.phoneNotes.forgetLateness(of: phone)
    return .done
  }
}
