internal import Hummingbird
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// Receives photos that local users add, and prepares them for their reports.
///
///     body ─▶ one of four places ─▶ at most 64 MiB ─▶ ImageIntake ─▶ draft
///             503                   413
///
/// A place is taken before the first byte is read, so that uploads use at most 256 MiB.
final class PhotoUploads: Sendable {
  private let places = UploadPlaces()
  private let intake = ImageIntake()

  init() {}

  /// Receives the file of a request. Throws a problem with one line for the user.
  func draft(from call: Call) async throws -> PhotoDraft {
    guard let upload = call.upload else { throw Problem.unexpected }
    try Self.checkHeaders(call.headers)
    guard let place = places.take(for: call.person) else {
      throw Problem(
        .serviceUnavailable, "other photos are being uploaded: try again in a few seconds")
    }
    defer { places.leave(place) }
    call.connection.keepOpenForTransfer()
    let bytes: [UInt8]
    do {
      bytes = Array(buffer: try await upload.collect(upTo: ImageIntake.mostBytes))
    } catch is NIOTooManyBytesError {
      throw Self.tooLarge
    }
    call.request?.add(file: bytes)
    do {
      return try await intake.read(bytes, zone: .current).draft
    } catch {
      throw Problem(error)
    }
  }

  private static let tooLarge = Problem(IntakeError.oversized)

  private static func checkHeaders(_ headers: HTTPFields) throws(Problem) {
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > ImageIntake.mostBytes {
      throw tooLarge
    }
    // Browsers name no type for formats that they do not know.
    guard let type = headers[.contentType]?.lowercased(), !type.isEmpty else { return }
    guard type.hasPrefix("image/") || type.hasPrefix("application/octet-stream") else {
      throw Problem(
        .unsupportedMediaType,
        "send the image file itself, as image/jpeg for example, not '\(type.prefix(60))'")
    }
  }
}

extension Problem {
  /// A picture that is not taken in.
  fileprivate init(_ error: IntakeError) {
    let status: HTTPResponse.Status =
      switch error {
      case .oversized: .contentTooLarge
      case .empty, .notAPicture, .tooManyPixels, .damaged, .outOfMemory, .timedOut, .helperFailed:
        .unprocessableContent
      case .helperMissing, .helperUnusable, .notConfined: .notImplemented
      }
    self.init(status, "\(error)")
  }
}
