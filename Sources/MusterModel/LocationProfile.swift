/// How precisely a device measures its position, as set by command.
public enum LocationMode: UInt8, Codable, Sendable, NamedCase, Hashable {
  /// Precise while moving, coarse once still.
  case automatic = 1
  case precise = 2
  case coarse = 3
}

/// Command's sampling settings for a device in the foreground or in the background.
public struct LocationProfile: Codable, Hashable, Sendable {
  /// The sampling mode.
  public var mode: LocationMode
  /// Seconds between readings, 1 to `longestSeconds`.
  public var readingSeconds: UInt16
  /// Seconds between published positions while little changes, 1 to `longestSeconds`.
  public var sendingSeconds: UInt16
  /// The distance from which a movement is published, 1 to `farthestMetres`.
  public var distanceMetres: UInt16
  /// The accuracy that a preferred fix has at least, 1 to `farthestMetres`.
  public var accuracyMetres: UInt16
  /// Whether the device publishes its track, in segments, in the `history` lane.
  public var sharesTrack: Bool

  /// One hour.
  public static let longestSeconds: UInt16 = 3600
  /// Ten kilometres.
  public static let farthestMetres: UInt16 = 10_000

  /// The default while a user looks at the device.
  public static let foreground = LocationProfile(
    mode: .automatic, readingSeconds: 5, sendingSeconds: 20, distanceMetres: 30,
    accuracyMetres: 50, sharesTrack: false)
  /// The default while no user looks at the device.
  public static let background = LocationProfile(
    mode: .automatic, readingSeconds: 15, sendingSeconds: 60, distanceMetres: 30,
    accuracyMetres: 100, sharesTrack: false)

  /// Creates a profile. Nothing is validated here: a value out of range is rejected on write.
  public init(
    mode: LocationMode, readingSeconds: UInt16, sendingSeconds: UInt16, distanceMetres: UInt16,
    accuracyMetres: UInt16, sharesTrack: Bool
  ) {
    self.mode = mode
    self.readingSeconds = readingSeconds
    self.sendingSeconds = sendingSeconds
    self.distanceMetres = distanceMetres
    self.accuracyMetres = accuracyMetres
    self.sharesTrack = sharesTrack
  }

  /// Whether all values are in range.
  public var isWithinLimits: Bool {
    let spans = 1...Self.longestSeconds
    let lengths = 1...Self.farthestMetres
    return spans.contains(readingSeconds) && spans.contains(sendingSeconds)
      && lengths.contains(distanceMetres) && lengths.contains(accuracyMetres)
  }

  /// The size of the fixed-width encoding, also on the wire.
  public static let encodedBytes = 10

  /// Appends the mode, the four numbers, and whether the track is shared.
  public func append(to writer: inout ByteWriter) {
    writer.append(mode.rawValue)
    writer.append(readingSeconds)
    writer.append(sendingSeconds)
    writer.append(distanceMetres)
    writer.append(accuracyMetres)
    writer.append(UInt8(sharesTrack ? 1 : 0))
  }

  /// Reads what `append(to:)` wrote. Rejects an unknown mode, or another byte for the track.
  public init(from reader: inout ByteReader) throws(DecodingFault) {
    guard let mode = LocationMode(rawValue: try reader.integer(UInt8.self)) else {
      throw .invalid("unknown location mode")
    }
    let readingSeconds = try reader.integer(UInt16.self)
    let sendingSeconds = try reader.integer(UInt16.self)
    let distanceMetres = try reader.integer(UInt16.self)
    let accuracyMetres = try reader.integer(UInt16.self)
    let sharing = try reader.integer(UInt8.self)
    guard sharing <= 1 else { throw .invalid("track sharing is not 0 or 1") }
    self.init(
      mode: mode, readingSeconds: readingSeconds, sendingSeconds: sendingSeconds,
      distanceMetres: distanceMetres, accuracyMetres: accuracyMetres, sharesTrack: sharing == 1)
  }
}
