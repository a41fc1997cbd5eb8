/// How closely a laptop is to watch where it is, as command wants it.
public enum LocationMode: UInt8, Codable, Sendable, CaseIterable, Hashable {
  /// Precise while moving, coarse once still.
  case automatic = 1
  case precise = 2
  case coarse = 3

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }
}

/// What command wants of the location service of a laptop in the foreground or in the background.
public struct LocationProfile: Codable, Hashable, Sendable {
  /// Which of the two ways of watching.
  public var mode: LocationMode
  /// Between readings, 1 to `longestSeconds`.
  public var readingSeconds: UInt16
  /// Between positions that are published while nothing much changes, 1 to `longestSeconds`.
  public var sendingSeconds: UInt16
  /// From which distance a movement is worth telling, 1 to `farthestMetres`.
  public var distanceMetres: UInt16
  /// What a fix has to be at least as good as to be preferred, 1 to `farthestMetres`.
  public var accuracyMetres: UInt16
  /// Whether the own track is published, in pieces, in the `history` lane.
  public var sharesTrack: Bool

  /// An hour.
  public static let longestSeconds: UInt16 = 3600
  /// Ten kilometres.
  public static let farthestMetres: UInt16 = 10_000

  /// Where command has said nothing, and somebody looks at the laptop.
  public static let foreground = LocationProfile(
    mode: .automatic, readingSeconds: 5, sendingSeconds: 20, distanceMetres: 30,
    accuracyMetres: 50, sharesTrack: false)
  /// Where command has said nothing, and nobody does.
  public static let background = LocationProfile(
    mode: .automatic, readingSeconds: 15, sendingSeconds: 60, distanceMetres: 30,
    accuracyMetres: 100, sharesTrack: false)

  /// Nothing is checked here: what is out of range is refused when it is written.
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

  /// Whether all of it is in range.
  public var isWithinLimits: Bool {
    let spans = 1...Self.longestSeconds
    let lengths = 1...Self.farthestMetres
    return spans.contains(readingSeconds) && spans.contains(sendingSeconds)
      && lengths.contains(distanceMetres) && lengths.contains(accuracyMetres)
  }

  /// Of the fixed-width form, which is that of the wire too.
  public static let encodedBytes = 10

  /// Mode, the four numbers, and whether the track is shared.
  public func append(to writer: inout ByteWriter) {
    writer.append(mode.rawValue)
    writer.append(readingSeconds)
    writer.append(sendingSeconds)
    writer.append(distanceMetres)
    writer.append(accuracyMetres)
    writer.append(UInt8(sharesTrack ? 1 : 0))
  }

  /// Reads what `append(to:)` wrote; an unlisted mode, or another byte for the track, is refused.
  public init(from reader: inout ByteReader) throws(DecodingFault) {
    guard let mode = LocationMode(rawValue: try reader.integer(UInt8.self)) else {
      throw .invalid("unknown location mode")
    }
    let readingSeconds = try reader.integer(UInt16.self)
    let sendingSeconds = try reader.integer(UInt16.self)
    let distanceMetres = try reader.integer(UInt16.self)
    let accuracyMetres = try reader.integer(UInt16.self)
    let sharing = try reader.integer(UInt8.self)
    guard sharing <= 1 else { throw .invalid("whether a track is shared") }
    self.init(
      mode: mode, readingSeconds: readingSeconds, sendingSeconds: sendingSeconds,
      distanceMetres: distanceMetres, accuracyMetres: accuracyMetres, sharesTrack: sharing == 1)
  }
}
