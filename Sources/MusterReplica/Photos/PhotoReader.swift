internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The photos of reports: the progress of their blobs, and their bytes.
struct PhotoReader {
  let context: ReadContext
  let keeper: PhotoKeeper
  let receipts: BlobReceipts
  /// The devices that are not revoked.
  private let members: Set<DeviceID>

  init(context: ReadContext, keeper: PhotoKeeper, engine: SyncEngine) {
    self.context = context
    self.keeper = keeper
    let control = context.control
    receipts = BlobReceipts(
      store: context.store, engine: engine, local: context.local, control: control,
      lists: keeper.lists)
    members = Set(
      control.admissions.map(\.signed.certificate.device).filter { !control.isRevoked($0) })
  }

  // MARK: Progress

  /// Returns the photos of a report in the order of their numbers.
  func photos(of row: RowState) throws(StoreError) -> [PhotoSummary] {
    let marks = PhotoMarks(in: row)
    var found: [PhotoSummary] = []
    for item in ReportPhotos(in: row).shown {
      let (value, photo) = (item.value, item.photo)
      found.append(
        PhotoSummary(
          id: item.id, address: photo.original.id, callsign: try context.authorship(of: value),
          author: value.author, addedAt: value.writtenAt, takenAt: photo.takenAt,
          position: photo.position, original: try status(of: photo.original),
          thumbnail: try status(of: photo.thumbnail),
          marks: try marks.summaries(on: item, in: context)))
    }
    return found
  }

  /// Returns how many photos a report shows.
  static func count(in row: RowState) -> Int {
    min(row.values(of: .reportPhotos).count, Limits.photosPerReport)
  }

  private func status(of blob: BlobReference) throws(StoreError) -> BlobStatus {
    let progress = receipts.engine.progress(of: blob.id)
    let units = progress?.units
    let isHere = units?.isComplete == true
    var holders = Set(progress?.holders ?? []).intersection(members)
    if isHere { holders.insert(context.local.device) }
    let command = receipts.keepers(of: blob.id)
    holders.formUnion(command)
    return BlobStatus(
      type: blob.type, width: blob.width, height: blob.height, bytes: blob.length,
      percent: units.map { 100 * $0.count / $0.units } ?? 0, devices: holders.count,
      total: members.union([context.local.device]).count,
      commandPost: !command.isEmpty || isHere && context.local.author.role == .command,
      stall: try stall(of: blob, progress: progress))
  }

  private func stall(
    of blob: BlobReference, progress: BlobProgress?
  ) throws(StoreError) -> BlobStallReason? {
    guard let progress else { return .notListed }
    switch progress.stall {
    case nil: return nil
    case .narrowLink: return .narrowLink
    case .noPeer: return .noPeer
    case .noHolder: return .noHolder
    case .waiting: return .waiting
    case .notRequested:
      if keeper.lists.isOverBound(blob.id) { return .overBound }
      guard let stored = try context.store.blob(blob.id) else { return .notListed }
      if stored.isDeleted { return .deleted }
      return keeper.isFull(for: stored.listing.kind) ? .diskLow : .notRequested
    }
  }

  /// Returns the reports with a photo of which one of these blobs is a part.
  func reports(showing blobs: Set<BlobID>) throws(StoreError) -> [RowKey] {
    try context.store.rows(.report).filter { row in
      row.exists
        && row.values(of: .reportPhotos).contains { value in
          guard case .photo(let photo) = value.value else { return false }
          return photo.blobs.contains { blobs.contains($0.reference.id) }
        }
    }.map(\.key)
  }

  // MARK: Bytes

  /// Returns decrypted bytes of a photo. Throws `Refusal` if some of them are not here.
  ///
  /// - Parameter range: the bytes to read, clamped to the picture; nil for all.
  func bytes(
    of photo: PhotoID, in row: RowState, kind: BlobKind, range: Range<Int>?
  ) throws -> [UInt8] {
    let value = try ReportPhotos(in: row).item(photo).photo
    let reference = kind == .original ? value.original : value.thumbnail
    guard let listing = reference.listing(as: kind) else { return [] }
    let whole = 0..<Int(listing.length)
    let range = range?.clamped(to: whole) ?? whole
    guard !range.isEmpty else { return [] }
    let units =
      range.lowerBound / BlobShape.unitBytes...(range.upperBound - 1) / BlobShape.unitBytes
    let cipher = BlobCipher(key: reference.key)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for number in units {
      guard let unit = try context.store.unit(number, of: listing), unit.isValid(for: listing)
      else {
        throw Refusal("photo \(photo.short) is not complete here: request it, and wait", .notNow)
      }
      var plain = unit.bytes
      let place = listing.shape.bytes(of: number)
      cipher.apply(to: &plain, at: place.lowerBound)
      let part = range.clamped(to: place)
      bytes += plain[part.lowerBound - place.lowerBound..<part.upperBound - place.lowerBound]
    }
    return bytes
  }
}
