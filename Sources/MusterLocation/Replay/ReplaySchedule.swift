public import MusterModel

/// The schedule of a replayed track: when each fix is due, relative to the start of the replay.
/// Pure, so that it can be tested without waiting.
public struct ReplaySchedule: Hashable, Sendable {
  /// One fix and its due time.
  public struct Entry: Hashable, Sendable {
    /// Never less than that of the previous entry.
    public let offsetMilliseconds: Int64
    /// The recorded fix, with its original sample time.
    public let fix: Fix
  }

  /// The entries, in the order of the fixes.
  public let entries: [Entry]

  /// Creates a schedule. The first fix is due at once, each later one according to its sample time
  /// and the speed. A fix with an earlier sample time than its predecessor is due together with it,
  /// so that the file order is kept without a delay.
  public init(_ fixes: [Fix], speed: ReplaySpeed) {
    var latest: Int64 = 0
    entries = fixes.map { fix in
      let elapsed = fix.sampleTime.milliseconds(since: fixes[0].sampleTime)
      latest = max(latest, Self.scaled(elapsed, by: speed))
      return Entry(offsetMilliseconds: latest, fix: fix)
    }
  }

  /// A thousand years: effectively never, and far from any overflow.
  private static let latestOffset = 31_556_952_000_000.0

  private static func scaled(_ milliseconds: Int64, by speed: ReplaySpeed) -> Int64 {
    Int64(min(max(0, (Double(milliseconds) / speed.factor).rounded()), latestOffset))
  }
}
