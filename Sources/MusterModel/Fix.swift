/// One measured location.
public struct Fix: Codable, Hashable, Sendable {
  /// The centre of the accuracy circle.
  public var position: Coordinate
  /// Accuracy radius in decimetres; nil if the source does not state it.
  public var accuracyDecimetres: UInt32?
  /// The source's own time: that of the satellites or of a replayed track.
  public var sampleTime: Timestamp

  /// Creates a fix. This machine's clock gives `sampleTime` only if the source has none.
  public init(position: Coordinate, accuracyDecimetres: UInt32? = nil, sampleTime: Timestamp) {
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.sampleTime = sampleTime
  }
}

/// A user's last known position: the fix, and when the reporting device received it by its wall
/// clock. The two times differ when a track is replayed; the age counts from `reportedAt`.
public struct PositionReport: Codable, Hashable, Sendable {
  /// The unchanged fix of the source.
  public var fix: Fix
  /// The reporting device's wall clock, which may be wrong: the age derived from it is displayed,
  /// and never decides which position wins.
  public var reportedAt: Timestamp
  /// The age of the fix when its record is made. It is of a phone's position; the fixes of a
  /// receiver are of the moment.
  public var age: FixAge = .none

  /// Creates a report. `reportedAt` is when the fix was received, which for a replayed track is
  /// long after its sample time.
  public init(fix: Fix, reportedAt: Timestamp, age: FixAge = .none) {
    self.fix = fix
    self.reportedAt = reportedAt
    self.age = age
  }

  /// When the record with this report was made, by the reporting device's wall clock.
  public var recordedAt: Timestamp {
    Timestamp(milliseconds: reportedAt.milliseconds &+ age.heldMilliseconds)
  }

  /// When the fix was made, by the reporting device's wall clock; nil if that is unknown.
  public var madeAt: Timestamp? {
    age.atReceipt.leastMilliseconds.map { Timestamp(milliseconds: reportedAt.milliseconds &- $0) }
  }

  private enum CodingKeys: CodingKey {
    case fix
    case reportedAt
  }
}

extension FixAge {
  /// Returns the same fix in a record of a later time, by the clock of the device that received it.
  public func held(until time: Timestamp, from report: PositionReport) -> FixAge {
    held(longerBy: time.milliseconds(since: report.recordedAt))
  }
}
