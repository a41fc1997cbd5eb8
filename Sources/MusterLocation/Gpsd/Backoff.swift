/// Exponential backoff with jitter: the delay grows with each failure, and differs between clients
/// that failed at the same moment.
public struct Backoff: Hashable, Sendable {
  /// The maximum delay before the second attempt.
  public static let firstMilliseconds: Int64 = 500
  /// The maximum delay after any number of failures, so that a returning receiver is found soon.
  public static let longestMilliseconds: Int64 = 15_000

  private var failures = 0

  /// Creates a backoff without failures.
  public init() {}

  /// Resets the delay after a success.
  public mutating func reset() { failures = 0 }

  /// Returns the delay after a failure: between half of the current step and the whole of it.
  ///
  /// - Parameter random: any number, drawn by the caller.
  public mutating func next(random: UInt64) -> Int64 {
    let step = min(Self.firstMilliseconds << min(failures, 10), Self.longestMilliseconds)
    failures = min(failures + 1, 10)
    return step / 2 + Int64(random % UInt64(step / 2 + 1))
  }
}
