public import MusterModel

/// A fence made ready for being asked many times whether points are in it. Prepare it once, when
/// its geometry arrives; asking then costs a comparison of bounds for most points, and some ten
/// edges for the others.
///
/// Any geometry can be prepared, the damaged and the hostile included: what makes no area holds
/// only the points of its edges.
public struct PreparedFence: Sendable {
  /// What it was made from.
  public let geometry: FenceGeometry
  let box: Box
  private let shape: Shape

  private enum Shape: Sendable {
    case polygons([BandedPolygon])
    case circle(center: Coordinate, radiusMetres: Double)
  }

  /// Takes time and memory in proportion to the vertices.
  public init(_ geometry: FenceGeometry) {
    self.geometry = geometry
    switch geometry {
    case .polygons(let polygons):
      let banded = polygons.map { BandedPolygon($0) }
      shape = .polygons(banded)
      box = banded.reduce(into: Box.empty) { $0.join($1.box) }
    case .circle(let center, let radiusCentimetres):
      let radius = Double(radiusCentimetres) / 100
      shape = .circle(center: center, radiusMetres: radius)
      box = Geodesic.box(around: center, radiusMetres: radius)
    }
  }

  /// Whether the point is inside or on an edge: exact for polygons, whose edges are straight in
  /// longitude and latitude (RFC 7946 §3.1.1), and to about a micrometre for circles. Polygons
  /// that overlap are joined.
  public func contains(_ point: Coordinate) -> Bool {
    if containsAsWritten(point) { return true }
    guard let other = point.acrossAntimeridian else { return false }
    return containsAsWritten(other)
  }

  private func containsAsWritten(_ point: Coordinate) -> Bool {
    guard box.contains(point) else { return false }
    switch shape {
    case .polygons(let polygons):
      return polygons.contains { $0.contains(point) }
    case .circle(let center, let radius):
      return Geodesic.distanceMetres(from: center, to: point) <= radius
    }
  }
}

extension FenceGeometry {
  /// Whether the point is inside or on an edge. For one question; prepare the fence for many.
  public func contains(_ point: Coordinate) -> Bool { PreparedFence(self).contains(point) }
}
