internal import MusterCRDT
internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Photos of reports (docs/decisions/0051-photos.md).
extension Replica {
  // MARK: Fetching

  /// Fetches the original of a photo, also on a relay or a narrow link, and if it was deleted here.
  public mutating func requestPhoto(
    _ photo: BlobID, of id: RowID, now: ClockReading
  ) throws -> Outcome {
    _ = try PhotoReader.values(of: photo, in: settled(.report, id, now: now))
    guard let blob = try store.blob(photo) else {
      throw Refusal("the list of photo \(photo.short) has not arrived yet", .notNow)
    }
    derived.photos.request(photo)
    return try transact(now: now) { try $0.feed([blob], now: now) }
  }

  /// Notes the free space of the disk: below a floor, photos are not fetched.
  public mutating func noteFreeBytes(_ bytes: UInt64, now: ClockReading) throws -> Outcome {
    guard derived.photos.note(freeBytes: bytes) else { return Outcome() }
    return try transact(now: now) { replica in
      try replica.listStoredBlobs(now: now)
      replica.derived.photos.scheduleReview(now.instant)
      try replica.reviewBlobs(now: now)
    }
  }

  // MARK: Engine

  /// Passes all listed blobs to the engine, at a start and when other blobs are to be fetched.
  mutating func listStoredBlobs(now: ClockReading) throws {
    derived.photos.forgetUsage()
    try list(try store.listedBlobs(), now: now)
  }

  /// Passes blobs to the engine that were listed.
  mutating func list(_ blobs: [StoredBlob], now: ClockReading) throws {
    guard !blobs.isEmpty else { return }
    for blob in blobs { derived.photos.count(blob) }
    derived.photos.scheduleReview(
      now.instant.advanced(byMilliseconds: PhotoKeeper.reviewMilliseconds))
    oweBlobReceipts(for: Set(blobs.map(\.log)), now: now)
    try feed(blobs, now: now)
  }

  private mutating func feed(
    _ blobs: [StoredBlob], removed: [BlobID] = [], now: ClockReading
  ) throws {
    let entries = blobs.map { derived.photos.entry(of: $0, role: local.author.role) }
    try run(.blobsChanged(entries, removed: removed), now: now)
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

  /// Reads and verifies a unit that a peer requested. A damaged one is cleared, and fetched again.
  mutating func unit(for request: BlobFetch, now: ClockReading) throws -> BlobUnit? {
    // The engine may request units that are still in the batch.
    let id = request.listing.id
    if transaction.batch.units.contains(where: { $0.blob == id }) { try commit(now: now) }
    if let unit = try store.unit(request.unit, of: request.listing),
      unit.isValid(for: request.listing)
    {
      return unit
    }
    transaction.batch.damagedUnits.append(StoredUnit(blob: id, number: request.unit))
    return nil
  }

  // MARK: Receipts and deletion

  /// Schedules a receipt of a command device after a blob is complete.
  mutating func oweBlobReceipt(for blob: BlobID, now: ClockReading) throws {
    guard engine.progress(of: blob)?.units.isComplete == true,
      let log = try store.blob(blob)?.log
    else { return }
    oweBlobReceipts(for: [log], now: now)
  }

  /// Schedules receipts of a command device. Those that are still correct are not sent again.
  private mutating func oweBlobReceipts(for logs: Set<LogID>, now: ClockReading) {
    guard local.author.role == .command else { return }
    for log in logs.sorted() {
      schedules.blobReceipts.owe(log, lane: .state, now: now.instant)
    }
  }

  /// Signs due receipts for blobs, commits them, and only then sends them.
  mutating func giveBlobReceipts(now: ClockReading) throws {
    var given: [LatestRecord] = []
    for log in schedules.blobReceipts.take(now: now.instant) {
      guard let receipt = try queries.photoReader.receipts.outdated(log) else { continue }
      given.append(queries.photoReader.receipts.signed(receipt, order: own.nextRecordOrder()))
    }
    try publish(given, now: now)
  }

  /// Marks blobs that no photo references, and deletes what may be deleted, when that is due.
  mutating func reviewBlobs(now: ClockReading) throws {
    guard derived.photos.takeReview(now: now.instant) else { return }
    let blobs = try store.listedBlobs()
    guard !blobs.isEmpty else { return }
    derived.photos.scheduleReview(
      now.instant.advanced(byMilliseconds: PhotoKeeper.reviewMilliseconds))
    let review = try BlobReview(
      of: blobs, in: store, receipts: queries.photoReader.receipts, role: local.author.role,
      isFull: derived.photos.isFull(for: .original), now: now.wall)
    transaction.batch.unreferenced.merge(review.marks) { $1 }
    guard !review.deletable.isEmpty else { return }
    transaction.batch.deletedBlobs += review.deletable
    derived.photos.forget(review.deletable)
    try commit(now: now)
    let deleted = try review.deletable.compactMap { try store.blob($0) }
    try feed(deleted, removed: review.deletable, now: now)
  }
}
