/// A span of time as people say it: `90 s`, `12 min`, `3 h`, `4 d`, rounded down. A unit is kept
/// until there are two of the next.
public struct RoundedSpan: Hashable, Sendable, CustomStringConvertible {
  /// Never negative.
  public let seconds: UInt64

  /// Of whole seconds.
  public init(seconds: UInt64) { self.seconds = seconds }

  /// In the unit that suits it.
  public var description: String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }
}
