internal import MusterGeo
internal import MusterModel

extension FenceGeometry {
  /// Polygons in place of a circle, for tools without circles; a circle that has none as it is.
  var withCircleAsPolygons: FenceGeometry {
    guard case .circle(let center, let radius) = self,
      let polygons = CirclePolygon.polygons(center: center, radiusCentimetres: radius)
    else { return self }
    return .polygons(polygons)
  }
}

/// Converts a circle into a polygon, for tools without circles.
enum CirclePolygon {
  static let sides = 64
  /// A quarter of the Earth's circumference, beyond which a circle's inside is the larger part.
  private static let mostMetres = 10_000_000.0
  private static let turn: Int64 = 3_600_000_000

  /// Returns one polygon, or two if the circle crosses the antimeridian; nil if there is none.
  static func polygons(center: Coordinate, radiusCentimetres: UInt32) -> [FencePolygon]? {
    let metres = Double(radiusCentimetres) / 100
    guard metres < mostMetres, !holdsPole(center, metres) else { return nil }
    let corners = (0..<sides).map { side in
      // Westward from north is counter-clockwise.
      let corner = Geodesic.destination(
        from: center, azimuthDegrees: -360 * Double(side) / Double(sides), metres: metres)
      return unrolled(corner, around: center)
    }
    let parts = [-turn, 0, turn].compactMap { shift in
      part(corners.map { (x: $0.x + shift, y: $0.y) })
    }
    do {
      guard case .polygons(let polygons) = try FenceGeometry.validated(polygons: parts) else {
        return nil
      }
      return polygons
    } catch {
      // The circle is so small that its corners coincide.
      return nil
    }
  }

  private typealias Point = Antimeridian.Point

  private static func holdsPole(_ center: Coordinate, _ metres: Double) -> Bool {
    [Int64(-900_000_000), 900_000_000].contains { latitude in
      guard let pole = Coordinate(latitudeE7: latitude, longitudeE7: 0) else { return true }
      return Geodesic.distanceMetres(from: center, to: pole) <= metres
    }
  }

  /// Returns the corner with a longitude continued beyond ±180°, so that adjacent corners have
  /// similar values.
  private static func unrolled(_ corner: Coordinate, around center: Coordinate) -> Point {
    var x = Int64(corner.longitudeE7)
    if x - Int64(center.longitudeE7) > turn / 2 { x -= turn }
    if Int64(center.longitudeE7) - x > turn / 2 { x += turn }
    return (x, Int64(corner.latitudeE7))
  }

  /// Returns the part on one side of the antimeridian; nil if there is none. A circle without a
  /// pole crosses any meridian in at most one segment, so that clipping leaves one piece.
  private static func part(_ corners: [Point]) -> FencePolygon? {
    let vertices = Antimeridian.clipped(corners).compactMap {
      Coordinate(latitudeE7: $0.y, longitudeE7: $0.x)
    }
    guard Set(vertices.map(\.longitudeE7)).count > 1 else { return nil }
    return FencePolygon(outer: Ring(vertices))
  }
}
