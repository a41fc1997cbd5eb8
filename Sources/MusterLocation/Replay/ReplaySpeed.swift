/// The speed of a replay: 1 is as recorded, 60 is a minute per second.
public struct ReplaySpeed: Hashable, Sendable {
  /// The recorded speed.
  public static let asRecorded = ReplaySpeed(unchecked: 1)
  /// The valid range: from a thousandth to a day in less than a tenth of a second.
  public static let range = 0.001...1_000_000

  /// The factor, within `range`.
  public let factor: Double

  /// Returns nil for values outside `range`, including NaN.
  public init?(_ factor: Double) {
    guard Self.range.contains(factor) else { return nil }
    self.init(unchecked: factor)
  }

  private init(unchecked factor: Double) { self.factor = factor }
}
