internal import MusterModel

/// An edge with its southern end first, and its part in the even-odd test.
///
/// The test is exact. The side of an edge is decided by comparing two products of a longitude
/// difference (at most 3.6e9) and a latitude difference (at most 1.8e9). Each is at most 6.5e18 and
/// fits 64 bits, and unlike subtracting, comparing them cannot overflow.
struct Edge: Sendable {
  let lowX: Int32
  let lowY: Int32
  let highX: Int32
  let highY: Int32

  /// The result of a ray from the point along its latitude.
  enum Sight {
    case nothing
    /// The ray crosses the edge: the point changes from outside to inside, or back.
    case crossing
    /// The point is on the edge.
    case touch
  }

  init(_ start: Coordinate, _ end: Coordinate) {
    let (low, high) = start.latitudeE7 <= end.latitudeE7 ? (start, end) : (end, start)
    self.init(
      lowX: low.longitudeE7, lowY: low.latitudeE7, highX: high.longitudeE7, highY: high.latitudeE7)
  }

  init(lowX: Int32, lowY: Int32, highX: Int32, highY: Int32) {
    self.lowX = lowX
    self.lowY = lowY
    self.highX = highX
    self.highY = highY
  }

  /// Tests the ray. Of two edges that share a vertex, only the upper one is crossed there.
  @inline(__always)
  func sight(x: Int64, y: Int64) -> Sight {
    let (lowY, highY) = (Int64(self.lowY), Int64(self.highY))
    if y < lowY || y > highY { return .nothing }
    let (lowX, highX) = (Int64(self.lowX), Int64(self.highX))
    let along = (highX - lowX) &* (y - lowY)
    let across = (highY - lowY) &* (x - lowX)
    if along == across {
      let isOn = lowY != highY || (x >= min(lowX, highX) && x <= max(lowX, highX))
      return isOn ? .touch : .nothing
    }
    return y < highY && across < along ? .crossing : .nothing
  }
}

extension FencePolygon {
  /// The edges of all rings, ring by ring.
  var edges: [Edge] {
    var edges: [Edge] = []
    for ring in [outer] + holes {
      var previous = ring.vertices.last
      for vertex in ring.vertices {
        if let previous { edges.append(Edge(previous, vertex)) }
        previous = vertex
      }
    }
    return edges
  }

  /// The bounding box of all vertices; empty without vertices.
  var box: Box {
    var box = Box.empty
    for ring in [outer] + holes { for vertex in ring.vertices { box.include(vertex) } }
    return box
  }

  /// Returns whether the point is inside the outer ring and in no hole, or on any edge. Tests every
  /// edge. For crossing rings, which validated geometry never has, the even-odd rule decides.
  func holds(_ point: Coordinate) -> Bool {
    let (x, y) = (Int64(point.longitudeE7), Int64(point.latitudeE7))
    var isInside = false
    for ring in [outer] + holes {
      var previous = ring.vertices.last
      for vertex in ring.vertices {
        if let previous {
          switch Edge(previous, vertex).sight(x: x, y: y) {
          case .touch: return true
          case .crossing: isInside.toggle()
          case .nothing: break
          }
        }
        previous = vertex
      }
    }
    return isInside
  }
}
