internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The tracks that this device holds: published segments of others, and the fixes that it recorded.
struct TrackReader {
  let context: ReadContext

  /// Returns the known track of a user, by sample time: published segments; for this device's own
  /// user and its trackers, the stored fixes. The newest `limit`.
  func track(of user: UserID, limit: Int) throws -> [Fix] {
    let limit = max(0, limit)
    let phone = try recorded(ofTracker: RowID(raw: user.raw), limit: limit)
    guard phone.isEmpty else { return phone }
    guard user == context.local.author.user else {
      return try published(by: user).suffix(limit)
    }
    let newest = try context.store.newestFixPlace()
    return try context.store.fixes(after: max(0, newest - Int64(limit)), limit: limit)
      .map(\.report.fix).sorted { $0.sampleTime < $1.sampleTime }
  }

  /// Returns the names of the trackers that this device has recorded, in alphabetical order.
  func names() throws -> [String] { try recordedTrackers().map(\.name) }

  /// Returns these trackers by name. Two names may be equal as Unicode and differ in their bytes.
  func trackers() throws -> [String: UserID] {
    Dictionary(try recordedTrackers(), uniquingKeysWith: { first, _ in first })
  }

  /// Returns the trackers that this device has recorded, by name.
  private func recordedTrackers() throws -> [(name: String, user: UserID)] {
    try context.store.rows(.tracker).compactMap { row in
      guard row.exists, let name = row.text(.trackerCallsign),
        row.key.id == OwnTracker(named: name, of: context.local).row
      else { return nil }
      return (name, UserID(raw: row.key.id.raw))
    }.sorted { $0.name < $1.name }
  }

  /// Returns the newest fixes of a tracker that this device records, by sample time; nothing for
  /// another device's tracker.
  func recorded(ofTracker row: RowID, limit: Int) throws -> [Fix] {
    try context.store.track(ofTracker: row, limit: limit).map(\.fix)
  }

  /// Returns the published track of a user, by sample time.
  func published(by user: UserID) throws -> [Fix] {
    try context.store.tracks(of: user).flatMap { row -> [Fix] in
      guard case .bytes(let bytes)? = row.shown(.trackPoints)?.value else { return [] }
      return TrackSegment(decoding: bytes)?.fixes ?? []
    }.sorted { $0.sampleTime < $1.sampleTime }
  }
}
