internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Which blobs of photos the engine fetches.
extension ReplicaCore {
  // MARK: Engine

  /// Passes all listed blobs to the engine, at a start and when other blobs are to be fetched.
  mutating func listStoredBlobs(now: ClockReading) throws {
    derived.photos.forgetUsage()
    try store.forEachPageOfListedBlobs { try list($0, now: now) }
  }

  /// Passes blobs to the engine that were listed.
  mutating func list(_ blobs: [StoredBlob], now: ClockReading) throws {
    guard !blobs.isEmpty else { return }
    for blob in blobs { derived.photos.count(blob) }
    derived.photos.scheduleReview(
      now.instant.advanced(byMilliseconds: PhotoKeeper.reviewMilliseconds))
    schedules.oweBlobReceipts(for: Set(blobs.map(\.log)), now: now.instant)
    try feed(blobs, now: now)
  }

  mutating func feed(
    _ blobs: [StoredBlob], removed: [BlobID] = [], now: ClockReading
  ) throws {
    let entries = blobs.map { derived.photos.entry(of: $0, role: local.author.role) }
    try run(.blobsChanged(entries, removed: removed), now: now)
  }

  // MARK: Receipts and deletion

  /// Schedules a receipt of a command device after a blob is complete.
  mutating func oweBlobReceipt(for blob: BlobID, now: ClockReading) throws {
    guard engine.isComplete(blob), let log = try store.blob(blob)?.log else { return }
    schedules.oweBlobReceipts(for: [log], now: now.instant)
  }

  /// Compares files with bitmaps, after a crash or the repair of the database, and deletes the
  /// files of writes that were not committed.
  mutating func adoptBlobFiles(now: ClockReading) throws {
    let found = try store.adoptUnits()
    if !found.isEmpty { try feed(found, now: now) }
    // Frames that are lost to damage may list the others.
    if recovery.setAside.isEmpty, try queries.missingFrames().isEmpty {
      try store.deleteUnlistedBlobs()
    }
  }
}
