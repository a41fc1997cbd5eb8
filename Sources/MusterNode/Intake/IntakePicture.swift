public import MusterModel

/// A picture that was taken in: two JPEGs without metadata, and what the metadata stated.
public struct IntakePicture: Hashable, Sendable {
  /// The format of the source.
  public let format: Format
  /// Pixels of the source, as stored.
  public let sourceWidth: Int
  /// Pixels of the source, as stored.
  public let sourceHeight: Int
  /// How the source is stored, 1 to 8 as in Exif. The encodings are upright.
  public let orientation: Int
  /// Where it was taken, if the source states it.
  public let position: Coordinate?
  /// When it was taken, by the camera's clock; nil if the source does not state it.
  public let takenAt: Timestamp?
  /// At most 2,048 pixels each way.
  public let main: Encoding
  /// At most `thumbnailBytes`.
  public let thumbnail: Encoding

  /// The largest main encoding.
  public static let mainBytes = 8 << 20
  /// The largest thumbnail.
  public static let thumbnailBytes = 24 << 10

  /// The formats that are read. The numbers are shared with `PictureFormat` of `muster-image`.
  public enum Format: UInt8, Sendable, CaseIterable {
    case jpeg = 1
    case png = 2
    case webp = 3
    case heif = 4
  }

  /// A JPEG.
  public struct Encoding: Hashable, Sendable {
    /// Pixels, at least 1.
    public let width: Int
    /// Pixels, at least 1.
    public let height: Int
    /// The file.
    public let bytes: [UInt8]
  }
}

extension IntakePicture {
  /// The photo to add to a report.
  public var draft: PhotoDraft {
    PhotoDraft(
      original: main.draft, thumbnail: thumbnail.draft, takenAt: takenAt, position: position)
  }
}

extension IntakePicture.Encoding {
  fileprivate var draft: PictureDraft {
    PictureDraft(
      bytes: bytes, type: .jpeg, width: UInt16(clamping: width), height: UInt16(clamping: height))
  }
}
