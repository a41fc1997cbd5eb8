internal import MusterCRDT
internal import MusterCrypto
internal import MusterGeo
public import MusterModel
internal import MusterStatus
public import MusterStore
internal import MusterSync

/// Queries, each answered by a read model (`ReadModels/`).
extension Replica {
  /// What the read models read, now.
  var context: ReadContext {
    ReadContext(
      store: store, local: local, control: control, received: received,
      uncommitted: transaction.writeGroup?.rows ?? [:])
  }

  // MARK: People

  /// Brings the statuses up to date: what has changed since the last call is read and assessed
  /// again, and whose time has come.
  public mutating func refreshStatuses(now: ClockReading) throws {
    let reader = StatusReader(
      context: context, ages: ageReader(at: now), underDuress: derived.duress.people)
    try restoreCheckIns(now: now)
    try reader.refresh(
      &derived.statusModel, checkIns: &derived.checkIns, zones: &location.monitor,
      dated: ages.takeDated(), telemetry: derived.telemetry)
  }

  /// Returns everyone with a certificate and every tracker, in the order of lists, with their
  /// status at `now`.
  public mutating func users(now: ClockReading) throws -> [UserSummary] {
    try people(now: now).map(\.summary)
  }

  /// Returns the same people with the status function's results.
  mutating func people(now: ClockReading) throws -> [AssessedPerson] {
    try refreshStatuses(now: now)
    return try PersonList(
      context: context, ages: ageReader(at: now), statuses: derived.statusModel,
      zones: location.monitor.zones(in: store), telemetry: derived.telemetry
    ).people()
  }

  func ageReader(at now: ClockReading) -> AgeReader {
    AgeReader(context: context, ages: ages, now: now)
  }

  /// The kept statuses that differ from those which are assessed from the store alone: none, unless
  /// a change was overlooked.
  mutating func overlookedStatuses(now: ClockReading) throws -> [String] {
    try refreshStatuses(now: now)
    var fresh = self
    fresh.derived.statusModel.markAllStale()
    try fresh.refreshStatuses(now: now)
    return try derived.statusModel.differences(from: fresh.derived.statusModel).map {
      "\(try context.callsign(of: $0.user)): \($0.text)"
    }
  }

  /// Returns the last known position of each device, by device.
  package func devicePositions() throws(StoreError) -> [DevicePosition] {
    try context.devicePositions()
  }

  /// Returns the known track of a user, by sample time: published segments; for this device's own
  /// user and its trackers, the stored fixes. The newest `limit`.
  public func track(of user: UserID, limit: Int) throws -> [Fix] {
    try TrackReader(context: context).track(of: user, limit: limit)
  }

  // MARK: Devices

  /// Returns every device with a valid certificate, by id.
  public func devices() throws -> [DeviceSummary] { try context.devices() }

  /// The devices that are not revoked and fill a table here, by device, then by table.
  public var boundsReached: [BoundSummary] {
    get throws {
      try DeviceReader(context: context, engine: engine)
        .boundsReached(excessCheckIns: derived.checkIns.excess)
    }
  }

  /// The epoch that this device uses for writing; nil without a key.
  public var writingEpoch: EpochSummary? {
    get throws { try DeviceReader(context: context, engine: engine).epoch(currentEpoch?.id) }
  }

  /// Returns the councils that count and are not replaced, that of the root key first, and then the
  /// proposals.
  public func councils() throws -> [CouncilSummary] {
    try CouncilList(context: context).councils()
  }

  /// Returns the links of this device now, and those that others published. Records of revoked
  /// devices are ignored.
  public func mesh(now: ClockReading) throws -> MeshSummary {
    try MeshReader(context: context, engine: engine, keyring: epochKeys.keyring).mesh(now: now)
  }

  /// Returns the quarantined frames by device, log and sequence, except openings and control
  /// frames, which cannot be released.
  public func quarantine() throws -> [QuarantinedFrame] {
    try QuarantineReader(context: context, keyring: epochKeys.keyring).quarantine()
  }

  // MARK: Reports, fences and directives

  /// Returns all reports: open and most severe first, then the newest.
  ///
  /// - Parameter now: the time up to which the ages of delivery figures count; nil for no ages.
  public func reports(now: ClockReading? = nil) throws -> [ReportSummary] {
    try ReportList(
      context: context, delivery: deliveryTracker(now: now), photos: photoReader
    ).reports()
  }

  /// Returns a report. Throws `Refusal` for one that was deleted, or has not arrived.
  ///
  /// - Parameter now: as in `reports(now:)`.
  public func report(_ id: RowID, now: ClockReading? = nil) throws -> ReportSummary {
    try ReportList(
      context: context, delivery: deliveryTracker(now: now), photos: photoReader
    ).report(id)
  }

  /// Returns who holds these logs that far.
  public func delivery(
    through written: [WrittenThrough], now: ClockReading
  ) throws -> Delivery {
    var tracker = deliveryTracker(now: now)
    return try tracker.delivery(
      through: Dictionary(written.map { ($0.log, $0.sequence) }, uniquingKeysWith: max))
  }

  private func deliveryTracker(now: ClockReading?) -> DeliveryTracker {
    DeliveryTracker(
      store: store, engine: engine, local: local, control: control, now: now?.instant)
  }

  /// How far each log of this device reaches, by id.
  public func writtenThrough() -> [WrittenThrough] {
    own.writer.heads.values.map { WrittenThrough(log: $0.log, sequence: $0.sequence) }
      .sorted { $0.log < $1.log }
  }

  /// Returns all fences by name. A fence whose outline has not arrived is omitted.
  public mutating func fences() throws -> [FenceSummary] {
    try FenceList(context: context, zones: location.monitor.zones(in: store)).fences()
  }

  /// Returns the active fences that contain a position, by name.
  public mutating func fences(around place: Coordinate) throws -> [FenceSummary] {
    try FenceList(context: context, zones: location.monitor.zones(in: store)).fences(around: place)
  }

  /// Returns the crossings after an arrival number, in the order of these numbers.
  public func crossings(after arrival: Int64?, limit: Int) throws -> [CrossingSummary] {
    let context = context
    return try store.crossings(after: arrival, limit: limit).map(context.summary)
  }

  /// Returns the highest arrival number that a crossing ever had here; 0 before the first.
  public func newestArrival() throws -> Int64 { try store.newestArrival() }

  /// Adds the current names to a crossing.
  public func summary(_ arrived: ArrivedCrossing) throws -> CrossingSummary {
    try context.summary(arrived)
  }

  /// Returns all directives, open ones first, then the newest.
  public mutating func directives(now: ClockReading) throws -> [DirectiveSummary] {
    let known = try people(now: now)
    return try DirectiveList(context: context, zones: location.monitor.zones(in: store))
      .directives(among: known)
  }

  /// Returns a directive. Throws `Refusal` for one that does not exist, or has not arrived.
  public mutating func directive(_ id: RowID, now: ClockReading) throws -> DirectiveSummary {
    let known = try people(now: now)
    return try DirectiveList(context: context, zones: location.monitor.zones(in: store))
      .directive(id, among: known)
  }

  /// Returns all permits: those not revoked first, then the newest.
  public func permits() throws -> [PermitSummary] { try PermitList(context: context).permits() }

  /// Returns a hash of a row's writes, including values that are not shown, and writes of earlier
  /// commands in the same transaction.
  public mutating func version(of key: RowKey, now: ClockReading) throws -> String {
    let state = try settled(key.kind, key.id, now: now)
    return Hex.encode(Blake2b.hash128(state.encoded()).bytes)
  }

  // MARK: Settings

  /// Returns the emergency contacts of the operation, by name.
  public func contacts() throws -> [ContactSummary] { try ContactList(context: context).contacts() }

  /// Returns this device's sampling settings.
  public func locationProfile(inForeground: Bool) throws -> LocationProfile {
    try locationProfile(of: local.author.user, inForeground: inForeground)
  }

  /// Returns a user's sampling settings; with nil, those of users without their own.
  public func locationProfile(of user: UserID?, inForeground: Bool) throws -> LocationProfile {
    try SettingsReader(context: context).locationProfile(of: user, inForeground: inForeground)
  }

  /// Returns a user's silence setting in whole seconds.
  public func silenceSeconds(of user: UserID?) throws -> Int64 {
    try SettingsReader(context: context).silenceMilliseconds(of: user) / 1000
  }

  /// The silence setting of this device's user.
  public func silenceMilliseconds() throws(StoreError) -> Int64 {
    try SettingsReader(context: context).silenceMilliseconds(of: local.author.user)
  }

  // MARK: Status

  /// Returns the number of frames of all logs, including openings: faster than a status.
  public func framesHeld() throws -> Int { try store.counts().frames }

  /// Counts and hashes what is held; the node fills in `rejected` and `diskFreeBytes`.
  public mutating func status(now: ClockReading) throws -> StatusSummary {
    let (hash, root) = (try stateHash(), root())
    return try StatusReport(
      context: context, engine: engine, stateHash: hash, root: root, epoch: currentEpoch?.id,
      missing: missingFrames(), stateFolderProblem: recovery.home.stateFolderProblem,
      excessCheckIns: derived.checkIns.excess
    ).summary(now: now)
  }

  /// Returns the frames that damage took and no peer has sent again yet, by log and sequence.
  public func missingFrames() throws -> [MissingFrames] {
    try SalvagedFrames(context: context).missingFrames()
  }

  /// The first eight bytes of each set's root: equal on replicas that hold the same.
  public mutating func root() -> [UInt8] { engine.rootBytes() }

  /// Returns the state hash. The first call reads every row and crossing; later ones read only
  /// changed leaves.
  public mutating func stateHash() throws -> StateHash {
    try derived.stateHash(of: store, control: control.outcomeHash())
  }

  /// Verifies every hash, chain and signature of the log, rebuilds the view from it in an in-memory
  /// store, and compares. Changes nothing, except that a wrong view is rebuilt at the next start.
  /// An unreadable log does not prevent the verification of the others.
  public mutating func verify() throws -> VerificationReport {
    let outcome = control.outcomeHash()
    return try LogVerification(context: context, keyring: epochKeys.keyring)
      .report(outcome: outcome)
  }

  // MARK: Naming

  /// Returns the row with an id, or with an id that begins with these digits.
  public func row(_ kind: EntityKind, named reference: String) throws -> RowID {
    try NameResolver(context: context).row(kind, named: reference)
  }

  /// Returns the device with an id that begins with these digits, or of the user with this
  /// callsign; of several of theirs the one that is not revoked.
  public func device(named reference: String) throws -> DeviceID {
    try NameResolver(context: context).device(named: reference)
  }

  /// Returns the zone with a name, or with an id that begins with these digits. Names are compared
  /// exactly, then case-insensitively.
  public func zone(named reference: String) throws -> RowID {
    try NameResolver(context: context).zone(named: reference)
  }

  /// Returns the zone with a unique name, or with an id.
  public func hazardZone(named reference: String) throws -> RowID {
    try NameResolver(context: context).hazardZone(named: reference)
  }
}
