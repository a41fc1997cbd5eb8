public import MusterModel

/// A fence made ready for being asked whether points are in it. Prepare it once, when its geometry
/// arrives; asking then costs a comparison of bounds for most points, and a walk along its edges
/// for the others. Where many points are asked of many fences, `FenceIndex` looks at a few edges.
///
/// Any geometry can be prepared, the damaged and the hostile included: what makes no area holds
/// only the points of its edges.
public struct PreparedFence: Sendable {
  /// Shared by copies, so that passing a fence about costs one reference count.
  let outline: PreparedOutline

  /// What it was made from.
  public var geometry: FenceGeometry { outline.geometry }

  /// Takes time in proportion to the vertices.
  public init(_ geometry: FenceGeometry) { outline = PreparedOutline(geometry) }

  /// Whether the point is inside or on an edge: exact for polygons, whose edges are straight in
  /// longitude and latitude (RFC 7946 §3.1.1), and to about a micrometre for circles. Polygons
  /// that overlap are joined.
  public func contains(_ point: Coordinate) -> Bool { outline.contains(point) }
}

/// The unchanging part of a `PreparedFence`.
final class PreparedOutline: Sendable {
  let geometry: FenceGeometry
  /// What each polygon lies in, or the circle.
  let boxes: [Box]

  init(_ geometry: FenceGeometry) {
    self.geometry = geometry
    switch geometry {
    case .polygons(let polygons): boxes = polygons.map(\.box)
    case .circle(let center, let radiusCentimetres):
      boxes = [Geodesic.box(around: center, radiusMetres: Double(radiusCentimetres) / 100)]
    }
  }

  func contains(_ point: Coordinate) -> Bool {
    if containsAsWritten(point) { return true }
    guard let other = point.acrossAntimeridian else { return false }
    return containsAsWritten(other)
  }

  private func containsAsWritten(_ point: Coordinate) -> Bool {
    switch geometry {
    case .polygons(let polygons):
      polygons.indices.contains { boxes[$0].contains(point) && polygons[$0].holds(point) }
    case .circle(let center, let radiusCentimetres):
      boxes[0].contains(point)
        && Geodesic.isWithin(radiusCentimetres: radiusCentimetres, of: center, point)
    }
  }
}

extension FenceGeometry {
  /// Whether the point is inside or on an edge. For one question; prepare the fence for many.
  public func contains(_ point: Coordinate) -> Bool { PreparedFence(self).contains(point) }
}
