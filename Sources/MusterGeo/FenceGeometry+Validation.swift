public import MusterModel

extension FenceGeometry {
  /// Validates polygons and returns them in canonical form: without closing and repeated vertices,
  /// outer rings counter-clockwise, holes clockwise.
  ///
  /// Rings may not intersect themselves, holes lie inside their outer ring and outside one another,
  /// and rings of one polygon touch at single points at most (OGC 06-103r4 §6.1.11). Polygons of
  /// one fence may overlap: the fence is their union. Edges span at most 180° of longitude, unless
  /// they follow a whole parallel; an outline across the antimeridian is split there (RFC 7946
  /// §3.1.9).
  public static func validated(
    polygons: [FencePolygon]
  ) throws(GeometryFault) -> FenceGeometry {
    if polygons.isEmpty { throw GeometryFault(reason: .noPolygons, place: nil) }
    let ringCount = polygons.reduce(0) { $0 + 1 + $1.holes.count }
    if ringCount > Limits.ringsPerFence {
      throw GeometryFault(reason: .tooManyRings(ringCount), place: nil)
    }
    var vertexCount = 0
    var outlines: [[OutlineRing]] = []
    for (polygonIndex, polygon) in polygons.enumerated() {
      var rings: [OutlineRing] = []
      for (ringIndex, ring) in ([polygon.outer] + polygon.holes).enumerated() {
        let outline = try OutlineRing(ring, polygon: polygonIndex, ring: ringIndex)
        vertexCount += outline.vertices.count
        rings.append(outline)
      }
      outlines.append(rings)
    }
    if vertexCount > Limits.verticesPerFence {
      throw GeometryFault(reason: .tooManyVertices(vertexCount), place: nil)
    }
    var valid: [FencePolygon] = []
    for rings in outlines {
      try OutlinePolygon(rings).check()
      let oriented = rings.map(\.oriented)
      valid.append(FencePolygon(outer: oriented[0], holes: Array(oriented.dropFirst())))
    }
    return .polygons(valid)
  }

  /// Validates a circle: not empty and not larger than the Earth.
  public static func validatedCircle(
    center: Coordinate, radiusCentimetres: UInt32
  ) throws(GeometryFault) -> FenceGeometry {
    if radiusCentimetres == 0 { throw GeometryFault(reason: .noRadius, place: nil) }
    if radiusCentimetres > Limits.circleRadiusCentimetres {
      throw GeometryFault(reason: .radiusTooLarge(radiusCentimetres), place: nil)
    }
    return .circle(center: center, radiusCentimetres: radiusCentimetres)
  }

  /// Returns the geometry in canonical form. Received geometry is validated with it.
  public func validated() throws(GeometryFault) -> FenceGeometry {
    switch self {
    case .polygons(let polygons):
      try Self.validated(polygons: polygons)
    case .circle(let center, let radiusCentimetres):
      try Self.validatedCircle(center: center, radiusCentimetres: radiusCentimetres)
    }
  }
}
