internal import MusterCRDT
internal import MusterCrypto
public import MusterModel

/// Photos of reports (docs/decisions/0051-photos.md).
extension Replica {
  // MARK: Names

  /// Returns the name of the photo that this device's user added last with this original, after the
  /// previous commands.
  public mutating func photo(
    at address: BlobID, of id: RowID, now: ClockReading
  ) throws -> PhotoID {
    let row = try WriteGroup.settled(.report, id, in: &core, now: now)
    let user = core.local.author.user
    let own = ReportPhotos(in: row).all.filter {
      $0.value.author == user && $0.photo.original.id == address
    }
    guard let added = own.max(by: { $0.value.writtenAt < $1.value.writtenAt }) else {
      throw Refusal("report \(id.short) has no photo of yours with this picture", .unknown)
    }
    return added.id
  }

  // MARK: Fetching

  /// Fetches the original of a photo, also on a relay or a narrow link, and if it was deleted here.
  public mutating func requestPhoto(
    _ photo: PhotoID, of id: RowID, now: ClockReading
  ) throws -> Outcome {
    let row = try WriteGroup.settled(.report, id, in: &core, now: now)
    let original = try ReportPhotos(in: row).item(photo).photo.original.id
    guard let blob = try core.store.blob(original) else {
      throw Refusal("the list of photo \(photo.short) has not arrived yet", .notNow)
    }
    core.derived.photos.request(original)
    return try transact(now: now) { try $0.core.feed([blob], now: now) }
  }

  /// Notes the free space of the disk: below a floor, photos are not fetched.
  public mutating func noteFreeBytes(_ bytes: UInt64, now: ClockReading) throws -> Outcome {
    guard core.derived.photos.note(freeBytes: bytes) else { return Outcome() }
    return try transact(now: now) { replica in
      try replica.core.listStoredBlobs(now: now)
      replica.core.derived.photos.scheduleReview(now.instant)
      try BlobReview.perform(in: &replica.core, now: now)
    }
  }
}
