internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The routes of photos. `{n}` is the number of a photo in its report, from 1, or its id.
enum PhotoRoutes {
  static let routes: [Route] = [
    Route(
      .get, list, "List the photos of a report, with what is here and who holds them",
      rights: .read,
      result: .json(
        .open([.must("items", .list(.named("Photo"), most: Limits.photosPerReport))]))
    ) { api, call in
      .ok(.object(["items": .array(try await photos(of: call, at: api).map(\.json))]))
    },
    Route(
      .post, list,
      "Add a photo to a report: the body is the file (JPEG, PNG, WebP or HEIF, at most 64 MiB)",
      rights: .photo,
      takesFile: true, result: .added(.named("Photo"))
    ) { api, call in
      _ = try await api.node.version(of: .report, named: call.id)
      let draft = try await api.photos.draft(from: call)
      guard case .photoAdded(let photo) = try await api.ask(.addPhoto(draft, to: call.id)) else {
        throw Problem.unexpected
      }
      guard let added = try await photos(of: call, at: api).first(where: { $0.id == photo }) else {
        throw Problem(.notFound, "the photo was added, and has been removed since")
      }
      var answer = Answer(.created, added.json)
      answer.headers[.location] = "/api/v1/reports/\(call.id)/photos/\(photo)"
      return answer
    },
    Route(
      .get, one, "Get a photo, if it is complete here", rights: .download,
      result: .file(type: "image/jpeg")
    ) {
      try await file(.original, $0, $1)
    },
    Route(
      .get, one + "/thumbnail", "Get the thumbnail of a photo, if it is complete here",
      rights: .download,
      result: .file(type: "image/jpeg")
    ) { try await file(.thumbnail, $0, $1) },
    Route(
      .delete, one, "Remove a photo from its report, as its author or command", rights: .command,
      result: .done
    ) { api, call in try await api.done(.removePhoto(call.photo, of: call.id)) },
    Route(
      .post, one + "/request", "Request the original of a photo where it is not fetched unasked",
      rights: .command,
      result: .done
    ) { api, call in try await api.done(.requestPhoto(call.photo, of: call.id)) },
  ]

  private static let list = "/api/v1/reports/{id}/photos"
  private static let one = "/api/v1/reports/{id}/photos/{n}"

  private static func photos(of call: Call, at api: API) async throws -> [PhotoSummary] {
    guard case .photos(let photos) = try await api.ask(.photos(call.id)) else {
      throw Problem.unexpected
    }
    return photos
  }

  private static func photo(of call: Call, at api: API) async throws -> PhotoSummary {
    let photos = try await photos(of: call, at: api)
    return try PhotoFile.named(call.photo, among: photos)
  }

  private static func file(
    _ kind: BlobKind, _ api: API, _ call: Call
  ) async throws -> Answer {
    let photo = try await photo(of: call, at: api)
    let file = PhotoFile(photo, kind)
    guard file.status.isComplete else { throw Problem(.conflict, file.status.text) }
    let report = call.id
    return file.answer(to: call) { range in
      try await api.node.photoBytes(photo.id, of: report, kind: kind, range: range)
    }
  }
}

extension Call {
  /// The photo that the path names.
  var photo: String { path["n"] ?? "" }
}
