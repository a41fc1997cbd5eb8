/// A closed interval of milliseconds: what is known of a moment or of a duration.
///
/// Invariant: `earliest <= latest`.
public struct Span: Hashable, Sendable {
  /// The least that it can be.
  public let earliest: Int64
  /// The greatest that it can be.
  public let latest: Int64

  /// Creates the interval between two bounds, in milliseconds.
  ///
  /// - Precondition: `earliest <= latest`.
  public init(earliest: Int64, latest: Int64) {
    precondition(earliest <= latest, "an interval that ends before it begins")
    self.earliest = earliest
    self.latest = latest
  }

  /// What both intervals allow; nil where they contradict each other.
  public func intersection(_ other: Span) -> Span? {
    let (from, to) = (max(earliest, other.earliest), min(latest, other.latest))
    return from <= to ? Span(earliest: from, latest: to) : nil
  }
}
