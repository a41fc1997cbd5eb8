internal import MusterModel

/// An answer of `muster-image`, whose `Answer` has the layout. The helper decodes untrusted bytes
/// and may be under the control of a picture: everything is checked.
enum IntakeAnswer {
  /// The largest answer: both encodings and what precedes them.
  static let mostBytes = IntakePicture.mainBytes + IntakePicture.thumbnailBytes + 512

  private static let sourcePixels: ClosedRange<UInt32> = 1...100_000_000
  private static let mainPixels: ClosedRange<UInt16> = 1...2048
  private static let thumbnailPixels: ClosedRange<UInt16> = 1...320
  private static let hasPosition: UInt8 = 1
  private static let hasTime: UInt8 = 2

  /// - Parameter zone: for a camera that recorded local time only.
  static func picture(
    from bytes: [UInt8], zone: CameraZone
  ) throws(IntakeError) -> IntakePicture {
    var reader = ByteReader(bytes)
    do {
      switch try reader.integer(UInt8.self) {
      case 0: return try picture(&reader, zone)
      case 1: throw IntakeError.notAPicture
      case 2: throw IntakeError.tooManyPixels
      case 3: throw IntakeError.damaged
      case 4: throw IntakeError.outOfMemory
      case 5: throw IntakeError.oversized
      default: throw IntakeError.helperFailed
      }
    } catch let error as IntakeError {
      throw error
    } catch {
      throw .helperFailed
    }
  }

  private static func picture(
    _ reader: inout ByteReader, _ zone: CameraZone
  ) throws -> IntakePicture {
    guard let format = IntakePicture.Format(rawValue: try reader.integer(UInt8.self)) else {
      throw DecodingFault.invalid("format")
    }
    let width = try reader.integer(UInt32.self)
    let height = try reader.integer(UInt32.self)
    let orientation = try reader.integer(UInt8.self)
    let flags = try reader.integer(UInt8.self)
    guard sourcePixels.contains(width), sourcePixels.contains(height),
      (1...8).contains(orientation), flags <= hasPosition | hasTime
    else { throw DecodingFault.invalid("header") }
    let position =
      flags & hasPosition == 0
      ? nil
      : Coordinate(
        latitudeE7: Int64(try reader.integer(Int32.self)),
        longitudeE7: Int64(try reader.integer(Int32.self)))
    let time = flags & hasTime == 0 ? nil : try time(&reader, zone, at: position)
    let main = try encoding(&reader, mainPixels, IntakePicture.mainBytes)
    let thumbnail = try encoding(&reader, thumbnailPixels, IntakePicture.thumbnailBytes)
    try reader.expectEnd()
    return IntakePicture(
      format: format, sourceWidth: Int(width), sourceHeight: Int(height),
      orientation: Int(orientation), position: position, takenAt: time, main: main,
      thumbnail: thumbnail)
  }

  /// Returns nil for a date that is not in the calendar: cameras record such dates.
  private static func time(
    _ reader: inout ByteReader, _ zone: CameraZone, at place: Coordinate?
  ) throws -> Timestamp? {
    let count = Int(try reader.integer(UInt8.self))
    let text = String(decoding: try reader.fixed(count), as: UTF8.self)
    guard let stated = Timestamp(rfc3339: text) else { return nil }
    // `2026-11-25T04:10:00` has 19 characters; longer texts have an offset.
    let isLocal = text.utf8.count == 19
    return isLocal ? zone.moment(ofLocal: stated, at: place) : stated
  }

  private static func encoding(
    _ reader: inout ByteReader, _ pixels: ClosedRange<UInt16>, _ mostBytes: Int
  ) throws -> IntakePicture.Encoding {
    let width = try reader.integer(UInt16.self)
    let height = try reader.integer(UInt16.self)
    let count = Int(try reader.integer(UInt32.self))
    guard pixels.contains(width), pixels.contains(height), (4...mostBytes).contains(count) else {
      throw DecodingFault.invalid("encoding")
    }
    let bytes = try reader.fixed(count)
    guard bytes.starts(with: [0xFF, 0xD8, 0xFF]), bytes.suffix(2) == [0xFF, 0xD9] else {
      throw DecodingFault.invalid("JPEG")
    }
    return IntakePicture.Encoding(width: Int(width), height: Int(height), bytes: bytes)
  }
}
