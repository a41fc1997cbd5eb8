public import MusterModel

/// The origin of a fix, which determines how far its time is trusted.
public enum FixOrigin: Sendable, Hashable {
  /// This device's own receiver: fixes that arrive later were measured later, whatever their times.
  case receiver
  /// A phone that may have stored its fixes until it reached the node.
  case tracker
  /// A recorded track, whose times are kept.
  case replay
}

/// The reason why a fix was rejected. The texts appear in `status`.
public enum FixRefusal: String, Error, Hashable, Sendable, CaseIterable {
  /// Within metres of 0° N 0° E, which receivers and phones report without a fix.
  case nowhere = "at 0, 0"
  /// A radius that makes the position useless.
  case vague = "too inaccurate"
  /// Farther from the previous fix than anything travels, and not confirmed by the following ones.
  case jump = "too far from the last"
  /// Not newer than the previous fix.
  case old = "not newer"
}

/// How the sample time of a fix was corrected.
public enum FixTimeRemark: String, Hashable, Sendable, CaseIterable {
  /// Corrected by a multiple of 1,024 weeks (GPS week rollover).
  case rolledOver = "date corrected by 1024 weeks"
  /// Implausible and replaced by the time of arrival.
  case replaced = "date replaced by the time of arrival"
}

/// Validates the fixes of one subject and determines their sample times.
///
/// No rejection is permanent: after a jump, `bearingOut` consistent fixes are accepted, so that one
/// bad fix never blocks the good ones after it. Times are corrected so that no fix with a future
/// time blocks those that follow:
///
/// - **receiver**: a time within a day of this device's clock is accepted, since satellite time is
///   more accurate. One that is off by a multiple of 1,024 weeks (GPS week rollover) is corrected.
///   If the device's clock is before 2026, when this was written, the clock is wrong. Any other
///   time is replaced by the time of arrival. If times step back, the later fix is right:
///   `Admitted.stepsBack`.
/// - **tracker**: late fixes stay late. A time ahead of this device's clock, or before GPS existed,
///   is replaced by the time of arrival.
/// - **replay**: as recorded.
public struct FixGate: Sendable {
  /// 900 km/h: faster than any helicopter.
  static let fastestMetresPerSecond = 250.0
  /// How many consecutive consistent fixes confirm a jump.
  static let bearingOut = 3
  /// A kilometre: with a larger radius the fences of a subject cannot be determined.
  static let vaguestDecimetres: UInt32 = 10_000
  /// The radius assumed for an unknown one when two positions are compared.
  private static let unknownDecimetres = 500.0
  /// 1e-4 degrees, 11 m.
  private static let nowhereE7: Int32 = 1000
  private static let day: Int64 = 86_400_000
  static let rollover: Int64 = 1024 * 7 * day
  private static let writtenIn = Timestamp(milliseconds: 1_767_225_600_000)  // 2026-01-01
  private static let firstGPS = Timestamp(milliseconds: 315_964_800_000)  // 1980-01-06
  private static let trackerAheadMilliseconds: Int64 = 600_000
  /// A smaller step is a repetition; a larger one means that the clock was set back.
  private static let stepMilliseconds: Int64 = 10_000

  /// The newest accepted fix.
  private var last: Fix?
  /// A fix that was rejected as a jump, and how many consecutive ones agree with it.
  private var elsewhere: (fix: Fix, count: Int)?

  /// An accepted fix.
  public struct Admitted: Hashable, Sendable {
    /// The fix with its final sample time.
    public let fix: Fix
    /// A receiver's first fix, or its clock was set back: earlier fixes must not make this one
    /// late.
    public let stepsBack: Bool
    /// Nil if the source's own time was accepted, or it had none.
    public let remark: FixTimeRemark?
  }

  /// Creates a gate without any fix.
  public init() {}

  /// Validates a fix as reported by its source; `time` is nil if it has none.
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
    // A receiver's first fix is current, whatever was accepted before startup.
    var stepsBack = origin == .receiver && last == nil
    if let last, fix.sampleTime <= last.sampleTime {
      let back = last.sampleTime.milliseconds(since: fix.sampleTime)
      switch origin {
      case .receiver:
        guard back >= Self.stepMilliseconds else { throw .old }
        stepsBack = true
      case .tracker, .replay:
        // It belongs to the past and does not affect the present.
        guard back > 0 else { throw .old }
        return Admitted(fix: fix, stepsBack: false, remark: remark)
      }
    }
    if origin != .replay { try checkJump(to: fix) }
    last = fix
    elsewhere = nil
    return Admitted(fix: fix, stepsBack: stepsBack, remark: remark)
  }

  /// Returns whether an accepted fix is older than the newest.
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
      // The number of rollovers, rounded; no representable clock is off by 2^53.
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
