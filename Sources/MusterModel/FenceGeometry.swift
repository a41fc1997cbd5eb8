/// A closed ring of vertices; the last vertex is joined to the first and is not repeated.
public struct Ring: Hashable, Sendable {
  public var vertices: [Coordinate]
  public init(_ vertices: [Coordinate]) { self.vertices = vertices }
}

/// One outer ring and the holes in it.
public struct FencePolygon: Hashable, Sendable {
  public var outer: Ring
  public var holes: [Ring]

  public init(outer: Ring, holes: [Ring] = []) {
    self.outer = outer
    self.holes = holes
  }
}

/// The outline of a geofence. Its edge counts as inside.
public enum FenceGeometry: Hashable, Sendable {
  /// One polygon or several; a polygon split at the antimeridian (RFC 7946 §3.1.9) is several.
  case polygons([FencePolygon])
  /// A geodesic circle; the radius is in centimetres so that it stays an integer.
  case circle(center: Coordinate, radiusCentimetres: UInt32)
}
