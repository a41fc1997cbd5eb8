/// The answer to one picture.
///
/// ```
/// answer    status (u8; 0, or a `Rejection`), then for 0:
///           format (u8) ‖ width (u32) ‖ height (u32) ‖ orientation (u8)      of the source
///           flags (u8) ‖ [1: latitude (i32, 1e-7°) ‖ longitude (i32)] ‖ [2: count (u8) ‖ time]
///           main encoding ‖ thumbnail encoding
/// encoding  width (u16) ‖ height (u16) ‖ count (u32) ‖ JPEG
/// ```
enum Answer {
  case picture(Picture)
  case rejected(Rejection)

  /// The answer after its count.
  var framed: [UInt8] {
    let body = encoded
    var bytes: [UInt8] = []
    bytes.reserveCapacity(body.count + 4)
    Self.append(UInt32(body.count), to: &bytes)
    return bytes + body
  }

  private var encoded: [UInt8] {
    switch self {
    case .rejected(let reason): return [reason.rawValue]
    case .picture(let picture):
      var bytes: [UInt8] = [0, picture.format.rawValue]
      Self.append(UInt32(picture.width), to: &bytes)
      Self.append(UInt32(picture.height), to: &bytes)
      bytes.append(picture.metadata.orientation)
      Self.append(picture.metadata, to: &bytes)
      for encoding in [picture.main, picture.thumbnail] {
        Self.append(UInt16(encoding.width), to: &bytes)
        Self.append(UInt16(encoding.height), to: &bytes)
        Self.append(UInt32(encoding.bytes.count), to: &bytes)
        bytes += encoding.bytes
      }
      return bytes
    }
  }

  private static func append(_ metadata: Metadata, to bytes: inout [UInt8]) {
    bytes.append((metadata.position == nil ? 0 : 1) | (metadata.time == nil ? 0 : 2))
    if let position = metadata.position {
      append(position.latitudeE7, to: &bytes)
      append(position.longitudeE7, to: &bytes)
    }
    if let time = metadata.time {
      bytes.append(UInt8(time.utf8.count))
      bytes += time.utf8
    }
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }
}

/// Why a picture is not read. The numbers are shared with `IntakeAnswer` of `MusterNode`.
enum Rejection: UInt8, Error {
  /// The first bytes are those of no format that is read.
  case notAPicture = 1
  /// More pixels than the format may have.
  case tooManyPixels = 2
  /// It ends early, or a loader does not accept it.
  case damaged = 3
  /// It needs more memory than the process may use.
  case outOfMemory = 4
  /// The file is larger than `MusterImage.mostBytes`. The process ends.
  case oversized = 5
}
