/// How much faster than it was recorded a track is replayed: 1 is as recorded, 60 is a minute a
/// second.
public struct ReplaySpeed: Hashable, Sendable {
  /// As recorded.
  public static let asRecorded = ReplaySpeed(unchecked: 1)
  /// What makes sense: from a thousandth to a day in less than a tenth of a second.
  public static let range = 0.001...1_000_000

  /// Within `range`.
  public let factor: Double

  /// Nil for what is not in `range`, NaN among it.
  public init?(_ factor: Double) {
    guard Self.range.contains(factor) else { return nil }
    self.init(unchecked: factor)
  }

  private init(unchecked factor: Double) { self.factor = factor }
}
