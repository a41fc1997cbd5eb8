public import MusterModel

extension FenceGeometry {
  /// Returns the distance in metres from a point to the nearest edge, from inside or outside;
  /// infinite without an edge.
  ///
  /// For circles as accurate as `Geodesic`. For polygons, the nearest position is chosen on the
  /// tangent plane at the point, and its distance is geodesic: never too small, and too large by at
  /// most a fraction of about (d / 6,400 km) · tan(latitude) at a distance d, which is 0.03 % at 1
  /// km in latitude 60°. For a point *inside* a fence that was split at the antimeridian, the seam
  /// counts as an edge.
  public func distanceToEdgeMetres(from point: Coordinate) -> Double {
    switch self {
    case .circle(let center, let radiusCentimetres):
      let radius = Double(radiusCentimetres) / 100
      return abs(Geodesic.distanceMetres(from: center, to: point) - radius)
    case .polygons(let polygons):
      var nearest = NearestPoint(to: point)
      for polygon in polygons {
        nearest.consider(polygon.outer)
        for hole in polygon.holes { nearest.consider(hole) }
      }
      return nearest.distanceMetres
    }
  }

  /// Returns the distance and the bearing to the nearest edge, from a point outside; nil without an
  /// edge. The bearing is in degrees clockwise from north, 0 up to 360, at the point.
  public func approach(from point: Coordinate) -> Approach? {
    switch self {
    case .circle(let center, let radiusCentimetres):
      let metres = Geodesic.distanceMetres(from: center, to: point)
      return Approach(
        distanceMetres: abs(metres - Double(radiusCentimetres) / 100),
        bearingDegrees: Geodesic.sphericalBearingDegrees(from: point, to: center))
    case .polygons(let polygons):
      var nearest = NearestPoint(to: point)
      for polygon in polygons {
        nearest.consider(polygon.outer)
        for hole in polygon.holes { nearest.consider(hole) }
      }
      guard nearest.distanceMetres.isFinite else { return nil }
      return Approach(
        distanceMetres: nearest.distanceMetres, bearingDegrees: nearest.bearingDegrees)
    }
  }
}

/// A distance and a bearing.
public struct Approach: Hashable, Sendable {
  /// Metres on the ellipsoid.
  public var distanceMetres: Double
  /// Degrees clockwise from north, 0 up to 360.
  public var bearingDegrees: Double
}

extension PreparedFence {
  /// Returns the distance in metres from a point to the fence, 0 inside and on the edge; nil beyond
  /// `limitMetres`. A distant point costs a comparison of bounds.
  public func distanceMetres(from point: Coordinate, within limitMetres: Double) -> Double? {
    let around = Geodesic.box(around: point, radiusMetres: limitMetres)
    guard outline.boxes.contains(where: { $0.overlaps(around) }) else {
      return contains(point) ? 0 : nil
    }
    if contains(point) { return 0 }
    let metres = geometry.distanceToEdgeMetres(from: point)
    return metres <= limitMetres ? metres : nil
  }
}

extension Geodesic {
  /// Returns the initial bearing on a sphere: within 0.2° of that on the ellipsoid. For display.
  public static func sphericalBearingDegrees(from start: Coordinate, to end: Coordinate) -> Double {
    let (sine1, cosine1) = Trigonometry.sineAndCosine(degrees: start.latitude)
    let (sine2, cosine2) = Trigonometry.sineAndCosine(degrees: end.latitude)
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: end.longitude - start.longitude)
    return Trigonometry.bearingDegrees(
      east: sine * cosine2, north: cosine1 * sine2 - sine1 * cosine2 * cosine)
  }
}

/// Finds the position on the edges that is nearest to a point.
private struct NearestPoint {
  private let point: Coordinate
  /// Metres per 1e-7 degree at the point.
  private let metresPerX: Double
  private let metresPerY: Double
  private var squaredMetres = Double.infinity
  /// From the point, in 1e-7 degrees.
  private var offset = (x: 0.0, y: 0.0)

  init(to point: Coordinate) {
    self.point = point
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: point.latitude)
    let squaredEccentricity = Geodesic.flattening * (2 - Geodesic.flattening)
    let w = (1 - squaredEccentricity * sine * sine).squareRoot()
    let radiansPerUnit = Double.pi / 180 / 1e7
    metresPerX = Geodesic.equatorialRadius / w * cosine * radiansPerUnit
    metresPerY =
      Geodesic.equatorialRadius * (1 - squaredEccentricity) / (w * w * w) * radiansPerUnit
  }

  mutating func consider(_ ring: Ring) {
    var previous = ring.vertices.last
    for vertex in ring.vertices {
      if let previous { consider(from: previous, to: vertex) }
      previous = vertex
    }
  }

  private mutating func consider(from start: Coordinate, to end: Coordinate) {
    let turn = 3_600_000_000.0
    var startX = Double(start.longitudeE7) - Double(point.longitudeE7)
    var endX = Double(end.longitudeE7) - Double(point.longitudeE7)
    let shift = ((startX + endX) / 2 / turn).rounded() * turn
    startX -= shift
    endX -= shift
    let startY = Double(start.latitudeE7) - Double(point.latitudeE7)
    let endY = Double(end.latitudeE7) - Double(point.latitudeE7)
    let (dx, dy) = ((endX - startX) * metresPerX, (endY - startY) * metresPerY)
    let length = dx * dx + dy * dy
    let toward = -(startX * metresPerX * dx + startY * metresPerY * dy)
    let fraction = length > 0 ? min(max(toward / length, 0), 1) : 0
    let x = startX + fraction * (endX - startX)
    let y = startY + fraction * (endY - startY)
    let (east, north) = (x * metresPerX, y * metresPerY)
    let squared = east * east + north * north
    if squared < squaredMetres {
      squaredMetres = squared
      offset = (x, y)
    }
  }

  /// The bearing on the tangent plane at the point.
  var bearingDegrees: Double {
    Trigonometry.bearingDegrees(east: offset.x * metresPerX, north: offset.y * metresPerY)
  }

  var distanceMetres: Double {
    guard squaredMetres.isFinite else { return .infinity }
    let latitude = (Double(point.latitudeE7) + offset.y) / 1e7
    return Geodesic.distanceMetres(
      fromLatitude: point.latitude, longitude: point.longitude,
      toLatitude: min(max(latitude, -90), 90),
      longitude: (Double(point.longitudeE7) + offset.x) / 1e7)
  }
}
