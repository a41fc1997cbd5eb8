public import MusterModel

/// A fence made ready for being asked many times whether points are in it. Prepare it once, when
/// its geometry arrives; asking then costs a comparison of bounds for most points, and some ten
/// edges for the others.
///
/// Any geometry can be prepared, the damaged and the hostile included: what makes no area holds
/// only the points of its edges.
public struct PreparedFence: Sendable {
  /// Shared by copies, so that passing a fence about costs one reference count.
  let outline: PreparedOutline

  /// What it was made from.
  public var geometry: FenceGeometry { outline.geometry }

  /// Takes time and memory in proportion to the vertices.
  public init(_ geometry: FenceGeometry) { outline = PreparedOutline(geometry) }

  /// Whether the point is inside or on an edge: exact for polygons, whose edges are straight in
  /// longitude and latitude (RFC 7946 §3.1.1), and to about a micrometre for circles. Polygons
  /// that overlap are joined.
  public func contains(_ point: Coordinate) -> Bool { outline.contains(point) }
}

/// The unchanging part of a `PreparedFence`.
final class PreparedOutline: Sendable {
  let geometry: FenceGeometry
  /// None of a circle.
  let polygons: BandedPolygons
  /// What each polygon lies in, or the circle.
  let boxes: [Box]

  init(_ geometry: FenceGeometry) {
    self.geometry = geometry
    var banded = BandedPolygons()
    switch geometry {
    case .polygons(let polygons):
      for polygon in polygons { banded.append(polygon) }
      boxes = (0..<banded.count).map(banded.box)
    case .circle(let center, let radiusCentimetres):
      boxes = [Geodesic.box(around: center, radiusMetres: Double(radiusCentimetres) / 100)]
    }
    polygons = banded
  }

  func contains(_ point: Coordinate) -> Bool {
    if containsAsWritten(point) { return true }
    guard let other = point.acrossAntimeridian else { return false }
    return containsAsWritten(other)
  }

  private func containsAsWritten(_ point: Coordinate) -> Bool {
    if case .circle(let center, let radiusCentimetres) = geometry {
      return boxes[0].contains(point)
        && Geodesic.isWithin(radiusCentimetres: radiusCentimetres, of: center, point)
    }
    return (0..<polygons.count).contains { polygons.contains(point, in: $0) }
  }
}

extension FenceGeometry {
  /// Whether the point is inside or on an edge. For one question; prepare the fence for many.
  public func contains(_ point: Coordinate) -> Bool { PreparedFence(self).contains(point) }
}
