public import MusterModel

/// A fix of a phone or another tracker without a key, which this device records.
public struct TrackedFix: Hashable, Sendable {
  /// The fix.
  public let fix: Fix
  /// MUST be a line (`TextRule`). Trackers of two devices with one name are different.
  public let tracker: String
  /// As the tracker states it.
  public let batteryPercent: UInt8?
  /// What the tracker's own sensor states.
  public let isMoving: Bool?
  /// Fences that the tracker is not evaluated against.
  public let excluded: Set<RowID>
  /// The age at its arrival here (`PhoneClock`).
  public let age: SampleAge

  /// Creates a fix to process.
  public init(
    _ fix: Fix, of tracker: String, batteryPercent: UInt8? = nil, isMoving: Bool? = nil,
    without excluded: Set<RowID> = [], age: SampleAge = .exactly(milliseconds: 0)
  ) {
    self.age = age
    self.fix = fix
    self.tracker = tracker
    self.batteryPercent = batteryPercent
    self.isMoving = isMoving
    self.excluded = excluded
  }
}

/// A fix of a tracker that this device may record.
struct AdmittedFix {
  let tracker: OwnTracker
  let fix: TrackedFix
  /// The writes that create the tracker's row; none if it exists.
  let creation: [Write]
}
