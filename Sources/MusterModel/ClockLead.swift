/// How far this device's wall clock is ahead of the middle one of its peers'. Nothing is decided by
/// it: it tells people that a clock wants setting, since the ages that they read hang on clocks.
public struct ClockLead: Codable, Hashable, Sendable {
  /// Negative where this device's clock is behind.
  public let seconds: Int64

  /// Any difference, also one that no honest clock has.
  public init(seconds: Int64) { self.seconds = seconds }

  /// To the nearest second.
  public init(milliseconds: Int64) {
    seconds = milliseconds / 1000 + (milliseconds % 1000) / 500
  }

  /// Clocks that nobody sets drift by seconds a day; what waits for a slow link is told late.
  public static let suspectSeconds: UInt64 = 120

  /// The clock wants looking at. Where only one peer has told its own, either may be wrong.
  public var isSuspect: Bool { seconds.magnitude > Self.suspectSeconds }

  /// `12 min ahead`, `3650 d behind`.
  public var words: String {
    "\(RoundedSpan(seconds: seconds.magnitude)) \(seconds < 0 ? "behind" : "ahead")"
  }
}
