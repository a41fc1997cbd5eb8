public import MusterModel

/// Distances on the WGS 84 ellipsoid, by C. F. F. Karney, "Algorithms for geodesics", Journal of
/// Geodesy 87 (2013) 43-55, https://doi.org/10.1007/s00190-012-0578-z. Accurate to some
/// nanometres between any two points, antipodal ones included, where Vincenty's method fails.
///
/// After GeographicLib (MIT licence, © Charles Karney 2009-2022), reduced to an oblate ellipsoid
/// and to the length alone.
public enum Geodesic {
  /// The equatorial radius in metres.
  static let equatorialRadius = 6_378_137.0
  static let flattening = 1 / 298.257223563
  static let polarRadius = equatorialRadius * (1 - flattening)
  /// The third flattening, the expansion parameter of the series.
  static let thirdFlattening = flattening / (2 - flattening)
  /// The second eccentricity squared.
  static let secondEccentricity =
    flattening * (2 - flattening) / ((1 - flattening) * (1 - flattening))
  /// The smallest radius of curvature, along the meridian at the equator.
  static let smallestRadius = polarRadius * (1 - flattening)

  /// The length of the shortest path in metres: at most 20,003,931.5, and the same both ways to
  /// some nanometres.
  public static func distanceMetres(from start: Coordinate, to end: Coordinate) -> Double {
    if start == end { return 0 }
    return distanceMetres(
      fromLatitude: start.latitude, longitude: start.longitude, toLatitude: end.latitude,
      longitude: end.longitude)
  }

  /// Returns whether a circle contains the point, its edge included.
  static func isWithin(
    radiusCentimetres: UInt32, of center: Coordinate, _ point: Coordinate
  ) -> Bool {
    distanceMetres(from: center, to: point) <= Double(radiusCentimetres) / 100
  }

  /// Returns a box that contains everything within `radiusMetres`.
  static func box(around center: Coordinate, radiusMetres: Double) -> Box {
    // No arc is shorter than its latitudes at the smallest radius of curvature, nor than its
    // longitudes on the circle of the highest latitude it reaches. One more unit for rounding.
    let unitsPerRadian = 180 / Double.pi * 1e7
    let high = radiusMetres / smallestRadius * unitsPerRadian + 1
    let south = max(Double(center.latitudeE7) - high, -900_000_000).rounded(.down)
    let north = min(Double(center.latitudeE7) + high, 900_000_000).rounded(.up)
    let extreme = max(-south, north) / unitsPerRadian
    let narrowest = equatorialRadius * Trigonometry.cosine(extreme)
    let wide = narrowest > 1 ? radiusMetres / narrowest * unitsPerRadian + 1 : .infinity
    let west = (Double(center.longitudeE7) - wide).rounded(.down)
    let east = (Double(center.longitudeE7) + wide).rounded(.up)
    let isWhole = west < -1_800_000_000 || east > 1_800_000_000
    return Box(
      west: isWhole ? -1_800_000_000 : Int32(west), south: Int32(south),
      east: isWhole ? 1_800_000_000 : Int32(east), north: Int32(north))
  }
}
