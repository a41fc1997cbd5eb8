internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// The routes of photos. `{n}` is the number of a photo in its report, from 1, or its id.
enum PhotoRoutes {
  static let routes: [Route] = [
    Route(
      .get, list, "List the photos of a report, with what is here and who holds them",
      result: .json(
        .open([.must("items", .list(.named("Photo"), most: Limits.photosPerReport))]))
    ) { api, call in
      .ok(.object(["items": .array(try await photos(of: call, at: api).map(\.json))]))
    },
    Route(
      .post, list,
      "Add a photo to a report: the body is the file (JPEG, PNG, WebP or HEIF, at most 64 MiB)",
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
    Route(.get, one, "Get a photo, if it is complete here", result: .file(type: "image/jpeg")) {
      try await file(.original, $0, $1)
    },
    Route(
      .get, one + "/thumbnail", "Get the thumbnail of a photo, if it is complete here",
      result: .file(type: "image/jpeg")
    ) { try await file(.thumbnail, $0, $1) },
    Route(
      .delete, one, "Remove a photo from its report, as its author or command", result: .done
    ) { api, call in try await api.done(.removePhoto(call.photo, of: call.id)) },
    Route(
      .post, one + "/request", "Request the original of a photo where it is not fetched unasked",
      result: .done
    ) { api, call in try await api.done(.requestPhoto(call.photo, of: call.id)) },
  ]

  private static let list = "/api/v1/reports/{id}/photos"
  private static let one = "/api/v1/reports/{id}/photos/{n}"
  /// Bytes that are read from the node at once.
  private static let pieceBytes = 256 * 1024

  private static func photos(of call: Call, at api: API) async throws -> [PhotoSummary] {
    guard case .photos(let photos) = try await api.ask(.photos(call.id)) else {
      throw Problem.unexpected
    }
    return photos
  }

  private static func photo(of call: Call, at api: API) async throws -> PhotoSummary {
    let photos = try await photos(of: call, at: api)
    do throws(PhotoReference.Fault) {
      return photos[try PhotoReference.index(of: call.photo, in: photos.map(\.id))]
    } catch {
      throw Problem(.notFound, error.description)
    }
  }

  /// The file, or a range of it, in pieces: a client that reads slowly holds one of them.
  private static func file(
    _ kind: BlobKind, _ api: API, _ call: Call
  ) async throws -> Answer {
    let photo = try await photo(of: call, at: api)
    let status = kind == .original ? photo.original : photo.thumbnail
    guard status.isComplete else { throw Problem(.conflict, status.text) }
    let version = "\"\(photo.id)\(kind == .original ? "" : "-thumbnail")\""
    let count = Int(status.bytes)
    let mayBePart = call.headers[.ifRange].map { $0 == version } ?? true
    var answer: Answer
    if isKnown(version, to: call.headers) {
      answer = Answer(.notModified)
    } else {
      switch ByteRange(mayBePart ? call.headers[.range] : nil, of: count) {
      case .whole:
        answer = Answer(.ok)
        answer.body = body(photo.id, kind, 0..<count, api, call)
      case .part(let range):
        answer = Answer(.partialContent)
        answer.headers[.contentRange] =
          "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
        answer.body = body(photo.id, kind, range, api, call)
      case .unsatisfiable:
        answer = Problem(.rangeNotSatisfiable, "the photo has \(count) bytes").answer
        answer.headers[.contentRange] = "bytes */\(count)"
        return answer
      }
      answer.headers[.contentType] = status.type.mediaType
      answer.headers[.acceptRanges] = "bytes"
    }
    answer.headers[.eTag] = version
    // A photo never changes, but it may be removed.
    answer.headers[.cacheControl] = "private, no-cache"
    return answer
  }

  private static func isKnown(_ version: String, to headers: HTTPFields) -> Bool {
    guard let known = headers[.ifNoneMatch] else { return false }
    return known.split(separator: ",").contains { word in
      let word = word.drop { $0 == " " }
      return word == "*" || word == version || word == "W/\(version)"
    }
  }

  private static func body(
    _ photo: BlobID, _ kind: BlobKind, _ range: Range<Int>, _ api: API, _ call: Call
  ) -> ResponseBody {
    call.connection.keepOpenForTransfer()
    let report = call.id
    return ResponseBody(contentLength: range.count) { writer in
      for start in stride(from: range.lowerBound, to: range.upperBound, by: pieceBytes) {
        let piece = start..<min(start + pieceBytes, range.upperBound)
        let bytes = try await api.node.photoBytes(photo, of: report, kind: kind, range: piece)
        try await writer.write(ByteBuffer(bytes: bytes))
      }
      try await writer.finish(nil)
    }
  }
}

extension Call {
  /// The photo that the path names.
  fileprivate var photo: String { path["n"] ?? "" }
}
