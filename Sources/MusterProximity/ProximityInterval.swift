public import MusterModel

/// A span of ten minutes, counted from 1970: `ENIntervalNumber` of the specification.
public struct ProximityInterval: Hashable, Comparable, Sendable {
  /// The intervals of a day.
  public static let perDay: UInt32 = 144
  /// The length of an interval.
  public static let milliseconds: Int64 = 600_000

  /// The number of intervals since 1970.
  public let number: UInt32

  /// Names an interval.
  public init(number: UInt32) { self.number = number }

  /// Returns the interval that contains a moment; nil before 1970 and after the year 83600.
  public init?(containing time: Timestamp) {
    guard time.milliseconds >= 0,
      let number = UInt32(exactly: time.milliseconds / Self.milliseconds)
    else { return nil }
    self.number = number
  }

  /// When it starts.
  public var start: Timestamp { Timestamp(milliseconds: Int64(number) * Self.milliseconds) }
  /// When it ends.
  public var end: Timestamp { Timestamp(milliseconds: start.milliseconds + Self.milliseconds) }
  /// The first interval of its day.
  public var dayStart: ProximityInterval {
    ProximityInterval(number: number / Self.perDay * Self.perDay)
  }

  /// Returns the oldest interval that a log keeps at this moment.
  public static func oldestKept(
    at now: ProximityInterval, days: UInt32 = ProximityLimits.days
  ) -> ProximityInterval {
    let span = min(days, ProximityLimits.days) * perDay
    return ProximityInterval(number: now.number < span ? 0 : now.number - span)
  }

  /// Returns the intervals that a log keeps at this moment: up to a day ahead.
  ///
  /// - Parameter days: the setting of the user, at most `ProximityLimits.days`.
  public static func kept(
    at now: ProximityInterval, days: UInt32
  ) -> ClosedRange<ProximityInterval> {
    let ahead = perDay < .max - now.number ? now.number + perDay : .max
    return oldestKept(at: now, days: days)...ProximityInterval(number: ahead)
  }

  /// Orders by time.
  public static func < (left: ProximityInterval, right: ProximityInterval) -> Bool {
    left.number < right.number
  }
}
