/// How far this device's wall clock is ahead of the median of its peers' clocks. It decides
/// nothing: it warns people to set a clock, because displayed ages depend on clocks.
public struct ClockLead: Codable, Hashable, Sendable {
  /// Negative if this device's clock is behind.
  public let seconds: Int64

  /// Accepts any difference, including one that no correct clock has.
  public init(seconds: Int64) { self.seconds = seconds }

  /// Rounds to the nearest second.
  public init(milliseconds: Int64) {
    seconds = milliseconds / 1000 + (milliseconds % 1000) / 500
  }

  /// Unset clocks drift by seconds a day, and slow links delay messages: smaller leads are normal.
  public static let suspectSeconds: UInt64 = 120

  /// Whether the clock should be checked. With only one peer's clock known, either may be wrong.
  public var isSuspect: Bool { seconds.magnitude > Self.suspectSeconds }

  /// What the user of this device should know of it.
  public var phrase: Phrase {
    let span = RoundedSpan(seconds: seconds.magnitude).phrase
    return Phrase(seconds < 0 ? .clockBehind : .clockAhead, ["span": .phrase(span)])
  }

  /// `12 min ahead`, `3650 d behind`.
  public var words: String {
    "\(RoundedSpan(seconds: seconds.magnitude)) \(seconds < 0 ? "behind" : "ahead")"
  }
}
