/// Exponential backoff with jitter: the delay grows with each failure, and differs between clients
/// that failed at the same moment.
public struct Backoff: Hashable, Sendable {
  private let first: Duration
  private let longest: Duration
  private var failures = 0

  /// So that the factor stays small, whatever the number of failures.
  private static let mostDoublings = 16

  /// Creates a backoff without failures.
  ///
  /// - Parameters:
  ///   - first: the maximum delay before the second attempt.
  ///   - longest: the maximum delay after any number of failures.
  public init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
  }

  /// Resets the delay after a success.
  public mutating func reset() { failures = 0 }

  /// Returns the delay after a failure: between half of the current step and the whole of it.
  ///
  /// - Parameter random: any number, drawn by the caller.
  public mutating func next(random: UInt64) -> Duration {
    let step = min(first * (1 << failures), longest)
    failures = min(failures + 1, Self.mostDoublings)
    return step / 2 + step / 2 * Int(random % 1025) / 1024
  }
}
