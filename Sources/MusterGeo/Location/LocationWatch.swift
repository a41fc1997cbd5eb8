public import MusterModel

/// The pipeline of one subject's fixes from a source to the replica: validated by `FixGate`,
/// selected by `LocationFilter`, counted.
public struct LocationWatch: Sendable {
  private var gate = FixGate()
  private var filter: LocationFilter
  /// The sample time of the newest fix that waits to be published.
  private var keptAt = Timestamp(milliseconds: 0)
  /// Counts of rejections and corrections, by the texts that `status` shows.
  public private(set) var counts: [String: UInt64] = [:]

  /// An accepted fix, and what to do with it.
  public struct Taken: Hashable, Sendable {
    /// The fix with its final sample time.
    public let fix: Fix
    /// What to do with it.
    public let handling: LocationFilter.Handling
    /// Whether the receiver's clock was set back: this fix is current all the same.
    public let stepsBack: Bool
  }

  /// Creates a pipeline without any fix.
  public init(profile: LocationProfile, silenceMilliseconds: Int64) {
    filter = LocationFilter(profile: profile, silenceMilliseconds: silenceMilliseconds)
  }

  /// Handles a fix as reported by its source; nil if it is rejected. All points of a replayed track
  /// are published, since a user chose them.
  public mutating func take(
    _ position: Coordinate, accuracyDecimetres: UInt32?, time: Timestamp?, from origin: FixOrigin,
    now: ClockReading
  ) -> Taken? {
    let isLate: Bool
    let admitted: FixGate.Admitted
    do throws(FixRefusal) {
      admitted = try gate.admit(
        position, accuracyDecimetres: accuracyDecimetres, time: time, from: origin, now: now.wall)
      isLate = gate.isLate(admitted.fix)
    } catch {
      count(error.rawValue)
      return nil
    }
    if let remark = admitted.remark { count(remark.rawValue) }
    let handling: LocationFilter.Handling
    if origin == .replay || isLate {
      handling = origin == .replay ? .published : .kept
    } else {
      handling = filter.take(admitted.fix, stepsBack: admitted.stepsBack, now: now.instant)
    }
    if handling == .kept { keptAt = now.wall }
    return Taken(fix: admitted.fix, handling: handling, stepsBack: admitted.stepsBack)
  }

  /// Counts input that did not contain a fix.
  public mutating func count(_ reason: String) { counts[reason, default: 0] += 1 }

  /// The current sampling mode.
  public var mode: LocationFilter.Mode { filter.mode }
  /// When `passDeadline` is required.
  public var nextDeadline: Instant? { filter.nextDeadline }

  /// Returns the fix that is due for publication, with the time at which it was accepted.
  public mutating func passDeadline(now: Instant) -> PositionReport? {
    filter.passDeadline(now: now).map { PositionReport(fix: $0, reportedAt: keptAt) }
  }

  /// Whether the sampling settings publish the device's own track.
  public var sharesTrack: Bool { filter.profile.sharesTrack }

  /// Handles a locate request.
  public mutating func locate(now: Instant) { filter.locate(now: now) }

  /// Applies changed sampling settings.
  public mutating func follow(_ profile: LocationProfile, silenceMilliseconds: Int64) {
    filter.profile = profile
    filter.silenceMilliseconds = silenceMilliseconds
  }
}
