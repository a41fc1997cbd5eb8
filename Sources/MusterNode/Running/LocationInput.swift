internal import MusterGeo
internal import MusterLocation
internal import MusterModel

/// This device's position source and the trackers that report to it, on their way to the replica,
/// and the devices nearby, which stay here.
struct LocationInput: Sendable {
  /// The devices nearby.
  private var proximity: ProximityRecorder
  /// The exposure notices that concern this device's user.
  private var exposures = ExposureWatch()
  /// This device's own fixes.
  var watch = LocationWatch(
    profile: .foreground,
    silenceMilliseconds: Limits.usualSilenceMilliseconds)
  /// Whether the foreground or the background sampling settings apply.
  private(set) var inForeground = true
  /// The position source; nil without one.
  private var source: SourceWatch?
  /// The clocks of the phones that report here.
  var phones = PhoneClocks()
  /// The trackers that this node records; nil until the first report.
  private(set) var trackers: TrackerGate?
  /// The rates of the phone of this device's user: its reports and its calls; nil until the first.
  private var ownRate: (reports: RateLimiter, calls: RateLimiter)?
  /// What is noted about their messages.
  var phoneNotes = PhoneNotes()
  /// Returns the names of the logins, whose people the shared token of phones does not prove.
  var loginNames: @Sendable () -> [String] = { [] }

  /// The battery of this machine, and when it is read next.
  private var battery = (reader: SystemBattery(), due: Instant?.none)
  /// Between two readings of the battery.
  private static let batteryMilliseconds: Int64 = 60_000

  init(proximity: ProximityRecorder) { self.proximity = proximity }

  mutating func goToBackground() { inForeground = false }

  /// Reads or changes the log of the devices nearby.
  mutating func withProximity<Result>(
    _ work: (inout ProximityRecorder) throws -> Result
  ) rethrows -> Result {
    try work(&proximity)
  }

  /// Reads or changes what is known of exposure notices.
  mutating func withExposures<Result>(_ work: (inout ExposureWatch) -> Result) -> Result {
    work(&exposures)
  }

  /// Reads the battery if that is due. Returns nil if it is not due, and a reading of nil for a
  /// machine without a battery.
  mutating func batteryReading(now: Instant) -> UInt8?? {
    if let due = battery.due, now < due { return nil }
    battery.due = now.advanced(byMilliseconds: Self.batteryMilliseconds)
    return .some(battery.reader.percent())
  }

  /// Sets the name of the position source. MUST be called before its first event.
  mutating func listen(to name: String, now: Instant) { source = SourceWatch(name: name, now: now) }

  /// Updates the state of the source. Returns its name if the state changed.
  mutating func change(to state: SourceState) -> String? {
    source?.change(to: state) == true ? source?.name : nil
  }

  /// Records where the events of the source come from.
  mutating func noteOrigin(_ origin: FixOrigin) {
    if origin == .replay { source?.noteRecording() }
  }

  /// Records what the source sent.
  mutating func record(_ reading: Reading, now: Instant) { source?.record(reading, now: now) }

  /// Records an accepted fix of this device.
  mutating func noteFix(now: Instant) { source?.noteFix(now: now) }

  /// Limits and orders a tracker's report.
  ///
  /// - Parameter known: the names of the trackers that the replica stores.
  mutating func judge(
    _ report: TrackerReport, of name: TrackerName, as standing: TrackerGate.Standing,
    isUrgent: Bool, known: @autoclosure () throws -> [String], now: ClockReading
  ) throws -> TrackerGate.Answer {
    try withTrackers(known: known, now: now) {
      $0.judge(report, of: name, as: standing, isUrgent: isUrgent, now: now)
    }
  }

  /// Whether a report of the phone of this device's user is within the rate of one phone.
  ///
  /// - Parameters:
  ///   - count: of how many reports it uses the rate.
  ///   - isCall: whether it calls for help: these have a rate of their own.
  mutating func admitsOwnReport(as count: Int64 = 1, isCall: Bool = false, now: Instant) -> Bool {
    var rate =
      ownRate ?? (TrackerGate.rateOfReports(now: now), TrackerGate.rateOfCalls(now: now))
    defer { ownRate = rate }
    if isCall, rate.calls.take(TrackerGate.millisecondsPerCall, now: now) { return true }
    return rate.reports.take(count * TrackerGate.millisecondsPerReport, now: now)
  }

  /// Forgets the fixes of trackers that were judged since an earlier state and not stored.
  mutating func withdraw(fixesOf names: Set<TrackerName>, since before: TrackerGate?) {
    for name in names { trackers?.withdraw(fixesOf: name, since: before) }
  }

  /// Whether a message with a call for help is within the rate of its tracker, which MUST be
  /// admitted.
  mutating func isWithinRateOfCalls(_ name: TrackerName, now: ClockReading) -> Bool {
    trackers?.isWithinRateOfCalls(name, now: now.instant) ?? false
  }

  /// Whether a tracker is known, or finds a place.
  mutating func admits(
    _ name: TrackerName, as standing: TrackerGate.Standing,
    known: @autoclosure () throws -> [String], now: ClockReading
  ) throws -> Bool {
    try withTrackers(known: known, now: now) { $0.admits(name, as: standing, now: now.instant) }
  }

  private mutating func withTrackers<Result>(
    known: () throws -> [String], now: ClockReading, _ work: (inout TrackerGate) -> Result
  ) rethrows -> Result {
    var gate =
      try trackers
      ?? TrackerGate(
        known: known().compactMap { TrackerName($0, longestBytes: Limits.lineBytes) },
        mostTrackers: Limits.trackersPerDevice, now: now.instant)
    defer { trackers = gate }
    return work(&gate)
  }

  /// Whether names under the shared token of phones find no place any more.
  var isPhoneTableFull: Bool { trackers?.isFull ?? false }

  /// Why this device gets no position although it has a source; nil if it gets one.
  func problem(now: Instant) -> Phrase? { source?.problem(now: now) }

  /// For `status`.
  func status(now: Instant) -> LocationStatus {
    LocationStatus(
      source: source?.name ?? "", state: source?.state.rawValue ?? "", mode: watch.mode.rawValue,
      refused: watch.counts, problem: problem(now: now))
  }
}
