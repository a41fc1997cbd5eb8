internal import MusterModel

/// The reason why an outline is invalid, and where.
public struct GeometryFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A vertex or the edge that begins at it, all counted from 0 as in the input.
  public struct Place: Hashable, Sendable, CustomStringConvertible {
    /// The index of the polygon.
    public let polygon: Int
    /// The index of the ring: 0 is the outer one, the others are holes.
    public let ring: Int
    /// The index of the vertex; nil if it concerns the whole ring.
    public let vertex: Int?

    /// Creates a reference to a vertex, or a whole ring.
    public init(polygon: Int, ring: Int, vertex: Int?) {
      self.polygon = polygon
      self.ring = ring
      self.vertex = vertex
    }

    /// `polygon 0, hole 1, vertex 7`.
    public var description: String {
      let name = "polygon \(polygon), " + (ring == 0 ? "outer ring" : "hole \(ring)")
      return vertex.map { "\(name), vertex \($0)" } ?? name
    }
  }

  /// An invalid relation of two edges.
  public enum Meeting: Hashable, Sendable {
    case cross
    case touch
    case overlap
  }

  /// The reason.
  public enum Reason: Hashable, Sendable {
    case noPolygons
    case tooManyRings(Int)
    case tooManyVertices(Int)
    case ringTooLong(Int)
    /// The number of consecutive distinct vertices.
    case tooFewPoints(Int)
    case noArea
    /// An edge over more than half the globe, which was certainly meant in the other direction.
    case acrossAntimeridian
    case edgesMeet(Meeting, other: Place)
    case holeOutside
    case holesOverlap(other: Int)
    case noRadius
    case radiusTooLarge(UInt32)
  }

  /// The reason.
  public let reason: Reason
  /// The location; nil if it concerns the whole fence.
  public let place: Place?

  /// Creates a fault that was found outside `FenceGeometry.validated`.
  public init(reason: Reason, place: Place?) {
    self.reason = reason
    self.place = place
  }

  /// One line that states what to do.
  public var description: String {
    let text = explanation
    return place.map { "\($0): \(text)" } ?? text
  }

  private var explanation: String {
    switch reason {
    case .noPolygons:
      "the outline has no polygon: at least one is required"
    case .tooManyRings(let count):
      "the fence has \(count) rings and may have \(Limits.ringsPerFence): split it into several"
    case .tooManyVertices(let count):
      "the fence has \(count) vertices and may have \(Limits.verticesPerFence): simplify it"
    case .ringTooLong(let count):
      "the ring has \(count) vertices and may have \(Limits.verticesPerRing): simplify it"
    case .tooFewPoints(let count):
      "the ring has \(count) different vertices and needs 3"
    case .noArea:
      "all vertices of the ring are on one line: it has no inside"
    case .acrossAntimeridian:
      "the edge from here spans over 180° of longitude: split the outline at the antimeridian"
    case .edgesMeet(let meeting, let other):
      Self.explain(meeting, other, ofOneRing: place?.ring == other.ring)
    case .holeOutside:
      "the hole is outside the outer ring here: move it inside or remove it"
    case .holesOverlap(let other):
      "the hole lies in hole \(other) here: join the two"
    case .noRadius:
      "the circle's radius is zero"
    case .radiusTooLarge(let radius):
      "the circle's radius of \(radius / 100) m is over \(Limits.circleRadiusCentimetres / 100) m"
    }
  }

  private static func explain(
    _ meeting: Meeting, _ other: Place, ofOneRing isOneRing: Bool
  ) -> String {
    let verb =
      switch meeting {
      case .cross: "crosses"
      case .touch: "touches"
      case .overlap: "overlaps"
      }
    return "the edge from here \(verb) the edge from \(other): "
      + (isOneRing ? "a ring may not meet itself" : "rings may touch at single points only")
  }
}
