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
      store: context.store, engine: engine, local: context.local, control: control)
    members = Set(
      control.admissions.map(\.signed.certificate.device).filter { !control.isRevoked($0) })
  }

  // MARK: Progress

  /// Returns the photos of a report, oldest first by their authors' clocks.
  func photos(of row: RowState) throws(StoreError) -> [PhotoSummary] {
    let marks = PhotoMarks(in: row)
    var found: [PhotoSummary] = []
    for (value, photo) in Self.values(of: row).prefix(Limits.photosPerReport) {
      found.append(
        PhotoSummary(
          id: photo.id, callsign: try context.authorship(of: value), author: value.author,
          addedAt: value.writtenAt, takenAt: photo.takenAt, position: photo.position,
          original: try status(of: photo.original), thumbnail: try status(of: photo.thumbnail),
          marks: try marks.summaries(on: photo.id, in: context)))
    }
    return found
  }

  /// Returns how many photos a report shows.
  static func count(in row: RowState) -> Int {
    min(values(of: row).count, Limits.photosPerReport)
  }

  /// Returns a photo of a report by its `PhotoReference`. Throws `Refusal` if there is none, or
  /// several.
  static func photo(named reference: String, in row: RowState) throws(Refusal) -> BlobID {
    let ids = values(of: row).prefix(Limits.photosPerReport).map(\.photo.id)
    do throws(PhotoReference.Fault) {
      return ids[try PhotoReference.index(of: reference, in: ids)]
    } catch {
      throw Refusal(error.description, .unknown)
    }
  }

  /// Returns the live photos of a report in their order. A photo that was added twice is listed
  /// once.
  private static func values(of row: RowState) -> [(value: LiveValue, photo: Photo)] {
    var seen: Set<BlobID> = []
    return row.values(of: .reportPhotos)
      .sorted { ($0.writtenAt, $0.dot) < ($1.writtenAt, $1.dot) }
      .compactMap { value in
        guard case .photo(let photo) = value.value, seen.insert(photo.id).inserted else {
          return nil
        }
        return (value, photo)
      }
  }

  private func status(of blob: BlobReference) throws(StoreError) -> BlobStatus {
    let progress = receipts.engine.progress(of: blob.id)
    let units = progress?.units
    let isHere = units?.isComplete == true
    var holders = Set(progress?.holders ?? []).intersection(members)
    if isHere { holders.insert(context.local.device) }
    let command = try context.store.blob(blob.id).map(receipts.keepers) ?? []
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
      if keeper.overBound.contains(blob.id) { return .overBound }
      guard let stored = try context.store.blob(blob.id) else { return .notListed }
      if stored.isDeleted { return .deleted }
      return keeper.isFull(for: stored.listing.kind) ? .diskLow : .notRequested
    }
  }

  /// Returns the reports with a photo of which one of these blobs is a part.
  func reports(showing blobs: Set<BlobID>) throws(StoreError) -> [RowKey] {
    try context.store.rows(.report).filter { row in
      row.exists
        && Self.values(of: row).contains { _, photo in
          photo.blobs.contains { blobs.contains($0.reference.id) }
        }
    }.map(\.key)
  }

  // MARK: Bytes

  /// Returns the values by which authors added a photo. Throws `Refusal` if there is none.
  static func values(of photo: BlobID, in row: RowState) throws(Refusal) -> [LiveValue] {
    let found = row.values(of: .reportPhotos).filter {
      if case .photo(let value) = $0.value { value.id == photo } else { false }
    }
    guard !found.isEmpty else {
      throw Refusal("report \(row.key.id.short) has no photo \(photo.short)", .unknown)
    }
    return found
  }

  /// Returns decrypted bytes of a photo. Throws `Refusal` if some of them are not here.
  ///
  /// - Parameter range: the bytes to read, clamped to the picture; nil for all.
  func bytes(
    of photo: BlobID, in row: RowState, kind: BlobKind, range: Range<Int>?
  ) throws -> [UInt8] {
    guard case .photo(let value)? = try Self.values(of: photo, in: row).first?.value else {
      return []
    }
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
