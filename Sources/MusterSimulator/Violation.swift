/// A promise that did not hold in a run.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// Which promise, in a few words: two runs that break one promise have the same words here.
  public let promise: String
  /// What was seen, and where.
  public let detail: String
  /// Since the scenario's start, in simulated milliseconds; negative while warming up.
  public let atMilliseconds: Int64

  /// Broken at that moment.
  public init(promise: String, detail: String, atMilliseconds: Int64) {
    self.promise = promise
    self.detail = detail
    self.atMilliseconds = atMilliseconds
  }

  /// One line for people.
  public var description: String {
    "\(promise) — \(detail) (at \(Quantity.duration(atMilliseconds)))"
  }
}
