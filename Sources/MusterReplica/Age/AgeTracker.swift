internal import MusterCrypto
internal import MusterModel
internal import MusterStatus
internal import MusterStore
internal import MusterSync

/// Dates received records by this machine's boot clock, stamps this device's records, and restores
/// both after restarts of the program.
///
///     arrived record ─▶ take ─▶ AgeEvidence ─▶ ages and bounds, on request
///     own record ◀─ stamp ◀──── echoes ──┘
///                   noteOwn ─▶ AgeEvidence
///     changes ─▶ the next commit ─▶ restored at the next start in the same boot
///
/// All times are milliseconds of the boot clock in the present boot, never negative and never
/// decreasing. After a restart of the machine the evidence starts empty: each device's newest
/// record counts as received at 0 (docs/decisions/0035).
///
/// This type decides no status and verifies no signature.
struct AgeTracker: Sendable {
  /// The time at which one record was made, as known on its arrival.
  private struct Dated: Sendable {
    let author: DeviceID
    /// Nil without a well-formed stamp.
    let stamp: Stamp?
    let made: Span
  }

  /// Whether a record is an anchor.
  enum AnchorRule: Sendable {
    /// Claims and orders.
    case always
    /// Presence records: always an anchor, but possibly a quick one.
    case presence
    /// Positions.
    case ifDue
    /// A tracker's positions.
    case never
  }

  private let observer: DeviceID
  private let boot: KnownBoot
  private var evidence: AgeEvidence
  /// The newest position of each device and tracker.
  private var positions: [DeviceID: Dated] = [:]
  private var pacing = AnchorPacing()
  /// When a device's stamps last contradicted each other.
  private var faults: [DeviceID: Int64] = [:]
  private(set) var newestReading: Int64 = 0
  private var expiredAt: Int64 = 0
  /// For the next commit.
  private var changes = AgeChanges()
  /// For the fold of the staged records, from which they can be derived again.
  private var staged = StagedAges()
  private var places = AnchorPositions()
  /// Devices whose records were dated since the last `takeDated`.
  private var dated: Set<DeviceID> = []

  /// How long a clock fault is shown after the last contradiction.
  static let faultMilliseconds: Int64 = 3_600_000
  private static let expiryMilliseconds: Int64 = 600_000

  // MARK: Restoring

  /// Restores the evidence from a store.
  ///
  /// - Parameter id: the machine's present boot.
  init(store: Store, observer: DeviceID, boot id: BootID, now: ClockReading) throws(StoreError) {
    self.observer = observer
    evidence = AgeEvidence(observer: observer)
    let known = try store.newestBoot()
    if let known, known.id == id {
      boot = known
      restore(try store.anchors(), try store.stamps())
    } else {
      boot = KnownBoot(number: (known?.number ?? 0) + 1, id: id)
      changes.boot = boot
      restore([], try store.stamps())
    }
    let time = read(now)
    for position in try store.positions() where positions[position.device] == nil {
      // From a database that stored no arrivals.
      positions[position.device] = Dated(
        author: position.device, stamp: nil, made: .notAfter(time))
    }
    expire(at: time)
  }

  private mutating func restore(_ anchors: [StoredAnchor], _ stamps: [StoredStamp]) {
    for stamp in stamps where stamp.made.boot != boot.number { restore(stamp, at: 0) }
    let present = stamps.filter { $0.made.boot == boot.number }
      .sorted { $0.made.latest < $1.made.latest }
    var rest = present[...]
    for anchor in anchors {
      while let next = rest.first, next.made.latest < anchor.arrived {
        restore(next, at: max(0, next.made.latest))
        rest.removeFirst()
      }
      restore(anchor)
    }
    for stamp in rest { restore(stamp, at: max(0, stamp.made.latest)) }
  }

  private mutating func restore(_ anchor: StoredAnchor) {
    places.restore(anchor)
    newestReading = max(newestReading, anchor.arrived)
    if anchor.isOwn {
      evidence.insertOwn(anchor.id, isAnchor: true, at: anchor.arrived)
      let echoed = (anchor.stated.echoes ?? []).compactMap { evidence.author(of: $0) }
      pacing.noteAnchor(at: anchor.arrived, echoing: echoed)
    } else {
      insert(anchor.id, anchor.author, anchor.stated, at: anchor.arrived)
      pacing.noteArrival(of: anchor.author, boot: anchor.stated.stamp.boot)
    }
  }

  private mutating func restore(_ stamp: StoredStamp, at time: Int64) {
    let isPresent = stamp.made.boot == boot.number
    if isPresent { newestReading = max(newestReading, time) }
    if let stated = stamp.stated {
      if stamp.author != observer || stated.stamp.boot != boot.id {
        insert(stamp.id, stamp.author, stated, at: time)
      } else if isPresent, !stated.isAnchor {
        evidence.insertOwn(stamp.id, isAnchor: false, at: stated.stamp.milliseconds)
      }
    }
    guard stamp.source == .position else { return }
    positions[stamp.subject] = Dated(
      author: stamp.author, stamp: stamp.stated?.stamp, made: span(stamp.made))
  }

  private func span(_ made: ArrivalSpan) -> Span {
    guard made.boot == boot.number else { return .notAfter(0) }
    return Span(earliest: min(made.earliest ?? Span.longAgo, made.latest), latest: made.latest)
  }

  // MARK: Arrivals

  /// Dates a received position or presence record.
  ///
  /// - Parameters:
  ///   - subject: the device or the tracker that it is about.
  ///   - author: the device of its certificate; the signature MUST have been verified.
  ///   - stated: nil without a well-formed stamp.
  ///   - isStaged: whether the record is staged, so that its date is stored with the fold.
  mutating func take(
    _ id: StampedRecordID, of subject: DeviceID, from source: StampSource, by author: DeviceID,
    stated: RecordStamp?, isStaged: Bool = false, now: ClockReading
  ) {
    take(
      id, of: subject, from: source, by: author, stated: stated, isStaged: isStaged,
      at: read(now))
  }

  /// Dates a staged record again, which arrived before this start, at its own time.
  ///
  /// As evidence it counts not before later arrivals from the same author. The author's clock is
  /// then known less closely, so the record may look older, never younger.
  mutating func restore(
    _ id: StampedRecordID, of subject: DeviceID, from source: StampSource, by author: DeviceID,
    stated: RecordStamp?, arrivedIn number: Int64, at milliseconds: Int64
  ) {
    var time = number == boot.number ? milliseconds : 0
    newestReading = max(newestReading, time)
    if stated != nil { time = max(time, evidence.newestArrival(of: author) ?? time) }
    take(id, of: subject, from: source, by: author, stated: stated, isStaged: true, at: time)
  }

  private mutating func take(
    _ id: StampedRecordID, of subject: DeviceID, from source: StampSource, by author: DeviceID,
    stated: RecordStamp?, isStaged: Bool, at time: Int64
  ) {
    // A tracker's record is never an anchor.
    let stated = subject == author ? stated : stated.flatMap { RecordStamp($0.stamp, echoes: nil) }
    let made = date(id, author, stated, isStaged: isStaged, at: time)
    let stamp = stored(id, of: subject, from: source, by: author, stated, made)
    if isStaged { staged.keep(stamp) } else { changes.stamps.append(stamp) }
  }

  /// Dates a frame of the urgent lane that has just arrived, or was unreadable before.
  mutating func takeFrame(
    _ hash: FrameHash, by author: DeviceID, stated: RecordStamp?, now: ClockReading
  ) {
    let id = StampedRecordID(hash)
    let made = date(id, author, stated, at: read(now))
    keepFrame(id, by: author, stated, made)
    guard stated != nil else { return }
    changes.stamps.append(stored(id, of: author, from: .frame, by: author, stated, made))
  }

  private mutating func date(
    _ id: StampedRecordID, _ author: DeviceID, _ stated: RecordStamp?, isStaged: Bool = false,
    at time: Int64
  ) -> Span {
    dated.insert(author)
    guard let stated else { return .notAfter(time) }
    let isNew = author != observer && stated.isAnchor && !evidence.isRemembered(id)
    let made = insert(id, author, stated, at: time)
    if isNew {
      let anchor = place(id, by: author, stated, at: time)
      if isStaged { staged.anchors[anchor.place] = anchor } else { changes.anchors.append(anchor) }
      pacing.noteArrival(of: author, boot: stated.stamp.boot)
      expire(at: time)
    }
    return made
  }

  private mutating func place(
    _ id: StampedRecordID, by author: DeviceID, _ stated: RecordStamp, at time: Int64
  ) -> StoredAnchor {
    StoredAnchor(
      place: places.add(id), id: id, author: author, isOwn: author == observer, stated: stated,
      arrived: time)
  }

  @discardableResult
  private mutating func insert(
    _ id: StampedRecordID, _ author: DeviceID, _ stated: RecordStamp, at time: Int64
  ) -> Span {
    // The own clock of this boot dates what comes back of it: the disk alone was restored.
    let isOfThisBoot = author == observer && stated.stamp.boot == boot.id
    let (made, fault) = evidence.insert(
      StampedRecord(id: id, author: author, stated),
      at: isOfThisBoot ? min(time, stated.stamp.milliseconds) : time)
    if let fault { faults[fault.device] = time }
    return made
  }

  /// Returns the newest stamp of a subject to be stored.
  private mutating func stored(
    _ id: StampedRecordID, of subject: DeviceID, from source: StampSource, by author: DeviceID,
    _ stated: RecordStamp?, _ made: Span
  ) -> StoredStamp {
    if source == .position {
      positions[subject] = Dated(author: author, stamp: stated?.stamp, made: made)
    }
    return StoredStamp(
      subject: subject, source: source, author: author, id: id, stated: stated,
      made: arrivalSpan(made))
  }

  private mutating func keepFrame(
    _ id: StampedRecordID, by author: DeviceID, _ stated: RecordStamp?, _ made: Span
  ) {
    changes.frames.append(
      FrameArrival(
        name: id.raw, author: author, stamp: stated?.stamp, made: arrivalSpan(made)))
  }

  private func arrivalSpan(_ made: Span) -> ArrivalSpan {
    ArrivalSpan(
      boot: boot.number, earliest: made.hasEarliest ? made.earliest : nil, latest: made.latest)
  }

  // MARK: Own records

  /// Reads the clock and chooses the echoes of a record that is about to be signed.
  ///
  /// - Parameters:
  ///   - devices: the number of devices in the operation.
  ///   - silence: this user's silence setting, in milliseconds.
  mutating func stamp(
    _ rule: AnchorRule, devices: Int, silence: Int64, commanders: () -> Set<DeviceID>,
    random: inout DeterministicRandom, now: ClockReading
  ) -> RecordStamp {
    let time = read(now)
    let isAnchor: Bool
    switch rule {
    case .always: isAnchor = true
    case .never: isAnchor = false
    case .presence, .ifDue:
      let isDue = pacing.takesAnchor(at: time, devices: devices, silence: silence)
      isAnchor = isDue || rule == .presence
    }
    var echoes: [StampedRecordID]?
    if isAnchor {
      echoes = StampedRecord.chooseEchoes(
        of: evidence.candidates(isCommand: commanders().contains), using: &random)
    }
    guard let stamp = Stamp(boot: boot.id, milliseconds: time),
      let stated = RecordStamp(stamp, echoes: echoes)
    else { preconditionFailure("the boot clock shows \(time)") }
    return stated
  }

  /// Records that this program signed a record with a stamp from `stamp`.
  mutating func noteOwn(
    _ id: StampedRecordID, of subject: DeviceID, from source: StampSource, _ stated: RecordStamp
  ) {
    let made = insertOwn(id, stated)
    changes.stamps.append(stored(id, of: subject, from: source, by: observer, stated, made))
  }

  /// Records that this program signed a frame with a stamp from `stamp`.
  mutating func noteOwnFrame(_ hash: FrameHash, _ stated: RecordStamp) {
    let id = StampedRecordID(hash)
    keepFrame(id, by: observer, stated, insertOwn(id, stated))
  }

  private mutating func insertOwn(_ id: StampedRecordID, _ stated: RecordStamp) -> Span {
    dated.insert(observer)
    let time = stated.stamp.milliseconds
    evidence.insertOwn(id, isAnchor: stated.isAnchor, at: time)
    forget()
    if let echoes = stated.echoes {
      changes.anchors.append(place(id, by: observer, stated, at: time))
      pacing.noteAnchor(at: time, echoing: echoes.compactMap { evidence.author(of: $0) })
    }
    return Span(earliest: time, latest: time)
  }

  /// Whether other devices wait for an echo that proves that this device is in contact.
  func wantsAnchor(now: ClockReading) -> Bool { pacing.wantsQuickAnchor(at: reading(now)) }

  /// Records that a tracker of this device is in contact.
  mutating func recordContact(of tracker: DeviceID, now: ClockReading) {
    evidence.insertContact(with: tracker, at: read(now))
    dated.insert(tracker)
  }

  /// Whether a tracker of this device was in contact since the start.
  func isWatched(_ tracker: DeviceID) -> Bool { evidence.contact(with: tracker) != nil }

  // MARK: Ages

  /// Returns the age of the newest stamped evidence of a device or tracker; nil if there is none.
  func age(of subject: DeviceID, now: ClockReading) -> Span? {
    newest(of: subject)?.age(at: reading(now))
  }

  /// When the newest stamped record of a device or a tracker was made, or a tracker of this device
  /// was last in contact; nil if there is none.
  func newest(of subject: DeviceID) -> Span? {
    let known = evidence.newest(of: subject) ?? made(ofPositionOf: subject)
    guard let contact = evidence.contact(with: subject) else { return known }
    return known.map { $0.later(contact) } ?? contact
  }

  /// Returns when the newest position of a device or tracker was made; nil without a stamp.
  func made(ofPositionOf subject: DeviceID) -> Span? {
    guard let dated = positions[subject], dated.stamp != nil else { return nil }
    return refined(dated)
  }

  /// Returns the milliseconds since a device's or tracker's newest position arrived; 0 if none did.
  func sinceArrival(ofPositionOf subject: DeviceID, now: ClockReading) -> Int64 {
    positions[subject].map { max(0, reading(now) - $0.made.latest) } ?? 0
  }

  /// Returns when a frame was made; nil without a stamp.
  func made(_ frame: FrameArrival) -> Span? {
    guard let stamp = frame.stamp else { return nil }
    return refined(Dated(author: frame.author, stamp: stamp, made: span(frame.made)))
  }

  /// Returns the milliseconds since a frame arrived.
  func sinceArrival(of frame: FrameArrival, now: ClockReading) -> Int64 {
    max(0, reading(now) - span(frame.made).latest)
  }

  /// Narrows a time by what is known of the author's clock now, which may be more than on arrival.
  private func refined(_ dated: Dated) -> Span {
    guard let stamp = dated.stamp else { return dated.made }
    return evidence.date(stamp, of: dated.author).flatMap(dated.made.intersection) ?? dated.made
  }

  /// Devices whose boot clocks jumped in the last hour, by id.
  func clockFaults(now: ClockReading) -> [DeviceID] {
    let time = reading(now)
    return faults.filter { time - $0.value < Self.faultMilliseconds }.keys.sorted()
  }

  // MARK: The clock and the store

  /// Returns the boot clock's reading, in the range of stamps, and never less than before.
  func reading(_ now: ClockReading) -> Int64 {
    max(newestReading, min(max(now.boot, 0), Stamp.last))
  }

  private mutating func read(_ now: ClockReading) -> Int64 {
    newestReading = reading(now)
    return newestReading
  }

  /// Returns the arrival time for the journal.
  func arrivalTime(_ now: ClockReading) -> ArrivalTime {
    ArrivalTime(boot: boot.number, milliseconds: reading(now), wall: now.wall)
  }

  private mutating func expire(at time: Int64) {
    if time - expiredAt >= Self.expiryMilliseconds {
      expiredAt = time
      evidence.expire(at: time)
      faults = faults.filter { time - $0.value < Self.faultMilliseconds }
    }
    forget()
  }

  private mutating func forget() {
    staged.forget(places.remove(evidence.takeForgotten()))
  }

  /// Returns the changes that the next commit must store.
  mutating func takeChanges() -> AgeChanges {
    defer { changes = AgeChanges() }
    return changes
  }

  /// Returns the changes by staged records, which the fold must store.
  mutating func takeStaged() -> AgeChanges {
    defer { staged = StagedAges() }
    return staged.changes
  }

  /// Returns where the journal begins that is to be kept at a time of the boot clock. Boots are
  /// compared by number alone, so entries of earlier ones stay until this one is old enough.
  func journalStart(at time: Int64) -> JournalStart {
    let start = time - Limits.journalMilliseconds
    return JournalStart(boot: start < 0 ? 0 : boot.number, arrived: max(0, start))
  }

  /// Devices whose ages may have changed since the last call: a record changes what is known of its
  /// author, and of the trackers that the author speaks for.
  mutating func takeDated() -> Set<DeviceID> {
    defer { dated = [] }
    return dated
  }

  /// The number of remembered anchors; the store has as many of this boot once `takeChanges` and
  /// `takeStaged` are durable.
  var anchorCount: Int { evidence.anchorCount }
  /// The number of stored anchors that the next fold deletes.
  var expiredCount: Int { staged.forgottenAnchors.count }

  /// Traps if an invariant does not hold.
  func checkInvariants() {
    evidence.checkInvariants()
    precondition(places.count <= evidence.anchorCount, "places of forgotten anchors")
  }
}

/// Where the anchors are stored, so that the store needs no index of their names. No place is used
/// twice in a boot.
private struct AnchorPositions: Sendable {
  private var places: [StampedRecordID: Int64] = [:]
  private var last: Int64 = 0

  var count: Int { places.count }

  mutating func restore(_ anchor: StoredAnchor) {
    places[anchor.id] = anchor.place
    last = max(last, anchor.place)
  }

  /// Returns the next place.
  mutating func add(_ id: StampedRecordID) -> Int64 {
    last += 1
    places[id] = last
    return last
  }

  /// Returns the places of anchors that are not remembered any more.
  mutating func remove(_ ids: [StampedRecordID]) -> [Int64] {
    ids.compactMap { places.removeValue(forKey: $0) }
  }
}

/// Stamps and anchors of staged records, the newest stamp of each subject and source.
private struct StagedAges: Sendable {
  private struct Key: Hashable {
    let subject: DeviceID
    let source: StampSource
  }

  private var stamps: [Key: StoredStamp] = [:]
  fileprivate(set) var anchors: [Int64: StoredAnchor] = [:]
  private(set) var forgottenAnchors: [Int64] = []

  mutating func keep(_ stamp: StoredStamp) {
    stamps[Key(subject: stamp.subject, source: stamp.source)] = stamp
  }

  /// An anchor that is not stored yet never is.
  mutating func forget(_ places: [Int64]) {
    for place in places where anchors.removeValue(forKey: place) == nil {
      forgottenAnchors.append(place)
    }
  }

  var changes: AgeChanges {
    var changes = AgeChanges()
    changes.anchors = anchors.values.sorted { $0.place < $1.place }
    changes.forgottenAnchors = forgottenAnchors
    changes.stamps = stamps.values.sorted {
      ($0.subject, $0.source.rawValue) < ($1.subject, $1.source.rawValue)
    }
    return changes
  }
}
