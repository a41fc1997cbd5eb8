internal import MusterCRDT
public import MusterModel
public import MusterStore
internal import MusterSync

/// What a replica answers from what it holds: a snapshot, which changes nothing. Each answer is
/// made by a read model. Answers that depend on the statuses of people are in `StatusQueries`.
public struct Queries {
  let context: ReadContext
  let engine: SyncEngine
  let epochKeys: EpochKeys
  let monitor: GeofenceMonitor
  let photoKeeper: PhotoKeeper
  /// What is not held of what each device named.
  let excess: [BoundedTable: [DeviceID: UInt64]]
  /// Of the logs that this device writes.
  let heads: [Lane: Head]

  /// Returns how far every log and strand is held, by id.
  public func logStates() throws -> [LogState] { try context.store.logs().map(LogState.init) }

  /// Returns the blobs that this device fetches, with the units that are stored here.
  public func wantedBlobs() -> [(id: BlobID, held: UnitSet)] { engine.wantedBlobs() }

  /// Returns the invites that this device made, oldest first, until a week after their expiry.
  public func invites(now: ClockReading) throws -> [InviteSummary] {
    try context.require(.command)
    let review = JoinReview(store: context.store, local: context.local, control: context.control)
    return try review.invites(now: now.wall).map { try review.summary(of: $0, now: now.wall) }
  }

  // MARK: Devices

  /// Returns every device with a valid certificate, by id.
  public func devices() throws -> [DeviceSummary] { try context.devices() }

  /// Returns whether a user has a device that is not revoked and has not signed off, at the cost of
  /// that user's row alone.
  public func isActive(_ user: UserID) throws -> Bool {
    guard context.control.hasDevice(of: user) else { return false }
    if case .signOff? = try context.userRow(user)?.shown(.userSignOff)?.value { return false }
    return true
  }

  /// Returns whether a person, with or without a laptop, has signed off, at the cost of that
  /// person's row alone.
  public func hasSignedOff(_ user: UserID) throws -> Bool {
    if case .signOff? = try context.userRow(user)?.shown(.userSignOff)?.value { return true }
    if case .signOff? = try context.trackerRow(user)?.shown(.trackerSignOff)?.value { return true }
    return false
  }

  /// Returns how many devices of a user are revoked.
  public func revokedDeviceCount(of user: UserID) -> Int {
    context.control.revokedDeviceCount(of: user)
  }

  var deviceReader: DeviceReader { DeviceReader(context: context, engine: engine) }

  /// The devices that are not revoked and fill a table here, by device, then by table.
  public var boundsReached: [BoundSummary] {
    get throws { try deviceReader.boundsReached(excess: excess) }
  }

  /// The epoch that this device uses for writing; nil without a key.
  public var writingEpoch: EpochSummary? {
    get throws { try deviceReader.epoch(epochKeys.current(by: context.control)?.id) }
  }

  /// Returns the councils that count and are not replaced, that of the root key first, and then the
  /// proposals.
  public func councils() throws -> [CouncilSummary] {
    try CouncilList(context: context).councils()
  }

  /// Returns the links of this device now, and those that others published. Records of revoked
  /// devices are ignored.
  public func mesh(now: ClockReading) throws -> MeshSummary { try meshReader.mesh(now: now) }

  var meshReader: MeshReader {
    MeshReader(context: context, engine: engine, keyring: epochKeys.keyring)
  }

  /// Returns the quarantined frames by device, log and sequence, except openings and control
  /// frames, which cannot be released.
  public func quarantine() throws -> [QuarantinedFrame] { try quarantineReader.quarantine() }

  var quarantineReader: QuarantineReader {
    QuarantineReader(context: context, keyring: epochKeys.keyring)
  }

  /// The TLS certificates of command posts in DER that valid commanders have named.
  public var uplinkCertificates: [[UInt8]] { context.control.uplinks.map(\.certificate.der) }

  /// The certificates that this device named.
  public var ownUplinkCertificates: [[UInt8]] {
    context.control.uplinks.filter { $0.device == context.local.device }.map(\.certificate.der)
  }

  /// Returns the addresses of known devices, kept over restarts: the most recently active first.
  public func rememberedEndpoints() throws -> [Endpoint] {
    try context.store.peers().map(\.endpoint)
  }

  // MARK: Reports

  /// Returns all reports: open and most severe first, then the newest.
  ///
  /// - Parameter now: the time up to which the ages of delivery figures count; nil for no ages.
  public func reports(now: ClockReading? = nil) throws -> [ReportSummary] {
    try reportList(now: now).reports()
  }

  /// Returns a report. Throws `Refusal` for one that was deleted, or has not arrived.
  ///
  /// - Parameter now: as in `reports(now:)`.
  public func report(_ id: RowID, now: ClockReading? = nil) throws -> ReportSummary {
    try reportList(now: now).report(id)
  }

  /// Returns those of some reports that exist, without the progress of their photos.
  public func reports(_ ids: [RowID]) throws -> [ReportSummary] {
    try reportList(now: nil).reports(ids)
  }

  /// Returns the ids of the newest reports that a login of this node filed, oldest first.
  public func reports(filedBy login: String) throws -> [RowID] {
    try LoginReports(of: login, context.store.local).ids.filter { id in
      try context.store.row(RowKey(kind: .report, id: id))?.exists == true
    }
  }

  private func reportList(now: ClockReading?) -> ReportList {
    ReportList(context: context, delivery: deliveryTracker(now: now), photos: photoReader)
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
      store: context.store, engine: engine, local: context.local, control: context.control,
      now: now?.instant)
  }

  /// How far each log of this device reaches, by id.
  public func writtenThrough() -> [WrittenThrough] {
    heads.values.map { WrittenThrough(log: $0.log, sequence: $0.sequence) }
      .sorted { $0.log < $1.log }
  }

  // MARK: Changes

  /// Returns the changes of a set after a position, in the order of this node.
  public func changes(
    of set: SyncedSet, after position: RowChangePosition, limit: Int
  ) throws -> [RowChange] {
    try context.store.changes(of: set, after: position, limit: limit)
  }

  /// Returns the last change of a row; nil before the first.
  public func change(of row: RowID, in set: SyncedSet) throws -> RowChange? {
    try context.store.change(of: row, in: set)
  }

  /// Returns the moment of the newest change of a set; 0 before the first.
  public func newestMoment(of set: SyncedSet) throws -> Int64 {
    try context.store.newestMoment(of: set)
  }

  // MARK: Photos

  var photoReader: PhotoReader {
    PhotoReader(context: context, keeper: photoKeeper, engine: engine)
  }

  /// Returns the photos of a report in the order of their numbers.
  public func photos(of id: RowID) throws -> [PhotoSummary] {
    try photoReader.photos(of: context.existing(.report, id))
  }

  /// Returns a photo of a report by its `PhotoReference`.
  public func photo(named reference: String, of id: RowID) throws -> PhotoID {
    try ReportPhotos(in: context.existing(.report, id)).item(named: reference).id
  }

  /// Returns the reports with a photo of which one of these blobs is a part.
  public func reports(showing blobs: Set<BlobID>) throws -> [RowKey] {
    try photoReader.reports(showing: blobs)
  }

  /// Returns decrypted bytes of a photo.
  ///
  /// - Parameter range: the bytes to read, clamped to the picture; nil for all.
  public func photoBytes(
    _ photo: PhotoID, of id: RowID, kind: BlobKind, range: Range<Int>? = nil
  ) throws -> [UInt8] {
    try photoReader.bytes(of: photo, in: context.existing(.report, id), kind: kind, range: range)
  }

  // MARK: Zones, events and orders

  /// Returns all fences by name. A fence whose outline has not arrived is omitted.
  public func fences() throws -> [FenceSummary] { try fenceList().fences() }

  /// Returns those of some fences that exist, without who is inside.
  public func fences(_ ids: [RowID]) throws -> [FenceSummary] {
    try ids.compactMap { id in
      let row = try context.store.row(RowKey(kind: .fence, id: id))
      return try row.flatMap { $0.exists ? try FenceList.summary($0, inside: [], context) : nil }
    }
  }

  /// Returns the active fences that contain a position, by name.
  public func fences(around place: Coordinate) throws -> [FenceSummary] {
    try fenceList().fences(around: place)
  }

  private func fenceList() throws(StoreError) -> FenceList {
    var monitor = monitor
    return FenceList(context: context, zones: try monitor.zones(in: context.store))
  }

  /// Returns the crossings after an arrival number, in the order of these numbers.
  public func crossings(after arrival: Int64?, limit: Int) throws -> [CrossingSummary] {
    try context.store.crossings(after: arrival, limit: limit).map(context.summary)
  }

  /// Returns the first crossings of an author between two arrival numbers.
  public func crossings(
    after arrival: Int64, upTo last: Int64, by author: DeviceID, limit: Int
  ) throws -> [CrossingSummary] {
    try context.store.crossings(after: arrival, upTo: last, by: author, limit: limit)
      .map(context.summary)
  }

  /// Returns who wrote the crossings after an arrival number, by arrival number.
  public func crossingAuthors(
    after arrival: Int64, limit: Int
  ) throws -> [(arrival: Int64, author: DeviceID)] {
    try context.store.crossingAuthors(after: arrival, limit: limit)
  }

  /// Returns a crossing; nil if it is not here.
  public func crossing(_ id: CrossingID) throws -> CrossingSummary? {
    try context.store.crossing(id).map(context.summary)
  }

  /// Returns the highest arrival number that a crossing ever had here; 0 before the first.
  public func newestArrival() throws -> Int64 { try context.store.newestArrival() }

  /// Adds the current names to a crossing.
  public func summary(_ arrived: ArrivedCrossing) throws -> CrossingSummary {
    try context.summary(arrived)
  }

  /// Returns the kind of a directive. Throws `Refusal` for an unknown one.
  public func kind(ofDirective id: RowID) throws -> DirectiveKind {
    try context.existing(.directive, id).directiveKind
  }

  /// Returns all permits: those not revoked first, then the newest.
  public func permits() throws -> [PermitSummary] { try PermitList(context: context).permits() }

  // MARK: Records of users

  /// Returns the data sets of a user, by name; nil for this device's user.
  public func recordDatasets(of user: UserID? = nil) throws -> [RecordDataset] {
    try context.store.recordDatasets(of: user ?? context.local.author.user)
  }

  /// Returns the records of a user's data set that changed after a position, removed ones included;
  /// nil for this device's user.
  public func records(
    of user: UserID? = nil, in dataset: String, after position: RecordIndexPosition, limit: Int
  ) throws -> RecordPage {
    try RecordReader(context: context, user: user ?? context.local.author.user)
      .page(of: dataset, after: position, limit: limit)
  }

  /// Returns all records of a user, removed ones included, by data set.
  public func allRecords(of user: UserID) throws -> [UserRecord] {
    try RecordReader(context: context, user: user).all()
  }

  /// Returns records of this device's user with their data sets, by row.
  public func records(_ rows: [RowID]) throws -> [RowID: (dataset: String, record: RecordSummary)] {
    let reader = RecordReader(context: context, user: context.local.author.user)
    return try reader.records(rows)
  }

  /// Returns the data sets of this device's user that some of these rows belong to, by name.
  public func recordDatasets(changedBy rows: [RowID]) throws -> [RecordDataset] {
    let names = Set(
      try rows.compactMap(context.store.indexedRecord)
        .filter { $0.owner == context.local.author.user }.map(\.name.dataset))
    return try recordDatasets().filter { names.contains($0.name) }
  }

  /// Returns the name of this device's user.
  public func ownCallsign() throws -> String {
    try context.callsign(of: context.local.author.user)
  }

  // MARK: Proximity

  /// Returns the frame of the note that this device sealed to command, and whether a device of
  /// command acknowledged it; nil before the first.
  public func ownProximityNote(
    now: ClockReading
  ) throws -> (frame: Bytes16, isAtCommand: Bool)? {
    guard let row = try context.row(ExposureList.key(context.local.device)),
      let note = row.shown(.exposureNote)
    else { return nil }
    var tracker = deliveryTracker(now: now)
    return (note.dot.frame, try tracker.delivery(of: row).commandPost)
  }

  /// Returns the exposure notices that count, by id.
  public func exposureNotices() throws -> [PublishedNotice] {
    try ExposureList(context: context).notices()
  }

  /// Returns the proximity notes that are sealed to this device. Throws `Refusal` except at
  /// command.
  public func proximityNotes() throws -> [ReceivedNote] {
    try ExposureList(context: context).notes()
  }

  // MARK: Alerts

  /// Returns the open unverified calls that are shown, the number of further ones, and on request
  /// the ended ones.
  public func unverifiedCalls(includesEnded: Bool) throws -> UnverifiedCalls {
    try UnverifiedCallReader(context: context).calls(includesEnded: includesEnded)
  }

  /// Returns the active alerts of the last review, also after a restart.
  public func raisedAlerts() throws -> [Alert] {
    let reader = AlertReader(context: context)
    return try reader.shelved().marking(reader.stored().alerts)
  }

  // MARK: Calls for help

  /// Returns what became of a person's newest call for help, as its caller may see it; nil if they
  /// have none (decision 0097).
  ///
  /// - Parameters:
  ///   - user: nil for this device's own.
  ///   - statuses: of the same reading, for the ages.
  public func callStanding(of user: UserID?, at statuses: StatusQueries) throws -> CallStanding? {
    var reader = CallReader(
      context: context, ages: statuses.ages, delivery: deliveryTracker(now: statuses.ages.now))
    return try reader.standing(of: user ?? context.local.author.user)
  }

  // MARK: Positions

  /// Returns the last known position of each device, by device.
  package func devicePositions() throws(StoreError) -> [DevicePosition] {
    try context.devicePositions()
  }

  /// Returns the known track of a user, by sample time: published segments; for this device's own
  /// user and its trackers, the stored fixes. The newest `limit`.
  public func track(of user: UserID, limit: Int) throws -> [Fix] {
    try TrackReader(context: context).track(of: user, limit: limit)
  }

  /// Returns the published track of a user, by sample time.
  public func sharedTrack(of user: UserID) throws -> [Fix] {
    try TrackReader(context: context).published(by: user)
  }

  /// Returns the newest fixes of a tracker that this device records, by sample time; nothing for
  /// another device's tracker.
  public func track(ofTracker row: RowID, limit: Int) throws -> [Fix] {
    try TrackReader(context: context).recorded(ofTracker: row, limit: limit)
  }

  /// Returns the names of the trackers that this device has recorded, in alphabetical order.
  public func trackerNames() throws -> [String] { try TrackReader(context: context).names() }

  /// Returns the trackers that this device has recorded, by name.
  public func trackers() throws -> [String: UserID] { try TrackReader(context: context).trackers() }

  /// Returns the row of this device's tracker with this name, whether or not it was ever received
  /// from.
  public func trackerRow(named name: String) -> RowID {
    OwnTracker(named: name, of: context.local).row
  }

  // MARK: Settings

  /// Returns the emergency contacts of the operation, by name.
  public func contacts() throws -> [ContactSummary] { try ContactList(context: context).contacts() }

  private var settings: SettingsReader { SettingsReader(context: context) }

  /// Returns this device's sampling settings.
  public func locationProfile(inForeground: Bool) throws -> LocationProfile {
    try locationProfile(of: context.local.author.user, inForeground: inForeground)
  }

  /// Returns a user's sampling settings; with nil, those of users without their own.
  public func locationProfile(of user: UserID?, inForeground: Bool) throws -> LocationProfile {
    try settings.locationProfile(of: user, inForeground: inForeground)
  }

  /// Returns a user's silence setting in whole seconds.
  public func silenceSeconds(of user: UserID?) throws -> Int64 {
    try settings.silenceMilliseconds(of: user) / 1000
  }

  /// Returns the silence setting of a person.
  public func silenceMilliseconds(of user: UserID) throws(StoreError) -> Int64 {
    try settings.silenceMilliseconds(of: user)
  }

  /// Returns by how much command states that the clock of a phone is behind; 0 without a statement.
  ///
  /// - Parameter name: nil for the phone of this device's user.
  public func phoneClockBehindMilliseconds(of name: String?) throws(StoreError) -> Int64 {
    PhoneClockSetting.milliseconds(try context.store.local(PhoneClockSetting.key(of: name)))
  }

  /// The silence setting of this device's user.
  public func silenceMilliseconds() throws(StoreError) -> Int64 {
    try settings.silenceMilliseconds(of: context.local.author.user)
  }

  /// Whether this device requires a PIN for check-ins.
  public func requiresCheckInPin() throws -> Bool {
    try CheckInPins.stored(in: context.store) != nil
  }

  // MARK: Status

  /// Returns the number of frames of all logs, including openings: faster than a status.
  public func framesHeld() throws -> Int { try context.store.counts().frames }

  /// Returns the frames that damage took and no peer has sent again yet, by log and sequence.
  public func missingFrames() throws -> [MissingFrames] {
    try SalvagedFrames(context: context).missingFrames()
  }

  /// Returns what the store holds of each log, or is known to have held.
  public func holdings() throws -> Frontier { try Frontier(of: context.store) }

  /// Returns the newest record of each topic, by topic.
  package func latestRecords() throws(StoreError) -> [LatestRecord] {
    try context.latestRecords()
  }

  /// The membership evidence and the counting certificates, for checkers: nodes with equal evidence
  /// have the same members once they hold the same frames.
  package var membership: (evidence: [EvidenceID], members: Set<CertificateHash>) {
    let control = context.control
    return (control.membership.items.map(\.id), Set(control.admissions.map(\.signed.hash)))
  }

  // MARK: Naming

  private var names: NameResolver { NameResolver(context: context) }

  /// Returns the row with an id, or with an id that begins with these digits.
  public func row(_ kind: EntityKind, named reference: String) throws -> RowID {
    try names.row(kind, named: reference)
  }

  /// Returns the device with an id that begins with these digits, or of the user with this
  /// callsign; of several of theirs the one that is not revoked.
  public func device(named reference: String) throws -> DeviceID {
    try names.device(named: reference)
  }

  /// Returns the zone with a name, or with an id that begins with these digits. Names are compared
  /// exactly, then case-insensitively.
  public func zone(named reference: String) throws -> RowID { try names.zone(named: reference) }

  /// Returns the zone with a unique name, or with an id.
  public func hazardZone(named reference: String) throws -> RowID {
    try names.hazardZone(named: reference)
  }
}
