public import MusterModel

/// A fence prepared for point-in-polygon queries. Prepare it once, when its geometry arrives. A
/// query then costs a comparison of bounds for most points, and a scan of its edges for the others.
/// For many points and fences, `FenceIndex` tests only a few edges.
///
/// Any geometry can be prepared, including damaged and hostile input: geometry without an area
/// contains only the points of its edges.
public struct PreparedFence: Sendable {
  /// Shared by copies, so that passing a fence costs one reference count.
  let outline: PreparedOutline

  /// The geometry that it was prepared from.
  public var geometry: FenceGeometry { outline.geometry }

  /// Prepares a fence in time linear in the number of vertices.
  public init(_ geometry: FenceGeometry) { outline = PreparedOutline(geometry) }

  /// Returns whether the point is inside or on an edge: exact for polygons, whose edges are
  /// straight in longitude and latitude (RFC 7946 §3.1.1), and to about a micrometre for circles.
  /// Overlapping polygons form a union.
  public func contains(_ point: Coordinate) -> Bool { outline.contains(point) }
}

/// The immutable part of a `PreparedFence`.
final class PreparedOutline: Sendable {
  let geometry: FenceGeometry
  /// The bounding boxes of the polygons, or of the circle.
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
  /// Returns whether the point is inside or on an edge. For one query; prepare the fence for many.
  public func contains(_ point: Coordinate) -> Bool { PreparedFence(self).contains(point) }
}
