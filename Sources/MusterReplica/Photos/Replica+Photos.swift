internal import MusterCRDT
public import MusterModel

/// Photos of reports (docs/decisions/0051-photos.md).
extension Replica {
  // MARK: Fetching

  /// Fetches the original of a photo, also on a relay or a narrow link, and if it was deleted here.
  public mutating func requestPhoto(
    _ photo: BlobID, of id: RowID, now: ClockReading
  ) throws -> Outcome {
    _ = try PhotoReader.values(of: photo, in: WriteGroup.settled(.report, id, in: &core, now: now))
    guard let blob = try core.store.blob(photo) else {
      throw Refusal("the list of photo \(photo.short) has not arrived yet", .notNow)
    }
    core.derived.photos.request(photo)
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
