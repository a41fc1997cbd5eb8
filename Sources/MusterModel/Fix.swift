/// One reading of where somebody is.
public struct Fix: Codable, Hashable, Sendable {
  /// The centre of the circle of `accuracyDecimetres`.
  public var position: Coordinate
  /// Radius in decimetres within which the source believes it to be; nil when it did not say.
  public var accuracyDecimetres: UInt32?
  /// The source's own time: the satellites', or a replayed track's.
  public var sampleTime: Timestamp

  /// `sampleTime` is the source's; this machine's clock stands in only where the source has none.
  public init(position: Coordinate, accuracyDecimetres: UInt32? = nil, sampleTime: Timestamp) {
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.sampleTime = sampleTime
  }
}

/// A user's last known place: the fix, and when the device that made it took it in by its own
/// wall clock. The two differ when a track is replayed; age is counted from `reportedAt`.
public struct PositionReport: Codable, Hashable, Sendable {
  /// What the source said, unchanged.
  public var fix: Fix
  /// The reporting device's wall clock, which may be wrong: an age from it is shown, and never
  /// decides what wins.
  public var reportedAt: Timestamp

  /// `reportedAt` is when the fix was taken in, which for a replayed track is long after its
  /// sample.
  public init(fix: Fix, reportedAt: Timestamp) {
    self.fix = fix
    self.reportedAt = reportedAt
  }
}
