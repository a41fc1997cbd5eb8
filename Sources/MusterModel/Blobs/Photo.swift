/// The name of a photo: a hash of the author and the dot of the element that adds it to a report.
///
/// It does not follow from the pictures. Another author's element with the same blobs is another
/// photo, so that no element hides or removes that of another author.
public struct PhotoID: Identifier {
  /// BLAKE2b-128 of the tag, the author and the dot.
  public let raw: Bytes16
  /// Wraps a name that was stored, received or typed; a new one is derived from an element.
  public init(raw: Bytes16) { self.raw = raw }
}

/// The media types of photos. Numbers are on the wire and append-only.
public enum PhotoType: UInt8, Codable, Sendable, CaseIterable, Hashable {
  case jpeg = 1
  case png = 2
  case webp = 3

  /// The type in HTTP.
  public var mediaType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .png: "image/png"
    case .webp: "image/webp"
    }
  }
}

/// What a report states about a blob: all that a reader needs to fetch, verify and display it.
public struct BlobReference: Codable, Hashable, Sendable {
  /// The Merkle root of the ciphertext.
  public let root: Bytes32
  /// Bytes of ciphertext and plaintext.
  public let length: UInt32
  /// The key of this blob alone.
  public let key: Bytes32
  /// The media type of the plaintext.
  public let type: PhotoType
  /// Pixels, 1 to `Limits.photoPixels`.
  public let width: UInt16
  /// Pixels, 1 to `Limits.photoPixels`.
  public let height: UInt16

  /// Creates a reference. Nothing is validated here: a value out of range is rejected on write.
  public init(
    root: Bytes32, length: UInt32, key: Bytes32, type: PhotoType, width: UInt16, height: UInt16
  ) {
    self.root = root
    self.length = length
    self.key = key
    self.type = type
    self.width = width
    self.height = height
  }

  /// Returns the blob's entry in the list of its frame; nil for a length out of range.
  public func listing(as kind: BlobKind) -> BlobListing? {
    BlobListing(root: root, length: length, kind: kind)
  }

  var hasPixels: Bool {
    Limits.photoPixels.contains(Int(width)) && Limits.photoPixels.contains(Int(height))
  }

  /// The width of the encoding.
  static let encodedBytes = 73

  func append(to writer: inout ByteWriter) {
    writer.append(root)
    writer.append(length)
    writer.append(key)
    writer.append(type.rawValue)
    writer.append(width)
    writer.append(height)
  }

  init(from reader: inout ByteReader) throws(DecodingFault) {
    let root = try reader.bytes32()
    let length = try reader.integer(UInt32.self)
    let key = try reader.bytes32()
    guard let type = PhotoType(rawValue: try reader.integer(UInt8.self)) else {
      throw .invalid("unknown media type")
    }
    self.init(
      root: root, length: length, key: key, type: type, width: try reader.integer(UInt16.self),
      height: try reader.integer(UInt16.self))
  }
}

/// A photo of a report, as its author wrote it. Who added it and when follows from the write.
public struct Photo: Codable, Hashable, Sendable {
  /// The photo, scaled, upright and without metadata.
  public let original: BlobReference
  /// A small version, which every device fetches first.
  public let thumbnail: BlobReference
  /// When it was taken, by the camera's clock: a label.
  public let takenAt: Timestamp?
  /// Where it was taken.
  public let position: Coordinate?

  /// Creates a photo. Nothing is validated here: a value out of range is rejected on write.
  public init(
    original: BlobReference, thumbnail: BlobReference, takenAt: Timestamp? = nil,
    position: Coordinate? = nil
  ) {
    self.original = original
    self.thumbnail = thumbnail
    self.takenAt = takenAt
    self.position = position
  }

  /// The references with their kinds.
  public var blobs: [(kind: BlobKind, reference: BlobReference)] {
    [(.thumbnail, thumbnail), (.original, original)]
  }

  /// The list of the frame that adds the photo.
  public var listings: [BlobListing] {
    Set(blobs.compactMap { $0.reference.listing(as: $0.kind) }).sorted()
  }

  /// Whether all replicas accept it.
  public var isWithinLimits: Bool {
    listings.count == 2 && original.hasPixels && thumbnail.hasPixels
  }

  private static let hasTime: UInt8 = 1
  private static let hasPosition: UInt8 = 2

  /// The bytes up to the flags, which are the last of them.
  public static let fixedBytes = 2 * BlobReference.encodedBytes + 1

  /// Returns the length of an encoding with these flags; nil for unlisted ones.
  public static func encodedBytes(flags: UInt8) -> Int? {
    guard flags <= hasTime | hasPosition else { return nil }
    return fixedBytes + (flags & hasTime == 0 ? 0 : 8) + (flags & hasPosition == 0 ? 0 : 8)
  }

  /// Appends both references, then the time and the position that are known.
  public func append(to writer: inout ByteWriter) {
    original.append(to: &writer)
    thumbnail.append(to: &writer)
    writer.append((takenAt == nil ? 0 : Self.hasTime) | (position == nil ? 0 : Self.hasPosition))
    if let takenAt { writer.append(takenAt.milliseconds) }
    if let position { position.append(to: &writer) }
  }

  /// Reads what `append(to:)` wrote.
  public init(from reader: inout ByteReader) throws(DecodingFault) {
    let original = try BlobReference(from: &reader)
    let thumbnail = try BlobReference(from: &reader)
    let flags = try reader.integer(UInt8.self)
    guard Self.encodedBytes(flags: flags) != nil else { throw .invalid("photo flags") }
    let time: Timestamp? =
      flags & Self.hasTime == 0 ? nil : Timestamp(milliseconds: try reader.integer(Int64.self))
    let position = flags & Self.hasPosition == 0 ? nil : try Coordinate(from: &reader)
    self.init(original: original, thumbnail: thumbnail, takenAt: time, position: position)
  }
}
