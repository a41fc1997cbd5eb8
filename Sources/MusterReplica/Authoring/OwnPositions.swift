internal import MusterGeo
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// The fixes of this device and of its trackers: how they stand to the zones, and the positions
/// that are still to be published.
struct OwnPositions: Sendable {
  /// Positions that wait for a key.
  private(set) var unpublished: UnpublishedPositions
  /// What is known of this device (nil) and of each of its trackers, besides the position.
  private var sensors: [Bytes16?: Sensor] = [:]

  /// The sensors of this device or of a tracker, since the start.
  private struct Sensor: Sendable {
    var batteryPercent: UInt8?
    var movement: MovementDetector?
    /// The seconds without movement that the last published position stated.
    var statedSeconds: UInt32?
  }

  /// Whose position it is: this device, or the tracker whose row the nonce names.
  struct Subject {
    let nonce: Bytes16?
    let device: DeviceID
  }

  init(in store: Store) throws(StoreError) { unpublished = try Self.unpublished(in: store) }

  /// Reads again what memory may be ahead of.
  mutating func reload(from store: Store) throws(StoreError) {
    unpublished = try Self.unpublished(in: store)
  }

  private static func unpublished(in store: Store) throws(StoreError) -> UnpublishedPositions {
    guard let bytes = try store.local(UnpublishedPositions.key) else {
      return UnpublishedPositions()
    }
    do throws(DecodingFault) {
      return try UnpublishedPositions(decoding: bytes)
    } catch {
      return UnpublishedPositions()
    }
  }

  // MARK: Battery and movement

  /// Takes the charge of a battery; nil if the device states none.
  mutating func note(batteryPercent: UInt8?, of tracker: Bytes16?) {
    guard let batteryPercent else { return }
    sensors[tracker, default: Sensor()].batteryPercent = batteryPercent
  }

  /// The charge of a battery, as far as it is known.
  func batteryPercent(of tracker: Bytes16?) -> UInt8? { sensors[tracker]?.batteryPercent }

  /// Whether fixes of the subject were taken since the start.
  func watchesMovement(of tracker: Bytes16?) -> Bool { sensors[tracker]?.movement != nil }

  /// Takes the newest fix. Returns whether it ends the stillness that the last published position
  /// stated, so that others must know of it.
  ///
  /// - Parameters:
  ///   - before: the detector as it was before the start of this program.
  ///   - time: milliseconds of the boot clock.
  mutating func noteMovement(
    _ fix: Fix, isMoving: Bool?, of tracker: Bytes16?, continuing before: MovementDetector?,
    at time: Int64
  ) -> Bool {
    var sensor = sensors[tracker] ?? Sensor()
    var movement = sensor.movement ?? before ?? MovementDetector()
    let hasMoved = movement.take(fix, isMoving: isMoving, at: time)
    sensor.movement = movement
    sensors[tracker] = sensor
    return hasMoved && (sensor.statedSeconds ?? 0) >= MovementEvidence.leastStatedSeconds
  }

  /// Continues the stillness that the last position before the start of this program stated.
  mutating func continueMovement(_ before: MovementDetector?, of tracker: Bytes16?) {
    guard let before else { return }
    sensors[tracker, default: Sensor()].movement = before
  }

  /// Returns what a position that is published now states.
  ///
  /// - Parameter statesStillness: whether a check-in asks for movement: otherwise no one needs it.
  mutating func telemetry(
    of tracker: Bytes16?, statesStillness: Bool, at time: Int64
  ) -> Telemetry {
    let seconds = statesStillness ? sensors[tracker]?.movement?.stillSeconds(at: time) : nil
    if sensors[tracker] != nil { sensors[tracker]?.statedSeconds = seconds }
    return Telemetry(
      batteryPercent: sensors[tracker]?.batteryPercent, stillSeconds: seconds)
  }

  // MARK: Positions that wait

  /// Keeps a position until it can be published; nil once it is.
  mutating func remember(
    _ position: UnpublishedPositions.Position?, of tracker: Bytes16?, in batch: inout Batch
  ) {
    unpublished[tracker] = position
    batch.local[UnpublishedPositions.key] = unpublished.encoded()
  }

  /// Returns the fixes of earlier positions that a new one does not supersede.
  ///
  /// - Parameter stored: the stored positions, if they were read already.
  func earlierFixes(
    before report: PositionReport, at order: RecordOrder, of subject: Subject,
    stored: [DeviceID: DevicePosition]?, in core: inout ReplicaCore
  ) throws -> [EarlierFix] {
    let new = EarlierFix(report, order: order)
    guard !new.supersedesEarlier, let last = try last(of: subject, stored: stored, in: core)
    else { return [] }
    return EarlierFix.carried(
      by: new,
      after: last.earlier + [EarlierFix(last.report, order: last.fixOrder ?? last.order)],
      in: StatusScene(zones: try core.monitor.zones(in: core.store).all, orders: [], permits: []))
  }

  /// Returns the last position of a subject, published or waiting for a key.
  func last(
    of subject: Subject, stored: [DeviceID: DevicePosition]?, in core: ReplicaCore
  ) throws(StoreError) -> UnpublishedPositions.Position? {
    if let waiting = unpublished[subject.nonce] { return waiting }
    return try published(of: subject.device, stored: stored, in: core)
  }

  private func published(
    of device: DeviceID, stored: [DeviceID: DevicePosition]?, in core: ReplicaCore
  ) throws(StoreError) -> UnpublishedPositions.Position? {
    var position = core.transaction.batch.positions.last { $0.device == device }
    if position == nil {
      position = if let stored { stored[device] } else { try core.store.position(of: device) }
    }
    return position.map {
      UnpublishedPositions.Position(
        order: $0.order, report: $0.report, earlier: $0.earlier, fixOrder: $0.fixOrder)
    }
  }
}
