internal import MusterModel
internal import MusterStatus
internal import MusterStore
internal import MusterSync

/// Ages of what is held, at one reading of the clock. The evidence is in `AgeTracker`.
struct AgeReader {
  let context: ReadContext
  let ages: AgeTracker
  let now: ClockReading

  init(context: ReadContext, ages: AgeTracker, now: ClockReading) {
    self.context = context
    self.ages = ages
    self.now = now
  }

  init(of core: ReplicaCore, at now: ClockReading) {
    self.init(context: core.context, ages: core.records.ages, now: now)
  }

  /// The reading of this machine's boot clock.
  var reading: Int64 { ages.reading(now) }

  /// Returns the age of the newest stamped evidence of a device or tracker, in milliseconds; nil
  /// without a stamp. The upper bound decides `noContact`; without an echo of an own record it is
  /// above `1 << 51`.
  func evidenceAge(of subject: DeviceID) -> Span? {
    ages.age(of: subject, now: now)
  }

  /// Returns the age of a position without a stamp, by its arrival and the wall clocks.
  func unstampedAge(of position: DevicePosition) -> UnstampedAge {
    UnstampedAge(
      sinceArrival: ages.sinceArrival(ofPositionOf: position.device, now: now), wall: now.wall,
      reportedAt: position.report.recordedAt)
  }

  /// Returns when the newest position record of a device or tracker was made, by this machine's
  /// boot clock
  /// (`ClockReading.boot`); nil without a stamp.
  func made(ofPositionOf subject: DeviceID) -> Span? { ages.made(ofPositionOf: subject) }

  /// Returns when the frame of a dot was made, by this machine's boot clock; nil outside the urgent
  /// lane or without a stamp.
  func made(of dot: Dot) throws(StoreError) -> Span? {
    try context.store.arrival(ofFrame: dot.frame).flatMap(ages.made)
  }

  /// Whether this device knows every contact with a tracker.
  func isWatched(_ tracker: DeviceID) -> Bool { ages.isWatched(tracker) }

  /// Returns the time of the last contact with a device or tracker.
  func received(
    _ device: DeviceID, position: DevicePosition?
  ) -> Evidence? {
    if device == context.local.device {
      let boot = reading
      return .stamped(Span(earliest: boot, latest: boot))
    }
    if let newest = ages.newest(of: device) { return .stamped(newest) }
    return position.map { made($0) }
  }

  /// Returns when the record of a position was made.
  func made(_ position: DevicePosition) -> Evidence {
    if let span = made(ofPositionOf: position.device) { return .stamped(span) }
    let age = unstampedAge(of: position)
    return .unstamped(
      arrival: reading - age.milliseconds.earliest,
      reportedAt: position.report.recordedAt)
  }

  /// When the write of a value was made.
  func made(_ written: WrittenMoment) -> Evidence {
    if let span = written.arrival.flatMap(ages.made) { return .stamped(span) }
    let sinceArrival = written.arrival.map { ages.sinceArrival(of: $0, now: now) } ?? 0
    return .unstamped(
      arrival: reading - sinceArrival, reportedAt: written.writtenAt)
  }

  /// Returns the time since the last contact.
  func contactAge(of assessment: StatusAssessment) -> ContactAge? {
    guard let received = assessment.received else { return nil }
    let age = received.age(at: reading)
    return ContactAge(
      seconds: (received.hasEarliest ? age.latest : age.earliest) / 1000,
      atMostSeconds: received.hasEarliest ? age.latest / 1000 : nil,
      reason: assessment.clockDiffers ? "clock differs" : nil)
  }

  /// Returns the time of a person's last contact: the newest evidence of any of their devices that
  /// are not revoked; if none has a stamp, of their newest position.
  ///
  /// - Parameter devices: their devices; for a tracker, the id of its row as a device.
  func contactAge(
    of devices: [DeviceID], position: DevicePosition?
  ) -> Span? {
    let known = devices.compactMap { evidenceAge(of: $0) }
    guard let first = known.first else {
      return position.map { unstampedAge(of: $0).milliseconds }
    }
    return known.dropFirst().reduce(first) { $0.earlier($1) }
  }

  /// Returns the displayed age of a fix: by its author's wall clock, within the possible bounds;
  /// nil if it is unknown.
  func shownAge(of position: DevicePosition) -> Int64? {
    let age = position.report.age
    return age.isUnknown ? nil : shownContactAge(of: position) + age.leastMilliseconds
  }

  /// Returns the displayed time since the record of a position was made.
  func shownContactAge(of position: DevicePosition) -> Int64 {
    let unstamped = unstampedAge(of: position)
    guard let made = made(ofPositionOf: position.device) else {
      return unstamped.milliseconds.latest
    }
    return made.age(at: reading)
      .guess(wallClockEstimate: now.wall.milliseconds(since: position.report.recordedAt))
  }

  /// Returns each user's devices that are not revoked.
  func countingDevices() -> [UserID: [DeviceID]] {
    var devices: [UserID: [DeviceID]] = [:]
    for author in Set(context.control.state.admitted.values.map(\.signed.certificate.author))
    where !context.control.isRevoked(author.device) {
      devices[author.user, default: []].append(author.device)
    }
    return devices
  }

  /// Returns the devices that are not revoked and whose boot clocks jumped in the last hour.
  func clockFaults() throws(StoreError) -> [(device: DeviceID, callsign: String)] {
    var users: [DeviceID: UserID] = [:]
    for (user, devices) in countingDevices() { for device in devices { users[device] = user } }
    var faults: [(device: DeviceID, callsign: String)] = []
    for device in ages.clockFaults(now: now) {
      guard let user = users[device] else { continue }
      faults.append((device, try context.callsign(of: user)))
    }
    return faults
  }

  /// Returns the seconds since anything of each person's laptops arrived, of those that were met
  /// directly since the start; of several the least.
  func secondsSinceMet(by engine: SyncEngine) -> [UserID: Int64] {
    let met = Dictionary(
      engine.silences(now: now.instant).filter(\.wasMet).map { ($0.device, $0.seconds) },
      uniquingKeysWith: { first, _ in first })
    return countingDevices().compactMapValues { devices in devices.compactMap { met[$0] }.min() }
  }

  /// Returns the people whose data arrived within their silence setting while no echo of
  /// an own record bounds its age: after a start of this machine, everyone for a moment. They are
  /// not in contact, but have not become silent.
  func unconfirmed() throws(StoreError) -> Set<UserID> {
    let settings = SettingsReader(context: context)
    var found: Set<UserID> = []
    for (user, devices) in countingDevices() {
      guard let age = contactAge(of: devices, position: nil), age.latest > 1 << 51,
        age.earliest <= (try settings.silenceMilliseconds(of: user))
      else { continue }
      found.insert(user)
    }
    return found
  }
}
