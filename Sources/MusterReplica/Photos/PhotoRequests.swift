internal import MusterCRDT
public import MusterModel

/// Requests about the photos of reports (docs/decisions/0051-photos.md), and the marks on them:
/// elements of sets in the report's row, so that concurrent changes merge.
public enum PhotoRequests {
  /// Adds a photo to a report; command and members. In the urgent lane if the report is, so that
  /// its thumbnail is fetched first. Does not restore a report that is deleted concurrently.
  ///
  /// - Returns: a request for the address of the original. `Replica.photo(at:of:)` returns the name
  ///   of the photo, which is not known before its frame is sealed.
  public static func add(_ draft: PhotoDraft, to id: RowID) -> WriteRequest<BlobID> {
    WriteRequest { context in
      try context.require(.command, .member)
      let state = try context.settled(.report, id)
      try ReportPhotos(in: state).requireRoom(for: context.read.local.author)
      let sealed = try context.seal(draft)
      var composer = Composer(state, origin: nil)
      composer.insert(.reportPhotos, .photo(sealed.photo))
      return Draft(
        answer: sealed.photo.original.id, rows: [composer.writes], lane: state.lane,
        units: sealed.units)
    }
  }

  /// Removes a photo from a report; its author and command. Photos of others with the same blobs
  /// stay.
  public static func remove(_ photo: PhotoID, of id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member)
      let state = try context.settled(.report, id)
      let item = try ReportPhotos(in: state).requireRemovable(
        photo, by: context.read.local.author)
      var composer = Composer(state, origin: nil)
      composer.remove(.reportPhotos, [item.value.dot])
      return Draft(composer, lane: state.lane)
    }
  }

  /// Draws a mark over a photo of a report; command and members. A mark on a photo that is removed
  /// is no longer shown.
  public static func addMark(_ mark: PhotoMark, to id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member)
      let state = try context.settled(.report, id)
      try PhotoMarks(in: state).admit(mark, by: context.read.local.author)
      var composer = Composer(state, origin: nil)
      composer.insert(.reportPhotoMarks, .bytes(mark.encoded()))
      return Draft(composer, lane: state.lane)
    }
  }

  /// Removes a mark; its author and command.
  ///
  /// - Parameter reference: its id, or at least four of its digits.
  public static func removeMark(_ reference: String, of id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member)
      let state = try context.settled(.report, id)
      let dot = try PhotoMarks(in: state).removable(reference, by: context.read.local.author)
      var composer = Composer(state, origin: nil)
      composer.remove(.reportPhotoMarks, [dot])
      return Draft(composer, lane: state.lane)
    }
  }
}
