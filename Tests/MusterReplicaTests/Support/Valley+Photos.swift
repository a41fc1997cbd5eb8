import MusterAttackers
import MusterCRDT
import MusterCrypto
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// Photos, and elements about them that a modified program writes.
extension Valley {
  /// Adds a photo to a report.
  mutating func photograph(
    _ report: RowID, at name: String, _ draft: PhotoDraft
  ) throws -> PhotoID {
    let address = try at(name) { replica, now in
      let added = try replica.write(PhotoRequests.add(draft, to: report), now: now)
      return (added.answer, added.outcome)
    }
    return try ask(name) { try $0.photo(at: address, of: report, now: $1) }
  }

  /// Returns the photos of a report, by number.
  mutating func photos(of report: RowID, at name: String) throws -> [PhotoSummary] {
    try ask(name) { replica, _ in try replica.queries.photos(of: report) }
  }

  /// Returns the bytes of the original of a photo.
  mutating func bytes(
    of photo: PhotoID, of report: RowID, at name: String
  ) throws -> [UInt8] {
    try ask(name) { replica, _ in
      try replica.queries.photoBytes(photo, of: report, kind: .original)
    }
  }

  /// Returns the elements that add photos to a report, by dot.
  mutating func elements(of report: RowID, at name: String) throws -> [LiveValue] {
    try ask(name) { replica, _ in
      try replica.queries.context.existing(.report, report).values(of: .reportPhotos)
    }
  }

  /// Returns what the first of these elements states.
  mutating func element(of report: RowID, at name: String) throws -> Photo {
    let first = try elements(of: report, at: name).first
    guard case .photo(let photo)? = first?.value else { throw Failed("there is no photo") }
    return photo
  }

  /// Writes elements with a modified program, each in a frame that lists its blobs.
  mutating func author(
    _ photos: [Photo], of report: RowID, at name: String, lane: Lane = .state
  ) throws {
    try at(name) { replica, now in
      let origin = try replica.queries.context.existing(.report, report).origin
      let writes = photos.map { photo in
        Operation.write(
          Write(row: report, field: .reportPhotos, value: .photo(photo), origin: origin))
      }
      return try MaliciousMember.author(&replica, unchecked: writes, lane: lane, now: now)
    }
  }

  /// Returns photos of the largest size whose blobs no device has.
  static func inventedPhotos(_ count: Int, seed: UInt64 = 1) -> [Photo] {
    var random = SplitMix64(seed: seed)
    func reference(_ length: Int) -> BlobReference {
      BlobReference(
        root: bytes32(&random), length: UInt32(length), key: bytes32(&random), type: .jpeg,
        width: 9, height: 9)
    }
    return (0..<count).map { _ in
      Photo(
        original: reference(Limits.blobBytes), thumbnail: reference(Limits.thumbnailBytes))
    }
  }

  private static func bytes32(_ random: inout SplitMix64) -> Bytes32 {
    Bytes32(
      prefix: Bytes16(high: random.next(), low: random.next()),
      suffix: Bytes16(high: random.next(), low: random.next()))
  }
}
