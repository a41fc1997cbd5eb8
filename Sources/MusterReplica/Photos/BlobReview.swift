internal import MusterModel
internal import MusterStore

/// Which ciphertext may be deleted: of photos that were removed, and originals when the disk is
/// full. Nothing is deleted unless a command device's receipt covers it, and nothing at a command
/// device or an archive, so that the last copy stays.
struct BlobReview {
  /// When blobs stopped being referenced; nil for those that are referenced again.
  private(set) var marks: [BlobID: Timestamp?] = [:]
  private(set) var deletable: [BlobID] = []

  /// - Parameter isFull: whether the disk has no room for originals.
  init(
    of blobs: [StoredBlob], in store: Store, receipts: BlobReceipts, role: Role, isFull: Bool,
    now: Timestamp
  ) throws {
    var unreferenced: Set<BlobID> = []
    if role.reads {
      let referenced = try Self.referenced(in: store)
      for blob in blobs {
        switch (referenced.contains(blob.id), blob.unreferencedSince) {
        case (true, nil): break
        case (true, _?): marks.updateValue(nil, forKey: blob.id)
        case (false, nil): marks.updateValue(now, forKey: blob.id)
        case (false, let since?):
          if now.milliseconds - since.milliseconds >= PhotoKeeper.keptMilliseconds {
            unreferenced.insert(blob.id)
          }
        }
      }
    }
    guard !role.givesReceipts else { return }
    let superfluous = blobs.filter { blob in
      // Thumbnails stay while a photo references them.
      let isEvicted = isFull && blob.listing.kind == .original
      return !blob.isDeleted && !blob.units.isEmpty
        && (isEvicted || unreferenced.contains(blob.id))
    }
    let others = try Self.uncounted(superfluous.map(\.id), receipts.lists, in: store)
    for blob in superfluous where deletable.count < Limits.blobsPerReview {
      #if Canary
        if Canary.evictLastCopy.isPlanted {
          deletable.append(blob.id)
          continue
        }
      #endif
      let keepers = receipts.keepers(allowingDeletionOf: blob.id, others: others[blob.id] ?? [])
      if !keepers.isEmpty { deletable.append(blob.id) }
    }
  }

  /// Returns the lists of blobs that only frames list which do not count: those of a revoked device
  /// were fetched before, and receipts cover them too.
  private static func uncounted(
    _ blobs: [BlobID], _ lists: BlobLists, in store: Store
  ) throws -> [BlobID: [BlobReceipts.Place]] {
    let wanted = Set(blobs.filter { lists[$0].isEmpty })
    guard !wanted.isEmpty else { return [:] }
    var found: [BlobID: [BlobReceipts.Place]] = [:]
    try store.forEachPageOfLists { page in
      for list in page where wanted.contains(list.listing.id) && list.place.log == list.log {
        found[list.listing.id, default: []].append((list.log, list.place.sequence))
      }
    }
    return found
  }

  /// The blobs of all photos of the reports that exist.
  private static func referenced(in store: Store) throws(StoreError) -> Set<BlobID> {
    var referenced: Set<BlobID> = []
    for row in try store.rows(.report) where row.exists {
      for case .photo(let photo) in row.values(of: .reportPhotos).map(\.value) {
        referenced.formUnion(photo.blobs.map(\.reference.id))
      }
    }
    return referenced
  }

  /// Marks blobs that no photo references, and deletes what may be deleted, when that is due.
  static func perform(in core: inout ReplicaCore, now: ClockReading) throws {
    guard core.derived.photos.takeReview(now: now.instant) else { return }
    let blobs = try core.store.listedBlobs()
    guard !blobs.isEmpty else { return }
    core.derived.photos.scheduleReview(
      now.instant.advanced(byMilliseconds: PhotoKeeper.reviewMilliseconds))
    let review = try BlobReview(
      of: blobs, in: core.store, receipts: core.queries.photoReader.receipts,
      role: core.local.author.role, isFull: core.derived.photos.isFull(for: .original),
      now: now.wall)
    core.transaction.batch.unreferenced.merge(review.marks) { $1 }
    guard !review.deletable.isEmpty else { return }
    core.transaction.batch.deletedBlobs += review.deletable
    core.derived.photos.forget(review.deletable)
    try core.commit(now: now)
    let deleted = try review.deletable.compactMap { try core.store.blob($0) }
    try core.feed(deleted, removed: review.deletable, now: now)
  }
}
