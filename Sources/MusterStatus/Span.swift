/// A closed interval of milliseconds: the bounds of an uncertain time or duration.
///
/// Invariant: `earliest <= latest`.
public struct Span: Hashable, Sendable {
  /// The lower bound.
  public let earliest: Int64
  /// The upper bound.
  public let latest: Int64

  /// Creates the interval between two bounds, in milliseconds.
  ///
  /// - Precondition: `earliest <= latest`.
  public init(earliest: Int64, latest: Int64) {
    precondition(earliest <= latest, "an interval that ends before it begins")
    self.earliest = earliest
    self.latest = latest
  }

  /// Returns the intersection; nil if the intervals are disjoint.
  public func intersection(_ other: Span) -> Span? {
    let (from, to) = (max(earliest, other.earliest), min(latest, other.latest))
    return from <= to ? Span(earliest: from, latest: to) : nil
  }
}
