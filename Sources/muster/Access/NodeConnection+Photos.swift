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
    if let number = Int(text), photos.indices.contains(number - 1) {
      return (number, photos[number - 1])
    }
    if let prefix = IdentifierPrefix(text) {
      let found = photos.indices.filter { prefix.begins(photos[$0].id) }
      if found.count == 1 { return (found[0] + 1, photos[found[0]]) }
    }
    guard !photos.isEmpty else { throw Refusal("the report \(report.short) has no photos") }
    throw Refusal(
      "there is no photo '\(text)': the report \(report.short) has "
        + "\(ValueText.count(photos.count, "photo", "photos")), see muster report photo list")
  }

  /// Returns a picture. Throws `Refusal` with its progress if it is not complete here.
  func bytes(
    of photo: PhotoSummary, _ kind: BlobKind, in report: RowID
  ) async throws -> [UInt8] {
    let status = kind == .original ? photo.original : photo.thumbnail
    guard status.isComplete else {
      throw Refusal("photo \(photo.id.short) is not complete here: \(status.text)")
    }
    guard
      case .photo(let bytes) = try await ask(
        .photo("\(photo.id)", of: "\(report)", kind: kind))
    else { throw Refusal.unexpectedReply }
    return bytes.bytes
  }
}
