internal import Hummingbird
internal import MusterModel
internal import NIOCore

/// The file of a photo, whole or a range of it, in pieces: a client that reads slowly holds one of
/// them.
struct PhotoFile {
  private let id: PhotoID
  private let kind: BlobKind
  let status: BlobStatus

  init(_ photo: PhotoSummary, _ kind: BlobKind) {
    (id, self.kind) = (photo.id, kind)
    status = kind == .original ? photo.original : photo.thumbnail
  }

  /// Returns the photo with that number or id. Throws a problem for none or several.
  static func named(
    _ reference: String, among photos: [PhotoSummary]
  ) throws(Problem) -> PhotoSummary {
    do throws(PhotoReference.Fault) {
      return photos[try PhotoReference.index(of: reference, in: photos.map(\.id))]
    } catch {
      throw Problem(.notFound, error.description)
    }
  }

  /// - Parameter read: returns a range of the file, which MUST be complete.
  func answer(
    to call: Call, reading read: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
  ) -> Answer {
    let version = "\"\(id)\(kind == .original ? "" : "-thumbnail")\""
    let count = Int(status.bytes)
    let mayBePart = call.headers[.ifRange].map { $0 == version } ?? true
    var answer: Answer
    if Self.isKnown(version, to: call.headers) {
      answer = Answer(.notModified)
    } else {
      switch ByteRange(mayBePart ? call.headers[.range] : nil, of: count) {
      case .whole:
        answer = Answer(.ok)
        answer.body = Self.body(0..<count, call, read)
      case .part(let range):
        answer = Answer(.partialContent)
        answer.headers[.contentRange] =
          "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
        answer.body = Self.body(range, call, read)
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
    _ range: Range<Int>, _ call: Call,
    _ read: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
  ) -> ResponseBody {
    call.connection.keepOpenForTransfer()
    return ResponseBody(contentLength: range.count) { writer in
      for start in stride(from: range.lowerBound, to: range.upperBound, by: Answer.pieceBytes) {
        let piece = start..<min(start + Answer.pieceBytes, range.upperBound)
        try await writer.write(ByteBuffer(bytes: read(piece)))
      }
      try await writer.finish(nil)
    }
  }
}
