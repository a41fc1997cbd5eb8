/// One reading of where somebody is.
public struct Fix: Hashable, Sendable {
  public var position: Coordinate
  /// Radius in decimetres within which the source believes it to be; nil when it did not say.
  public var accuracyDecimetres: UInt32?
  /// The source's own time: the satellites', or a replayed track's.
  public var sampleTime: Timestamp

  public init(position: Coordinate, accuracyDecimetres: UInt32? = nil, sampleTime: Timestamp) {
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.sampleTime = sampleTime
  }
}

/// A user's last known place: the fix, and when the device that made it took it in by its own
/// wall clock. The two differ when a track is replayed; age is counted from `reportedAt`.
public struct PositionReport: Hashable, Sendable {
  public var fix: Fix
  public var reportedAt: Timestamp

  public init(fix: Fix, reportedAt: Timestamp) {
    self.fix = fix
    self.reportedAt = reportedAt
  }
}
