internal import GRDB
internal import MusterCrypto
public import MusterModel

extension Store {
  /// Returns all listed blobs, in the order in which they were listed here.
  public func listedBlobs() throws(StoreError) -> [StoredBlob] { try read(BlobTable.blobs) }

  /// Passes all listed blobs page by page, in the order in which they were listed here: memory is
  /// not filled by those of 10,000 photos at the same time.
  public func forEachPageOfListedBlobs(_ body: ([StoredBlob]) throws -> Void) throws {
    var page = try read { try BlobTable.blobs(after: 0, in: $0) }
    while let last = page.last {
      try body(page)
      page = try read { try BlobTable.blobs(after: last.number, in: $0) }
    }
  }

  /// Returns a listed blob; nil if no stored frame lists it.
  public func blob(_ id: BlobID) throws(StoreError) -> StoredBlob? {
    try read { try BlobTable.blob(id, in: $0) }
  }

  /// Passes the lists of all stored frames, some hundred frames at a time.
  public func forEachPageOfLists(_ body: ([ListedBlob]) throws -> Void) throws {
    var page = try read { try BlobTable.lists(after: 0, in: $0) }
    while let last = page.last {
      try body(page.lists)
      page = try read { try BlobTable.lists(after: last, in: $0) }
    }
  }

  /// Returns a unit as it is on disk, unverified; nil if it is not there.
  public func unit(_ number: Int, of listing: BlobListing) throws(StoreError) -> BlobUnit? {
    guard (0..<listing.shape.units).contains(number) else { return nil }
    return try blobs.unit(number, of: listing.id, length: Int(listing.length))
  }

  /// Compares bitmaps with files: finds the units of a replaced database, or of a transaction that
  /// was not committed. Returns the blobs that changed.
  public func adoptUnits() throws -> [StoredBlob] {
    let files = try blobs.stored()
    var unnoted: [StoredBlob] = []
    try forEachPageOfListedBlobs { page in
      unnoted += page.filter { $0.units.isEmpty && !$0.isDeleted && files.contains($0.id) }
    }
    var changed: [StoredBlob] = []
    for blob in unnoted {
      var found = UnitSet(units: blob.units.units)
      for number in 0..<found.units {
        if try unit(number, of: blob.listing)?.isValid(for: blob.listing) == true {
          found.insert(number)
        }
      }
      guard !found.isEmpty else { continue }
      let set = found
      try write { try BlobTable.write(set, of: blob.id, in: $0) }
      if let now = try self.blob(blob.id) { changed.append(now) }
    }
    return changed
  }

  /// Deletes the files of blobs that no stored frame lists: of writes that were not committed.
  public func deleteUnlistedBlobs() throws {
    var unlisted = try blobs.stored()
    guard !unlisted.isEmpty else { return }
    try forEachPageOfListedBlobs { unlisted.subtract($0.map(\.id)) }
    for id in unlisted.sorted() { try blobs.delete(id) }
  }

  /// Returns the lists of the frames of a log, by sequence, from one sequence on.
  public func blobLists(
    of log: LogID, from first: UInt64
  ) throws(StoreError) -> [(sequence: UInt64, list: [BlobListing])] {
    try read { database in
      guard let log = try FrameTable.log(log, in: database), first <= log.head.sequence else {
        return []
      }
      return try database.all(
        """
        SELECT place, blobs FROM frames WHERE blobs IS NOT NULL AND place BETWEEN ? AND ?
        ORDER BY place
        """, [log.place(first).column, log.place(log.head.sequence).column], of: "frames"
      ) {
        let place: Int64 = try $0.integer()
        return (UInt64(place & 0xFFFF_FFFF), try $0.blobList())
      }
    }
  }
}

extension Store {
  /// Changes a byte of a unit on disk: a damaged disk, for tests and simulations.
  public func damageUnit(_ number: Int, of id: BlobID) throws(StoreError) {
    guard let listing = try blob(id)?.listing, let unit = try unit(number, of: listing) else {
      return
    }
    var bytes = unit.bytes
    bytes[bytes.count - 1] ^= 1
    let damaged = BlobUnit(
      blob: id, length: unit.length, number: number, path: unit.path, bytes: bytes)
    try blobs.write([damaged])
  }
}
