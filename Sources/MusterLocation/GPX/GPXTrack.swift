public import Foundation
public import MusterModel

/// The points of a GPX 1.0 or 1.1 file (topografix.com/gpx.asp) in file order: those of all tracks
/// and segments or, if there are none, of all routes. Waypoints are ignored.
public struct GPXTrack: Hashable, Sendable {
  /// The largest file that is read.
  public static let maximumBytes = 64 << 20
  /// The most points that are taken from one file.
  public static let maximumPoints = 1_000_000
  /// The time between the points of a track that has no times.
  public static let syntheticStepMilliseconds: Int64 = 1000

  /// One `trkpt` or `rtept`.
  public struct Point: Hashable, Sendable {
    /// The position.
    public let position: Coordinate
    /// The radius in metres from an `accuracy` element, which some loggers write. `hdop` describes
    /// the satellite geometry and is not a radius, so it is not used.
    public let accuracyDecimetres: UInt32?
    /// The recorded time, if there is one.
    public let time: Timestamp?

    /// Creates a point of a track that does not come from a file.
    public init(position: Coordinate, accuracyDecimetres: UInt32? = nil, time: Timestamp?) {
      self.position = position
      self.accuracyDecimetres = accuracyDecimetres
      self.time = time
    }
  }

  /// In file order, never empty after `parse`.
  public let points: [Point]
  /// How many points are used, and which parts of the file are not.
  public let outcome: ImportOutcome

  /// Creates a track that does not come from a file.
  public init(points: [Point]) { self.init(points: points, leavingOut: ImportOutcome()) }

  init(points: [Point], leavingOut outcome: ImportOutcome) {
    var outcome = outcome
    outcome.use(points.count)
    (self.points, self.outcome) = (points, outcome)
  }

  /// Parses a whole file, in UTF-8, in UTF-16 with a byte order mark, or in a declared one-byte
  /// encoding. Unknown elements and attributes are ignored. A point without a usable position or
  /// time is left out and counted; throws its fault if no point can be used.
  public static func parse(_ data: Data) throws(GPXFault) -> GPXTrack {
    try parse(data, maximumPoints: maximumPoints)
  }

  static func parse(_ data: Data, maximumPoints: Int) throws(GPXFault) -> GPXTrack {
    guard data.count <= maximumBytes else { throw .tooLarge(bytes: data.count) }
    var reader = GPXReader(try XMLText.inUTF8(data), maximumPoints: maximumPoints)
    return try reader.read()
  }

  /// Returns the points as fixes, in file order.
  ///
  /// - If no point has a time, as in a planned route, the first is at `start` and each next one
  ///   `syntheticStepMilliseconds` later.
  /// - If only some have a time, the others are left out: a time that was not measured must not be
  ///   signed.
  /// - Times out of order are kept: the geofence detector decides about late fixes.
  public func fixes(startingAt start: Timestamp) -> [Fix] {
    guard points.contains(where: { $0.time != nil }) else {
      return points.enumerated().map { index, point in
        let (time, overflow) = start.milliseconds.addingReportingOverflow(
          Int64(index) * Self.syntheticStepMilliseconds)
        return point.fix(
          at: overflow ? Timestamp.writable.upperBound : Timestamp(milliseconds: time))
      }
    }
    return points.compactMap { point in point.time.map { point.fix(at: $0) } }
  }
}

extension GPXTrack.Point {
  fileprivate func fix(at time: Timestamp) -> Fix {
    Fix(position: position, accuracyDecimetres: accuracyDecimetres, sampleTime: time)
  }
}
