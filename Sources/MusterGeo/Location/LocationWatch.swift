public import MusterModel

/// The fixes of one subject on their way from a source to the replica: judged by `FixGate`, chosen
/// by `LocationFilter`, counted.
public struct LocationWatch: Sendable {
  private var gate = FixGate()
  private var filter: LocationFilter
  /// When the newest fix was taken that waits to be published.
  private var keptAt = Timestamp(milliseconds: 0)
  /// What was refused and what was put right, by the words that people read.
  public private(set) var counts: [String: UInt64] = [:]

  /// A fix that counts, and for what.
  public struct Taken: Hashable, Sendable {
    /// With its time settled.
    public let fix: Fix
    /// What to do with it.
    public let handling: LocationFilter.Handling
    /// A receiver's clock was set back: this fix is the present all the same.
    public let stepsBack: Bool
  }

  /// Nothing seen yet.
  public init(profile: LocationProfile, silenceMilliseconds: Int64) {
    filter = LocationFilter(profile: profile, silenceMilliseconds: silenceMilliseconds)
  }

  /// Judges a fix as a source tells it; nil where it does not count. What a replayed track says is
  /// published point by point: somebody has chosen them.
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

  /// Counts what never became a fix.
  public mutating func count(_ reason: String) { counts[reason, default: 0] += 1 }

  /// How closely it looks.
  public var mode: LocationFilter.Mode { filter.mode }
  /// When `passDeadline` is to be called.
  public var nextDeadline: Instant? { filter.nextDeadline }

  /// What is to be published now, with the time at which it was taken.
  public mutating func passDeadline(now: Instant) -> PositionReport? {
    filter.passDeadline(now: now).map { PositionReport(fix: $0, reportedAt: keptAt) }
  }

  /// Whether command wants the own track to be published.
  public var sharesTrack: Bool { filter.profile.sharesTrack }

  /// Command wants to know where the subject is.
  public mutating func locate(now: Instant) { filter.locate(now: now) }

  /// What command wants has changed.
  public mutating func follow(_ profile: LocationProfile, silenceMilliseconds: Int64) {
    filter.profile = profile
    filter.silenceMilliseconds = silenceMilliseconds
  }
}
