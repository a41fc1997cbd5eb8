internal import MusterModel
internal import MusterNode

/// The photos of reports.
extension NodeConnection {
  /// Returns a report with its photos.
  func reportDetails(named text: String) async throws -> ReportSummary {
    let report = try await report(named: text)
    guard report.photos.count != report.photoCount else { return report }
    guard case .reports(let found) = try await ask(.report("\(report.id)")), let only = found.first
    else { throw Refusal.unexpectedReply }
    return only
  }

  func photos(of report: RowID) async throws -> [PhotoSummary] {
    guard case .photos(let photos) = try await ask(.photos("\(report)")) else {
      throw Refusal.unexpectedReply
    }
    return photos
  }

  /// Returns a photo with its number. Throws `Refusal` if the report has no such photo.
  func photo(
    named text: String, of report: RowID
  ) async throws -> (number: Int, photo: PhotoSummary) {
    let photos = try await photos(of: report)
    do throws(PhotoReference.Fault) {
      let index = try PhotoReference.index(of: text, in: photos.map(\.id))
      return (index + 1, photos[index])
    } catch {
      throw Refusal(error.description)
    }
  }

  /// Returns a picture that is complete here.
  func bytes(of photo: PhotoID, _ kind: BlobKind, in report: RowID) async throws -> [UInt8] {
    guard
      case .photo(let bytes) = try await ask(.photo("\(photo)", of: "\(report)", kind: kind))
    else { throw Refusal.unexpectedReply }
    return bytes.bytes
  }
}
