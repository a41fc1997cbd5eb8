internal import MusterModel
internal import MusterReplica

/// Photos of reports.
extension Command {
  /// The row writes of a command about photos.
  var photoWrite: RowWrite? {
    switch self {
    case .addPhoto(let draft, let report):
      { replica, now in
        let id = try replica.queries.row(.report, named: report)
        let (address, outcome) = try replica.write(PhotoRequests.add(draft, to: id), now: now)
        return (.photoAdded(try replica.photo(at: address, of: id, now: now)), outcome)
      }
    case .removePhoto(let reference, let report):
      { replica, now in
        let id = try replica.queries.row(.report, named: report)
        let photo = try replica.queries.photo(named: reference, of: id)
        return (.done, try replica.write(PhotoRequests.remove(photo, of: id), now: now))
      }
    case .markPhoto(let drawing, let reference, let report):
      { replica, now in
        let id = try replica.queries.row(.report, named: report)
        let mark = PhotoMark(
          photo: try replica.queries.photo(named: reference, of: id), drawing: drawing)
        return (.done, try replica.write(PhotoRequests.addMark(mark, to: id), now: now))
      }
    case .removePhotoMark(let mark, let report):
      { replica, now in
        let id = try replica.queries.row(.report, named: report)
        return (.done, try replica.write(PhotoRequests.removeMark(mark, of: id), now: now))
      }
    default: nil
    }
  }

  /// Performs a command that reads photos.
  func photoReply(by replica: inout Replica) throws -> Reply {
    switch self {
    case .photos(let report):
      return .photos(try replica.queries.photos(of: replica.queries.row(.report, named: report)))
    case .photo(let reference, let report, let kind):
      let id = try replica.queries.row(.report, named: report)
      let photo = try replica.queries.photo(named: reference, of: id)
      return .photo(ByteString(try replica.queries.photoBytes(photo, of: id, kind: kind)))
    default: preconditionFailure("\(self) reads no photos")
    }
  }

  /// Requests the original of a photo.
  func requestPhoto(
    by replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    guard case .requestPhoto(let reference, let report) = self else {
      preconditionFailure("\(self) requests no photo")
    }
    let id = try replica.queries.row(.report, named: report)
    return try replica.requestPhoto(
      replica.queries.photo(named: reference, of: id), of: id, now: now)
  }
}
