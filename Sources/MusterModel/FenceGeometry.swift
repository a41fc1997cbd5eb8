/// A closed ring of vertices; the last vertex is joined to the first and is not repeated.
public struct Ring: Hashable, Sendable {
  /// At least three, at most `Limits.verticesPerRing`; either direction round.
  public var vertices: [Coordinate]
  /// Nothing is checked here: outlines that people give are, before they become a write.
  public init(_ vertices: [Coordinate]) { self.vertices = vertices }
}

/// One outer ring and the holes in it.
public struct FencePolygon: Hashable, Sendable {
  /// What lies in it, less the holes, is inside.
  public var outer: Ring
  /// What lies in one of them is outside.
  public var holes: [Ring]

  /// Holes MUST lie within the outer ring; outlines that people give are checked for it.
  public init(outer: Ring, holes: [Ring] = []) {
    self.outer = outer
    self.holes = holes
  }
}

/// The outline of a geofence. Its edge counts as inside.
public enum FenceGeometry: Codable, Hashable, Sendable {
  /// One polygon or several; a polygon split at the antimeridian (RFC 7946 §3.1.9) is several.
  case polygons([FencePolygon])
  /// A geodesic circle; the radius is in centimetres so that it stays an integer.
  case circle(center: Coordinate, radiusCentimetres: UInt32)
}

extension FenceGeometry {
  /// Whether its stored form would be read back: the decoder refuses what is not.
  var isWithinLimits: Bool {
    switch self {
    case .circle(_, let radius): return (1...Limits.circleRadiusCentimetres).contains(radius)
    case .polygons(let polygons):
      let rings = polygons.flatMap { [$0.outer] + $0.holes }
      return !rings.isEmpty && rings.count <= Limits.ringsPerFence
        && rings.allSatisfy { (3...Limits.verticesPerRing).contains($0.vertices.count) }
        && rings.map(\.vertices.count).reduce(0, +) <= Limits.verticesPerFence
    }
  }
}
