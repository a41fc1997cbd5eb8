internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Which blobs this device fetches and keeps: bounds per certificate, the user's requests, and the
/// free space.
struct PhotoKeeper: Sendable {
  private(set) var lists = BlobLists()
  /// Certificates that do not count, or not yet, and list blobs.
  private var uncounted: Set<CertificateHash> = []
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
  mutating func forgetLists() {
    lists = BlobLists()
    uncounted = []
  }

  /// Counts a list of a frame. Returns the blobs that may be fetched otherwise than before.
  ///
  /// - Parameter counts: whether the frame does.
  mutating func add(_ list: ListedBlob, counts: Bool) -> Set<BlobID> {
    guard counts else {
      uncounted.insert(list.opening.certificate)
      return [list.listing.id]
    }
    return lists.add(list)
  }

  /// Whether one of these certificates lists blobs in frames that did not count.
  func waits(for certificates: [CertificateHash]) -> Bool {
    !uncounted.isDisjoint(with: certificates)
  }

  /// Throws `Refusal` if another photo of a certificate would be over its bound: no other device
  /// would ever fetch it.
  func requireRoom(for photo: PhotoDraft, of certificate: CertificateHash) throws(Refusal) {
    let bytes = photo.original.bytes.count + photo.thumbnail.bytes.count
    guard lists.hasRoom(for: bytes, of: certificate) else {
      throw Refusal(
        "this laptop has added as many photos as the others keep of it: add it on another laptop")
    }
  }

  /// Returns whether and when a device of this role fetches a blob: each certificate with a list
  /// that counts gives it a turn.
  func entry(of blob: StoredBlob, role: Role) -> BlobEntry {
    var turns: [CertificateHash: BlobTurn] = [:]
    for list in lists[blob.id] {
      let turn = BlobTurn(
        certificate: list.certificate, number: list.entry.number,
        goal: goal(of: blob, listed: list.entry, role: role))
      turns[list.certificate] = turns[list.certificate].map { min($0, turn) } ?? turn
    }
    return BlobEntry(
      listing: blob.listing, id: blob.id, units: blob.units, turns: turns.values.sorted())
  }

  private func goal(
    of blob: StoredBlob, listed entry: CertificateLists.Entry, role: Role
  ) -> BlobGoal {
    guard !isFull(for: blob.listing.kind) else { return .none }
    if requested.contains(blob.id) { return .requested }
    guard !blob.isDeleted else { return .onRequest }
    switch entry.kind {
    case .thumbnail: return entry.lane == .urgent ? .urgentThumbnail : .thumbnail
    case .original:
      switch role {
      case .relay: return .onRequest
      case .command: return .command
      case .member, .observer, .archive: return .rest
      }
    }
  }
}

extension CertificateLists.Entry {
  /// Increases in the order in which the author listed blobs.
  fileprivate var number: Int64 { Int64(generation) << 32 | Int64(sequence) }
}
