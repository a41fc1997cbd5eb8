public import MusterModel

/// Where a fix comes from, which decides what its time is worth.
public enum FixOrigin: Sendable, Hashable {
  /// This laptop's own receiver: what comes later was measured later, whatever it says.
  case receiver
  /// A phone that may have kept its fixes until it reached the node.
  case tracker
  /// A recorded track: its times are the whole point of it.
  case replay
}

/// Why a fix was not taken. The texts are shown by `status`.
public enum FixRefusal: String, Error, Hashable, Sendable, CaseIterable {
  /// Within metres of 0° N 0° E, which is what receivers and phones say for "nowhere".
  case nowhere = "at 0, 0"
  /// A radius within which anything may be.
  case vague = "too inaccurate"
  /// Farther from the one before than anything travels, and not borne out by those after.
  case jump = "too far from the last"
  /// Not newer than the one before.
  case old = "not newer"
}

/// What became of the time that a source gave.
public enum FixTimeRemark: String, Hashable, Sendable, CaseIterable {
  /// Put right by a multiple of 1,024 weeks.
  case rolledOver = "date put right by 1024 weeks"
  /// Absurd, so the time of arrival stands in its place.
  case replaced = "date replaced by the time of arrival"
}

/// Judges whether a fix of one subject can be true, and settles when it was taken.
///
/// No refusal lasts: a receiver that jumps is believed again after `bearingOut` fixes that agree,
/// so that one bad fix never shuts out the good ones after it. Times are settled so that no fix
/// from a wrong future hides those that come after:
///
/// - **receiver**: a time within a day of this laptop's clock is believed, since satellites know
///   better. One that is off by a multiple of 1,024 weeks (a receiver older than its own calendar)
///   is put right. Where the laptop's clock stands before 2026, when this was written, it is the
///   clock that is wrong. Any other time gives way to the time of arrival. When times step back,
///   the later fix is right: `Admitted.stepsBack`.
/// - **tracker**: late fixes are late. A time ahead of this laptop's clock, and one before there
///   was GPS, give way to the time of arrival.
/// - **replay**: as recorded.
public struct FixGate: Sendable {
  /// 900 km/h: faster than any helicopter.
  static let fastestMetresPerSecond = 250.0
  /// How many fixes in a row that agree bear out a jump.
  static let bearingOut = 3
  /// A kilometre: whoever is that unsure cannot tell in which fence they are.
  static let vaguestDecimetres: UInt32 = 10_000
  /// What an unknown radius counts as where two places are compared.
  private static let unknownDecimetres = 500.0
  /// 1e-4 degrees, 11 m.
  private static let nowhereE7: Int32 = 1000
  private static let day: Int64 = 86_400_000
  static let rollover: Int64 = 1024 * 7 * day
  private static let writtenIn = Timestamp(milliseconds: 1_767_225_600_000)  // 2026-01-01
  private static let firstGPS = Timestamp(milliseconds: 315_964_800_000)  // 1980-01-06
  private static let trackerAheadMilliseconds: Int64 = 600_000
  /// Within it a receiver repeats itself; from there on its clock was set back.
  private static let stepMilliseconds: Int64 = 10_000

  /// The newest fix that was taken.
  private var last: Fix?
  /// A fix that was refused as a jump, and how many in a row agree with it.
  private var elsewhere: (fix: Fix, count: Int)?

  /// A fix that can be true.
  public struct Admitted: Hashable, Sendable {
    /// With its time settled.
    public let fix: Fix
    /// A receiver's first fix, or its clock was set back: what was taken before must not make this
    /// one late.
    public let stepsBack: Bool
    /// To be counted; nil where the source's own time was believed, or it had none.
    public let remark: FixTimeRemark?
  }

  /// Nothing taken yet.
  public init() {}

  /// Judges a fix as a source tells it; `time` is nil where it tells none.
  public mutating func admit(
    _ position: Coordinate, accuracyDecimetres: UInt32?, time: Timestamp?, from origin: FixOrigin,
    now: Timestamp
  ) throws(FixRefusal) -> Admitted {
    guard
      abs(position.latitudeE7) > Self.nowhereE7 || abs(position.longitudeE7) > Self.nowhereE7
    else { throw .nowhere }
    if let accuracyDecimetres, accuracyDecimetres > Self.vaguestDecimetres { throw .vague }
    let (sampleTime, remark) = Self.settled(time, from: origin, now: now)
    let fix = Fix(
      position: position, accuracyDecimetres: accuracyDecimetres, sampleTime: sampleTime)
    // What a receiver says first is the present, whatever was taken before the start.
    var stepsBack = origin == .receiver && last == nil
    if let last, fix.sampleTime <= last.sampleTime {
      let back = last.sampleTime.milliseconds(since: fix.sampleTime)
      switch origin {
      case .receiver:
        guard back >= Self.stepMilliseconds else { throw .old }
        stepsBack = true
      case .tracker, .replay:
        // It belongs to the past, and says nothing of the present.
        guard back > 0 else { throw .old }
        return Admitted(fix: fix, stepsBack: false, remark: remark)
      }
    }
    if origin != .replay { try checkJump(to: fix) }
    last = fix
    elsewhere = nil
    return Admitted(fix: fix, stepsBack: stepsBack, remark: remark)
  }

  /// Whether a fix that was admitted is older than the newest.
  public func isLate(_ fix: Fix) -> Bool {
    last.map { fix.sampleTime < $0.sampleTime } ?? false
  }

  private mutating func checkJump(to fix: Fix) throws(FixRefusal) {
    guard let last, !Self.isWithinReach(fix, of: last) else { return }
    var count = 1
    if let elsewhere, Self.isWithinReach(fix, of: elsewhere.fix) { count += elsewhere.count }
    guard count < Self.bearingOut else { return }
    elsewhere = (fix, count)
    throw .jump
  }

  private static func isWithinReach(_ fix: Fix, of other: Fix) -> Bool {
    let metres = Geodesic.distanceMetres(from: other.position, to: fix.position)
    let doubt =
      (fix.accuracyDecimetres.map(Double.init) ?? unknownDecimetres)
      + (other.accuracyDecimetres.map(Double.init) ?? unknownDecimetres)
    let milliseconds = fix.sampleTime.milliseconds(since: other.sampleTime)
    let seconds = max(1, Double(milliseconds.magnitude) / 1000)
    return metres - doubt / 10 <= seconds * fastestMetresPerSecond
  }

  private static func settled(
    _ time: Timestamp?, from origin: FixOrigin, now: Timestamp
  ) -> (Timestamp, FixTimeRemark?) {
    guard let time else { return (now, nil) }
    switch origin {
    case .replay: return (time, nil)
    case .tracker:
      let isAhead = time.milliseconds(since: now) > trackerAheadMilliseconds
      return isAhead || time < firstGPS ? (now, .replaced) : (time, nil)
    case .receiver:
      let off = time.milliseconds(since: now)
      if off.magnitude <= UInt64(day) { return (time, nil) }
      // How many times 1,024 weeks, to the nearest; no clock that can be written is 2^53 off.
      let periods = (Double(off) / Double(rollover)).rounded()
      if periods != 0, abs(periods) < 100 {
        let rest = off - Int64(periods) * rollover
        if rest.magnitude <= UInt64(day) {
          let right = Timestamp(milliseconds: time.milliseconds - Int64(periods) * rollover)
          return (right, .rolledOver)
        }
      }
      let ends = Timestamp(milliseconds: writtenIn.milliseconds + rollover)
      if now < writtenIn, (writtenIn..<ends).contains(time) { return (time, nil) }
      return (now, .replaced)
    }
  }
}
