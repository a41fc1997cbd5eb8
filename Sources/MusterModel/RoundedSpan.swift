/// A time span for display: `90 s`, `12 min`, `3 h`, `4 d`, rounded down. The next unit is used
/// from two of it on.
public struct RoundedSpan: Hashable, Sendable, CustomStringConvertible {
  /// Never negative.
  public let seconds: UInt64

  /// Creates a span of whole seconds.
  public init(seconds: UInt64) { self.seconds = seconds }

  /// The span in the suitable unit.
  public var description: String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }

  /// The same, for each language.
  public var phrase: Phrase {
    switch seconds {
    case ..<120: Phrase(.seconds, ["n": .number(Int64(seconds))])
    case ..<7200: Phrase(.minutes, ["n": .number(Int64(seconds / 60))])
    case ..<172_800: Phrase(.hours, ["n": .number(Int64(seconds / 3600))])
    default: Phrase(.days, ["n": .number(Int64(clamping: seconds / 86_400))])
    }
  }
}
