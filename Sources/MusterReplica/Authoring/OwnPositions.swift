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
  private(set) var unpublished: UnpublishedPositions
  /// Locate directives that were reported to the node since the start.
  var knownDemands: Set<RowID> = []

  /// Whose position it is: this device, or the tracker whose row the nonce names.
  struct Subject {
    let nonce: Bytes16?
    let device: DeviceID
  }

  init(in store: Store) throws(StoreError) { unpublished = try Self.unpublished(in: store) }

  /// Reads again what memory may be ahead of.
  mutating func reload(from store: Store) throws(StoreError) {
    monitor = GeofenceMonitor()
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

  /// Keeps a position until it can be published; nil once it is.
  mutating func remember(
    _ position: UnpublishedPositions.Position?, of tracker: Bytes16?, in batch: inout Batch
  ) {
    unpublished[tracker] = position
    batch.local[UnpublishedPositions.key] = unpublished.encoded()
  }

  /// Returns the fixes of earlier positions that a new one does not supersede.
  mutating func earlierFixes(
    before fix: Fix, at order: RecordOrder, of subject: Subject, in store: Store
  ) throws -> [EarlierFix] {
    let new = EarlierFix(fix, order: order)
    guard !new.supersedesEarlier,
      let last = try unpublished[subject.nonce] ?? published(of: subject.device, in: store)
    else { return [] }
    return EarlierFix.carried(
      by: new,
      after: last.earlier + [EarlierFix(last.report.fix, order: last.order)],
      in: StatusScene(zones: try monitor.zones(in: store).all, orders: [], permits: []))
  }

  private func published(
    of device: DeviceID, in store: Store
  ) throws(StoreError) -> UnpublishedPositions.Position? {
    guard let position = try store.position(of: device) else { return nil }
    return UnpublishedPositions.Position(
      order: position.order, report: position.report, earlier: position.earlier)
  }
}
