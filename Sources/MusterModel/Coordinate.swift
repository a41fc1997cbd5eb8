/// A position on WGS 84 in integers of 1e-7 degree (about 11 mm), so that all nodes decide alike.
public struct Coordinate: Codable, Hashable, Comparable, Sendable {
  /// -900,000,000 to 900,000,000.
  public let latitudeE7: Int32
  /// -1,800,000,000 to 1,800,000,000.
  public let longitudeE7: Int32

  /// Returns nil when out of range.
  public init?(latitudeE7: Int64, longitudeE7: Int64) {
    guard (-900_000_000...900_000_000).contains(latitudeE7),
      (-1_800_000_000...1_800_000_000).contains(longitudeE7)
    else { return nil }
    self.latitudeE7 = Int32(latitudeE7)
    self.longitudeE7 = Int32(longitudeE7)
  }

  /// Rounds to the nearest 1e-7 degree. Returns nil when out of range or not a number.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.init(
      latitudeE7: Int64((latitude * 1e7).rounded()), longitudeE7: Int64((longitude * 1e7).rounded())
    )
  }

  /// Degrees north, for display and export, never for a decision.
  public var latitude: Double { Double(latitudeE7) / 1e7 }
  /// Degrees east, for display and export, never for a decision.
  public var longitude: Double { Double(longitudeE7) / 1e7 }

  /// Orders by latitude, then by longitude. The order has no geographic meaning.
  public static func < (left: Coordinate, right: Coordinate) -> Bool {
    (left.latitudeE7, left.longitudeE7) < (right.latitudeE7, right.longitudeE7)
  }
}
