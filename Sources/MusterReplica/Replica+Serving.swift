internal import MusterCRDT
internal import MusterCrypto
internal import MusterGeo
public import MusterModel
internal import MusterStore

/// Reads for programs besides those for display.
extension Replica {
  /// Returns a hash of a row's writes, including values that are not shown, and writes of earlier
  /// commands in the same transaction.
  public mutating func version(of key: RowKey, now: ClockReading) throws -> String {
    let state = try settled(key.kind, key.id, now: now)
    return Hex.encode(Blake2b.hash128(state.encoded()).bytes)
  }

  /// Returns the active fences that contain a position, by name.
  public mutating func fences(around place: Coordinate) throws -> [FenceSummary] {
    let zones = try monitor.zones(in: store)
    let holding = zones.prepared.filter { $0.value.contains(place) }
    guard !holding.isEmpty else { return [] }
    return try fences().filter { $0.isActive && holding[$0.id] != nil }
  }

  /// Returns the known track of a user, by sample time: published segments; for this device's own
  /// user and its trackers, the stored fixes. The newest `limit`.
  public func track(of user: UserID, limit: Int) throws -> [Fix] {
    let limit = max(0, limit)
    let phone = try track(ofTracker: RowID(raw: user.raw), limit: limit)
    guard phone.isEmpty else { return phone }
    guard user == local.author.user else { return try sharedTrack(of: user).suffix(limit) }
    let newest = try store.newestFixPlace()
    return try store.fixes(after: max(0, newest - Int64(limit)), limit: limit)
      .map(\.report.fix).sorted { $0.sampleTime < $1.sampleTime }
  }
}
