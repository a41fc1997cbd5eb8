internal import MusterCRDT
internal import MusterCrypto
internal import MusterGeo
public import MusterModel
internal import MusterStore

/// What programs ask besides what people see.
extension Replica {
  /// A hash of what was written into a row, the values that are not shown among it, by commands
  /// before this one of the same transaction too.
  public mutating func version(of key: RowKey, now: ClockReading) throws -> String {
    let state = try settled(key.kind, key.id, now: now)
    return Hex.encode(Blake2b.hash128(state.encoded()).bytes)
  }

  /// Active fences that a place lies in, by name.
  public mutating func fences(around place: Coordinate) throws -> [FenceSummary] {
    let zones = try monitor.zones(in: store)
    let holding = zones.prepared.filter { $0.value.contains(place) }
    guard !holding.isEmpty else { return [] }
    return try fences().filter { $0.isActive && holding[$0.id] != nil }
  }

  /// What is known here of somebody's way, by sample time: what they published, and of this
  /// device's own user, and of phones that it speaks for, what was kept. The newest `limit`.
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
