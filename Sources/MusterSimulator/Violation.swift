/// A violated promise.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// The promise in a few words: violations of one promise have the same text.
  public let promise: String
  /// What was observed, and where.
  public let detail: String
  /// Since the scenario's start, in simulated milliseconds; negative while warming up.
  public let atMilliseconds: Int64

  /// One line for people.
  public var description: String {
    "\(promise) — \(detail) (at \(Quantity.duration(atMilliseconds)))"
  }
}
