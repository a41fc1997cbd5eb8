internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Which blobs this device fetches and keeps: bounds per certificate, the user's requests, and the
/// free space.
///
/// A certificate's blobs count in the order in which they were listed here, so a bound is reached
/// by its own photos only, and what was within it stays within it.
struct PhotoKeeper: Sendable {
  private struct Usage {
    var blobs = 0
    var bytes = 0
  }

  private var usage: [CertificateHash: Usage] = [:]
  /// Blobs beyond the bound of their certificate.
  private(set) var overBound: Set<BlobID> = []
  /// Originals that the user of this device requested since the start.
  private var requested: Set<BlobID> = []
  /// When blobs are reviewed next; nil while none are listed.
  private(set) var reviewAt: Instant?
  /// Free bytes of the disk, as the node measured them; nil before.
  private(set) var freeBytes: UInt64?

  /// Below it, no originals are fetched; below half of it, no thumbnails.
  static let floorBytes = 4 * Limits.leastFreeBytes

  static let reviewMilliseconds: Int64 = 600_000
  /// How long the ciphertext of a photo is kept that was removed.
  static let keptMilliseconds: Int64 = 24 * 3_600_000

  mutating func scheduleReview(_ moment: Instant) {
    reviewAt = min(reviewAt ?? moment, moment)
  }

  /// Returns whether a review is due, and ends the schedule.
  mutating func takeReview(now: Instant) -> Bool {
    guard let due = reviewAt, due <= now else { return false }
    reviewAt = nil
    return true
  }

  /// Forgets the user's requests of blobs that are deleted.
  mutating func forget(_ deleted: [BlobID]) { requested.subtract(deleted) }

  /// Whether the disk has no room for blobs of a kind.
  func isFull(for kind: BlobKind) -> Bool {
    guard let freeBytes else { return false }
    return freeBytes < (kind == .original ? Self.floorBytes : Self.floorBytes / 2)
  }

  /// Takes a measurement. Returns whether other blobs are fetched than before.
  mutating func note(freeBytes: UInt64) -> Bool {
    let before = BlobKind.allCases.map(isFull)
    self.freeBytes = freeBytes
    return before != BlobKind.allCases.map(isFull)
  }

  mutating func request(_ blob: BlobID) { requested.insert(blob) }

  /// Forgets what is counted again from the store.
  mutating func forgetUsage() {
    usage = [:]
    overBound = []
  }

  /// Counts a listed blob.
  mutating func count(_ blob: StoredBlob) {
    let used = usage[blob.certificate] ?? Usage()
    let next = Usage(blobs: used.blobs + 1, bytes: used.bytes + Int(blob.listing.length))
    guard next.blobs <= Limits.blobsPerCertificate, next.bytes <= Limits.blobBytesPerCertificate
    else {
      overBound.insert(blob.id)
      return
    }
    usage[blob.certificate] = next
  }

  /// Throws `Refusal` if another photo of a certificate would be over its bound: no other device
  /// would ever fetch it.
  func requireRoom(for photo: PhotoDraft, of certificate: CertificateHash) throws(Refusal) {
    let used = usage[certificate] ?? Usage()
    let bytes = photo.original.bytes.count + photo.thumbnail.bytes.count
    guard used.blobs + 2 <= Limits.blobsPerCertificate,
      used.bytes + bytes <= Limits.blobBytesPerCertificate
    else {
      throw Refusal(
        "this laptop has added as many photos as the others keep of it: add it on another laptop")
    }
  }

  /// Returns whether and when a device of this role fetches a blob.
  func entry(of blob: StoredBlob, role: Role) -> BlobEntry {
    BlobEntry(
      listing: blob.listing, id: blob.id, certificate: blob.certificate, number: blob.number,
      units: blob.units, goal: goal(of: blob, role: role))
  }

  private func goal(of blob: StoredBlob, role: Role) -> BlobGoal {
    guard !overBound.contains(blob.id), !isFull(for: blob.listing.kind) else { return .none }
    if requested.contains(blob.id) { return .requested }
    guard !blob.isDeleted else { return .onRequest }
    switch blob.listing.kind {
    case .thumbnail: return blob.lane == .urgent ? .urgentThumbnail : .thumbnail
    case .original:
      switch role {
      case .relay: return .onRequest
      case .command: return .command
      case .member, .observer, .archive: return .rest
      }
    }
  }
}
