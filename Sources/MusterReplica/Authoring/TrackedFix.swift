public import MusterModel
internal import MusterStore
internal import MusterSync

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

  /// Determines which fixes this device may record. Returns for each why it is refused, or nil, and
  /// the others.
  static func admit(
    _ fixes: [TrackedFix], in core: ReplicaCore
  ) throws -> (refusals: [Refusal?], admitted: [AdmittedFix]) {
    var (refusals, admitted): ([Refusal?], [AdmittedFix]) = ([], [])
    var created: Set<RowID> = []
    let trackers = fixes.map { OwnTracker(named: $0.tracker, of: core.local) }
    let rows = try core.store.rows(Set(trackers.map(\.key)))
    for (tracker, fix) in zip(trackers, fixes) {
      do throws(Refusal) {
        let creation =
          created.contains(tracker.row)
          ? []
          : try tracker.creation(
            beside: rows[tracker.key], in: core.context, core.engine, andOthers: created.count)
        if !creation.isEmpty { created.insert(tracker.row) }
        admitted.append(AdmittedFix(tracker: tracker, fix: fix, creation: creation))
        refusals.append(nil)
      } catch {
        refusals.append(error)
      }
    }
    return (refusals, admitted)
  }
}
