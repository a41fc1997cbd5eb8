public import MusterModel

/// Positions in metres of the map projections that tools write most. For display and import.
public enum ProjectedPosition {
  private static let equatorialRadius = 6_378_137.0

  /// Returns the position of UTM coordinates; nil if they are not in the zone.
  public static func utm(
    zone: Int, isNorth: Bool, easting: Double, northing: Double
  ) -> Coordinate? {
    GridPosition.position(zone: zone, isNorth: isNorth, easting: easting, northing: northing)
  }

  /// Returns the position of web Mercator coordinates (EPSG:3857); nil if they are beyond 180
  /// degrees.
  public static func webMercator(x: Double, y: Double) -> Coordinate? {
    let radians = Trigonometry.arcTangent(Trigonometry.hyperbolicSine(y / equatorialRadius))
    let degrees = 180 / Double.pi
    return Coordinate(latitude: radians * degrees, longitude: x / equatorialRadius * degrees)
  }
}
