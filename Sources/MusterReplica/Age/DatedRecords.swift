internal import MusterCrypto
internal import MusterModel
internal import MusterStore

/// Records and stamped frames with their dates: those of other devices, and this device's own.
///
///     received record ─▶ take ─┬─▶ ReceivedRecords  (visible at once, folded every few minutes)
///     received frame ──▶ take ─┼─▶ AgeTracker       (when was it made?)
///                              └─▶ TelemetryIndex   (what does it state?)
///     own record, frame ◀─ stamp, noteOwn ─▶ PresenceSchedule  (is a presence record due?)
///
/// It neither verifies nor decrypts: a `RecordOpener` reads the records.
///
/// - A record that was taken is dated at the same time, if it can be read.
/// - Dates of received records are stored with their fold, all others with the next commit.
struct DatedRecords: Sendable {
  private(set) var ages: AgeTracker
  /// Records of other devices that are not in the tables of newest records yet.
  private(set) var received = ReceivedRecords()
  private(set) var telemetry = TelemetryIndex()
  /// When this device sends a presence record.
  private(set) var presence = PresenceSchedule()

  /// What a record changes that was taken.
  struct Arrival {
    /// Nil without a readable position.
    let position: DevicePosition?
    /// Whether lists show another battery.
    let hasBattery: Bool
  }

  init(
    in store: Store, of device: DeviceID, boot: BootID, now: ClockReading
  ) throws(StoreError) {
    ages = try AgeTracker(store: store, observer: device, boot: boot, now: now)
  }

  /// Reads again what memory may be ahead of.
  mutating func reload(
    from store: Store, of device: DeviceID, boot: BootID, now: ClockReading
  ) throws(StoreError) {
    ages = try AgeTracker(store: store, observer: device, boot: boot, now: now)
    received = ReceivedRecords()
  }

  /// When the next work is due.
  var deadlines: [Instant?] { [received.nextDeadline, presence.due] }

  // MARK: Received

  /// Takes a verified record that a peer sent.
  mutating func take(
    _ record: LatestRecord, opener: RecordOpener, now: ClockReading
  ) -> Arrival {
    let opened = opener.opened(record)
    let name = StampedRecordID(record, operation: opener.operation)
    received.take(
      record, opened?.position, name: name, arrival: ages.arrivalTime(now), now: now.instant)
    if let opened { date(opened, named: name, isStaged: true, now: now) }
    return Arrival(
      position: opened?.position, hasBattery: noteTelemetry(of: record, opener: opener))
  }

  /// Dates a record that can be read only now.
  mutating func date(_ opened: OpenedRecord, named name: StampedRecordID, now: ClockReading) {
    date(opened, named: name, isStaged: false, now: now)
  }

  /// - Parameter isStaged: whether its date follows from a staged record, so that it is stored with
  ///   the fold.
  private mutating func date(
    _ opened: OpenedRecord, named name: StampedRecordID, isStaged: Bool, now: ClockReading
  ) {
    ages.take(
      name, of: opened.subject, from: opened.source, by: opened.author, stated: opened.stated,
      isStaged: isStaged, now: now)
    answerAnchors(now: now)
  }

  /// Dates a frame of the urgent lane that another program wrote.
  mutating func takeFrame(
    _ hash: FrameHash, by author: DeviceID, stated: RecordStamp?, now: ClockReading
  ) {
    ages.takeFrame(hash, by: author, stated: stated, now: now)
    answerAnchors(now: now)
  }

  private mutating func answerAnchors(now: ClockReading) {
    if ages.wantsAnchor(now: now) { presence.hurry(now: now.instant) }
  }

  /// Takes what a record states about its device, if it can be read. Returns whether lists show
  /// another battery.
  mutating func noteTelemetry(of record: LatestRecord, opener: RecordOpener) -> Bool {
    guard let (subject, stated) = opener.telemetry(of: record) else { return false }
    let before = telemetry.batteryPercent(of: subject)
    telemetry.take(stated, of: subject, in: record.kind, at: record.order)
    return telemetry.batteryPercent(of: subject) != before
  }

  /// Returns the devices whose ages may have changed since the last call.
  mutating func takeDated() -> Set<DeviceID> { ages.takeDated() }

  // MARK: Own

  /// Starts to send presence records.
  mutating func startPresence(now: Instant) { presence.start(now: now) }

  /// Postpones a presence record that cannot be sent now.
  mutating func putOffPresence(
    byMilliseconds wait: Int64 = PresenceSchedule.spacingMilliseconds, now: Instant
  ) {
    presence.putOff(byMilliseconds: wait, now: now)
  }

  /// Records that a presence record was made.
  mutating func notePresenceSent(now: Instant) { presence.noteSent(now: now) }

  /// Reads the clock for a record or frame that is about to be signed.
  ///
  /// - Parameters:
  ///   - control: lists the devices of the operation.
  ///   - silence: this user's silence setting, in milliseconds.
  mutating func stamp(
    _ rule: AgeTracker.AnchorRule, by control: ControlPlane, silence: Int64,
    random: inout DeterministicRandom, now: ClockReading
  ) -> RecordStamp {
    let admitted = control.state.admitted
    return ages.stamp(
      rule, devices: admitted.count, silence: silence,
      commanders: {
        let authors = admitted.values.lazy.map(\.signed.certificate.author)
        return Set(authors.filter { $0.role == .command }.map(\.device))
      }, random: &random, now: now)
  }

  /// Records that this program signed a record with a stamp.
  mutating func noteOwn(
    _ id: StampedRecordID, of subject: DeviceID, from source: StampSource, _ stamp: RecordStamp
  ) {
    ages.noteOwn(id, of: subject, from: source, stamp)
  }

  /// Records that this program signed a frame with a stamp.
  mutating func noteOwnFrame(_ hash: FrameHash, _ stamp: RecordStamp) {
    ages.noteOwnFrame(hash, stamp)
  }

  /// Records that a stamp is about to be sent.
  ///
  /// - Parameter silence: this user's silence setting, in milliseconds.
  mutating func noteStamped(
    silence: Int64, random: inout DeterministicRandom, now: Instant
  ) {
    let half = max(1, silence / 2)
    let jitter = Int64(random.uniform(below: UInt64(max(1, half / 10))))
    presence.noteStamped(half: half, jitter: jitter, now: now)
  }

  /// Records that a tracker of this device is in contact, whether or not others are informed.
  mutating func recordContact(of tracker: DeviceID, now: ClockReading) {
    ages.recordContact(of: tracker, now: now)
  }

  // MARK: Writing

  /// Requests that the next commit makes the received records durable.
  mutating func hurry() { received.hurry() }

  /// Adds the dates, and the received records that are due, to a batch.
  mutating func addDue(to batch: inout Batch, now: ClockReading) {
    switch received.work(now: now.instant) {
    case .nothing: break
    case .staging: received.stage(in: &batch)
    case .fold: fold(into: &batch, at: ages.reading(now))
    }
    batch.ages = ages.takeChanges()
  }

  /// Adds everything that was received to a batch, as rows.
  ///
  /// - Parameter time: the boot clock's reading.
  mutating func fold(into batch: inout Batch, at time: Int64) {
    received.fold(
      into: &batch, ages: ages.takeStaged(), journalStart: ages.journalStart(at: time))
  }

  /// Reads the staged records after a start, with their ages as at their arrival. Returns whether
  /// lists show a battery.
  mutating func restoreStaged(
    from store: Store, opener: RecordOpener, now: Instant
  ) throws(StoreError) -> Bool {
    received = ReceivedRecords()
    telemetry = TelemetryIndex()
    var hasBattery = false
    for record in try store.records() where noteTelemetry(of: record, opener: opener) {
      hasBattery = true
    }
    for staged in try store.stagedRecords() {
      let opened = opener.opened(staged.record)
      if let opened {
        ages.restore(
          StampedRecordID(staged.record, operation: opener.operation), of: opened.subject,
          from: opened.source, by: opened.author, stated: opened.stated, arrivedIn: staged.boot,
          at: staged.arrived)
      }
      received.restore(staged.record, opened?.position, now: now)
    }
    return hasBattery
  }

  /// Traps if memory differs from the store.
  func checkInvariants(in store: Store) throws(StoreError) {
    ages.checkInvariants()
    received.checkInvariants(staged: try store.stagedCount())
    let (anchors, known) = (try store.anchorCount(), ages.anchorCount + ages.expiredCount)
    precondition(anchors <= known, "\(anchors) anchors are stored, \(known) known")
  }
}
