internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Which blobs of photos the engine fetches.
extension ReplicaCore {
  // MARK: Engine

  /// Counts all lists again and passes all blobs to the engine: at a start, and when other frames
  /// count, or other blobs are to be fetched.
  mutating func listStoredBlobs(now: ClockReading) throws {
    derived.photos.forgetLists()
    try store.forEachPageOfLists { page in
      for list in page { _ = derived.photos.add(list, counts: try counts(list)) }
      try oweReceipts(for: page, now: now)
    }
    try store.forEachPageOfListedBlobs { try feed($0, now: now) }
  }

  /// Counts the lists of frames that are stored now, and passes their blobs to the engine.
  mutating func take(_ lists: [ListedBlob], now: ClockReading) throws {
    var changed: Set<BlobID> = []
    for list in lists { changed.formUnion(derived.photos.add(list, counts: try counts(list))) }
    try oweReceipts(for: lists, now: now)
    try feed(try changed.sorted().compactMap { try store.blob($0) }, now: now)
  }

  /// Whether the frame of a list counts.
  private func counts(_ list: ListedBlob) throws(StoreError) -> Bool {
    if let counts = control.counts(list.place, under: list.opening) { return counts }
    guard let frame = try store.frame(list.place) else { return false }
    return control.isReleased(frame)
  }

  private mutating func oweReceipts(for lists: [ListedBlob], now: ClockReading) throws {
    guard !lists.isEmpty else { return }
    derived.photos.scheduleReview(
      now.instant.advanced(byMilliseconds: PhotoKeeper.reviewMilliseconds))
    schedules.oweBlobReceipts(for: Set(lists.map(\.log)), now: now.instant)
  }

  mutating func feed(
    _ blobs: [StoredBlob], removed: [BlobID] = [], now: ClockReading
  ) throws {
    guard !blobs.isEmpty || !removed.isEmpty else { return }
    let entries = blobs.map { derived.photos.entry(of: $0, role: local.author.role) }
    try run(.blobsChanged(entries, removed: removed), now: now)
  }

  // MARK: Receipts and deletion

  /// Schedules a receipt of a command device after a blob is complete.
  mutating func oweBlobReceipt(for blob: BlobID, now: ClockReading) {
    guard engine.isComplete(blob) else { return }
    let logs = derived.photos.lists.places(of: blob).map(\.log)
    schedules.oweBlobReceipts(for: Set(logs), now: now.instant)
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
