/// A photo of a report for display.
public struct PhotoSummary: Codable, Hashable, Sendable {
  /// The name of the photo.
  public var id: PhotoID
  /// The address of its original, which other photos may have too.
  public var address: BlobID
  /// Who added it.
  public var authorship: Authorship
  /// The user whose device signed it, and who may remove it as `command` may.
  public var author: UserID
  /// By its author's clock: a label.
  public var addedAt: Timestamp
  /// By the camera's clock: a label; nil if unknown.
  public var takenAt: Timestamp?
  /// Where it was taken; nil if unknown.
  public var position: Coordinate?
  /// The photo itself.
  public var original: BlobStatus
  /// Its small version.
  public var thumbnail: BlobStatus
  /// What people drew over it.
  public var marks: [PhotoMarkSummary]

  /// Creates a summary.
  public init(
    id: PhotoID, address: BlobID, callsign authorship: Authorship, author: UserID,
    addedAt: Timestamp, takenAt: Timestamp?,
    position: Coordinate?, original: BlobStatus, thumbnail: BlobStatus,
    marks: [PhotoMarkSummary] = []
  ) {
    self.id = id
    self.address = address
    self.authorship = authorship
    self.author = author
    self.addedAt = addedAt
    self.takenAt = takenAt
    self.position = position
    self.original = original
    self.thumbnail = thumbnail
    self.marks = marks
  }

  /// The text of `authorship`.
  public var callsign: String { authorship.text }
}

/// One of the two blobs of a photo: what it is, how much of it is here, and who holds it.
public struct BlobStatus: Codable, Hashable, Sendable {
  /// The media type.
  public var type: PhotoType
  /// Pixels.
  public var width: UInt16
  /// Pixels.
  public var height: UInt16
  /// Bytes.
  public var bytes: UInt32
  /// 0 to 100; 100 only if every byte is here.
  public var percent: Int
  /// Devices known to hold all of it, this one included if it does: a lower bound.
  public var devices: Int
  /// Devices of the operation that are not revoked, including relays.
  public var total: Int
  /// Whether a device of role `command` holds all of it, by its signed receipt.
  public var commandPost: Bool
  /// Why nothing of it arrives; nil while something does, and if it is complete.
  public var stall: BlobStallReason?

  /// Creates a status.
  public init(
    type: PhotoType, width: UInt16, height: UInt16, bytes: UInt32, percent: Int, devices: Int,
    total: Int, commandPost: Bool, stall: BlobStallReason?
  ) {
    self.type = type
    self.width = width
    self.height = height
    self.bytes = bytes
    self.percent = percent
    self.devices = devices
    self.total = total
    self.commandPost = commandPost
    self.stall = stall
  }

  /// Whether it can be read here.
  public var isComplete: Bool { percent == 100 }

  /// `photo 62 % · waiting: no peer in reach holds it`, or `on 3 of 5 devices · command post ✓`.
  public var text: String {
    guard isComplete else {
      return "photo \(percent) %" + (stall.map { " · \($0.text)" } ?? "")
    }
    return "on \(devices) of \(total) \(total == 1 ? "device" : "devices")"
      + " · \(commandPost ? "command post ✓" : "not yet at the command post")"
  }
}

/// Why a blob makes no progress. Names are in JSON.
public enum BlobStallReason: String, Codable, CaseIterable, Hashable, Sendable {
  case notListed
  case notRequested
  case narrowLink
  case noPeer
  case noHolder
  case waiting
  case overBound
  case diskLow
  case deleted

  /// One line for the user: why, and what to do.
  public var text: String {
    switch self {
    case .notListed: "its list has not arrived"
    case .notRequested: "originals are fetched on request here: request it"
    case .narrowLink: "the link is slow: request it"
    case .noPeer: "no peer is connected"
    case .noHolder: "no connected peer holds it"
    case .waiting: "waiting for other photos"
    case .overBound: "its author's devices have more photos than a device keeps"
    case .diskLow: "the disk is almost full: free some space"
    case .deleted: "it was deleted here to free space: request it"
    }
  }
}

/// A photo to add to a report, as the intake delivers it: scaled, upright and without metadata.
public struct PhotoDraft: Codable, Hashable, Sendable {
  /// The encoded picture, at most `Limits.blobBytes`.
  public var original: PictureDraft
  /// The encoded small version, at most `Limits.thumbnailBytes`.
  public var thumbnail: PictureDraft
  /// By the camera's clock; nil if unknown.
  public var takenAt: Timestamp?
  /// Where it was taken; nil if unknown.
  public var position: Coordinate?

  /// Creates a draft. Nothing is validated here: a value out of range is rejected on write.
  public init(
    original: PictureDraft, thumbnail: PictureDraft, takenAt: Timestamp? = nil,
    position: Coordinate? = nil
  ) {
    self.original = original
    self.thumbnail = thumbnail
    self.takenAt = takenAt
    self.position = position
  }
}

/// An encoded picture.
public struct PictureDraft: Codable, Hashable, Sendable {
  /// The file.
  @ByteString public var bytes: [UInt8]
  /// Its media type.
  public var type: PhotoType
  /// Pixels.
  public var width: UInt16
  /// Pixels.
  public var height: UInt16

  /// Creates a draft of a picture.
  public init(bytes: [UInt8], type: PhotoType, width: UInt16, height: UInt16) {
    self.bytes = bytes
    self.type = type
    self.width = width
    self.height = height
  }
}
