/// A closed ring of vertices; the last vertex connects to the first and is not repeated.
public struct Ring: Hashable, Sendable {
  /// At least three, at most `Limits.verticesPerRing`; in either direction.
  public var vertices: [Coordinate]
  /// Creates a ring. Nothing is validated here: user input is, before it is written.
  public init(_ vertices: [Coordinate]) { self.vertices = vertices }
}

/// An outer ring with its holes.
public struct FencePolygon: Hashable, Sendable {
  /// Positions in it, except in the holes, are inside.
  public var outer: Ring
  /// Positions in one of them are outside.
  public var holes: [Ring]

  /// Creates a polygon. Holes MUST lie within the outer ring; user input is validated for it.
  public init(outer: Ring, holes: [Ring] = []) {
    self.outer = outer
    self.holes = holes
  }
}

/// The outline of a geofence. Positions on the edge are inside.
public enum FenceGeometry: Codable, Hashable, Sendable {
  /// One polygon or several; a polygon split at the antimeridian (RFC 7946 §3.1.9) is several.
  case polygons([FencePolygon])
  /// A geodesic circle, with the radius in centimetres to keep it an integer.
  case circle(center: Coordinate, radiusCentimetres: UInt32)
}

extension FenceGeometry {
  /// Whether the stored form can be read back: the decoder rejects any other.
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
