internal import MusterCRDT
internal import MusterGeo
internal import MusterModel
internal import MusterStatus
internal import MusterStore
internal import MusterSync

/// The fixes of this device and of its trackers: how they stand to the zones, and the positions
/// that are still to be published.
struct OwnPositions: Sendable {
  var monitor = GeofenceMonitor()
  /// Positions that wait for a key.
  private(set) var untold: UntoldPositions
  /// Locate directives that were reported to the node since the start.
  var knownDemands: Set<RowID> = []

  /// Whose position it is: this device, or the tracker whose row the nonce names.
  struct Subject {
    let nonce: Bytes16?
    let device: DeviceID
  }

  init(in store: Store) throws(StoreError) { untold = try Self.untold(in: store) }

  /// Reads again what memory may be ahead of.
  mutating func reload(from store: Store) throws(StoreError) {
    monitor = GeofenceMonitor()
    untold = try Self.untold(in: store)
  }

  private static func untold(in store: Store) throws(StoreError) -> UntoldPositions {
    guard let bytes = try store.local(UntoldPositions.key) else { return UntoldPositions() }
    do throws(DecodingFault) {
      return try UntoldPositions(decoding: bytes)
    } catch {
      return UntoldPositions()
    }
  }

  /// Keeps a position until it can be published; nil once it is.
  mutating func remember(
    _ position: UntoldPositions.Position?, of tracker: Bytes16?, in batch: inout Batch
  ) {
    untold[tracker] = position
    batch.local[UntoldPositions.key] = untold.encoded()
  }

  /// Returns the fixes of earlier positions that a new one does not supersede.
  mutating func earlierFixes(
    before fix: Fix, at order: RecordOrder, of subject: Subject, in store: Store
  ) throws -> [EarlierFix] {
    let new = EarlierFix(fix, order: order)
    guard !new.supersedesEarlier,
      let last = try untold[subject.nonce] ?? published(of: subject.device, in: store)
    else { return [] }
    return EarlierFix.carried(
      by: new,
      after: last.earlier + [EarlierFix(last.report.fix, order: last.order)],
      in: StatusScene(zones: try monitor.zones(in: store).all, orders: [], permits: []))
  }

  private func published(
    of device: DeviceID, in store: Store
  ) throws(StoreError) -> UntoldPositions.Position? {
    guard let position = try store.position(of: device) else { return nil }
    return UntoldPositions.Position(
      order: position.order, report: position.report, earlier: position.earlier)
  }
}
