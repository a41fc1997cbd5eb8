/// How long to wait before the next attempt: longer after each that failed, and never in step with
/// others who failed at the same moment.
public struct Backoff: Hashable, Sendable {
  /// Before the second attempt, at most.
  public static let firstMilliseconds: Int64 = 500
  /// However often it failed: a receiver that comes back is not kept waiting for long.
  public static let longestMilliseconds: Int64 = 15_000

  private var failures = 0

  /// Nothing has failed yet.
  public init() {}

  /// After a success.
  public mutating func reset() { failures = 0 }

  /// After a failure: between half of the present step and the whole of it.
  ///
  /// - Parameter random: any number, drawn by the caller.
  public mutating func next(random: UInt64) -> Int64 {
    let step = min(Self.firstMilliseconds << min(failures, 10), Self.longestMilliseconds)
    failures = min(failures + 1, 10)
    return step / 2 + Int64(random % UInt64(step / 2 + 1))
  }
}
