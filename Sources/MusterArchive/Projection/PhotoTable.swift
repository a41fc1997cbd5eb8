internal import MusterModel

/// A photo and the report that shows it.
struct ReportedPhoto {
  let report: RowID
  let photo: PhotoSummary
}

/// The content of photos: decrypted by the node, which verifies each piece by the list of the frame
/// that names it.
struct PhotoTable {
  let database: DatabaseConnection
  let operation: OperationID

  /// Returns which of some photos have no content here.
  func missing(_ photos: [ReportedPhoto]) throws -> [ReportedPhoto] {
    guard !photos.isEmpty else { return [] }
    let held = try database.run(
      "SELECT id FROM blobs WHERE operation = $1 AND content IS NOT NULL",
      [.bytes(operation.bytes)])
    let ids = Set(held.compactMap { PhotoID(bytes: $0.bytes(0)) })
    return photos.filter { !ids.contains($0.photo.id) }
  }

  /// Writes the content of a photo that is listed. It never changes: the id names the element of
  /// the report that has the key and the hash.
  func write(_ content: [UInt8], of photo: PhotoID) throws {
    try database.run(
      "UPDATE blobs SET content = $3 WHERE operation = $1 AND id = $2",
      [.bytes(operation.bytes), .bytes(photo.bytes), .bytes(content)])
  }
}
