public import MusterModel

/// When each fix of a replayed track is due, counted from the start of the replay. Pure, so that it
/// can be tested without waiting.
public struct ReplaySchedule: Hashable, Sendable {
  /// One fix and the moment when it is due.
  public struct Entry: Hashable, Sendable {
    /// Never less than that of the entry before.
    public let offsetMilliseconds: Int64
    /// As recorded; its sample time is the track's own.
    public let fix: Fix
  }

  /// In the order in which the fixes were given.
  public let entries: [Entry]

  /// The first fix is due at once, and each later one when its sample time comes round at this
  /// speed. One that lies before a fix already due is due together with that, so that the order of
  /// the file is kept and nothing waits for it.
  public init(_ fixes: [Fix], speed: ReplaySpeed) {
    var latest: Int64 = 0
    entries = fixes.map { fix in
      let elapsed = fix.sampleTime.milliseconds(since: fixes[0].sampleTime)
      latest = max(latest, Self.scaled(elapsed, by: speed))
      return Entry(offsetMilliseconds: latest, fix: fix)
    }
  }

  /// A thousand years: later than anybody waits, and far from any overflow.
  private static let latestOffset = 31_556_952_000_000.0

  private static func scaled(_ milliseconds: Int64, by speed: ReplaySpeed) -> Int64 {
    Int64(min(max(0, (Double(milliseconds) / speed.factor).rounded()), latestOffset))
  }
}
