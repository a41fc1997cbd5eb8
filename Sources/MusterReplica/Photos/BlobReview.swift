internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel
internal import MusterStore

/// Which ciphertext may be deleted: of photos that were removed, and originals when the disk is
/// full. Nothing is deleted unless a command device's receipt covers it, and nothing at a command
/// device, so that the last copy stays.
struct BlobReview {
  /// When blobs stopped being referenced; nil for those that are referenced again.
  private(set) var marks: [BlobID: Timestamp?] = [:]
  private(set) var deletable: [BlobID] = []

  /// - Parameter isFull: whether the disk has no room for originals.
  init(
    of blobs: [StoredBlob], in store: Store, receipts: BlobReceipts, role: Role, isFull: Bool,
    now: Timestamp
  ) throws(StoreError) {
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
    guard role != .command else { return }
    for blob in blobs
    where deletable.count < Limits.blobsPerReview && !blob.isDeleted && !blob.units.isEmpty {
      // Thumbnails stay while a photo references them.
      let isEvicted = isFull && blob.listing.kind == .original
      if isEvicted || unreferenced.contains(blob.id), !receipts.keepers(of: blob).isEmpty {
        deletable.append(blob.id)
      }
    }
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
}
