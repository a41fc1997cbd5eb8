internal import MusterModel

/// One polygon, cut into horizontal bands that each list the edges that reach into them, so that
/// a point is compared with a few edges rather than with all.
///
/// The test is exact. An edge's side is decided by comparing two products of a longitude
/// difference (at most 3.6e9) and a latitude difference (at most 1.8e9); each is at most 6.5e18
/// and fits 64 bits, and comparing them, unlike subtracting, cannot overflow.
final class BandedPolygon: Sendable {
  /// An edge with its southern end first.
  struct Edge: Sendable {
    let lowX: Int32
    let lowY: Int32
    let highX: Int32
    let highY: Int32

    init(_ start: Coordinate, _ end: Coordinate) {
      let (low, high) = start.latitudeE7 <= end.latitudeE7 ? (start, end) : (end, start)
      lowX = low.longitudeE7
      lowY = low.latitudeE7
      highX = high.longitudeE7
      highY = high.latitudeE7
    }
  }

  let box: Box
  /// The edges of band 0, then those of band 1, and so on; an edge stands in each band it enters.
  private let edges: [Edge]
  /// Where each band's edges begin, and after the last band where they end.
  private let bandStarts: [Int32]
  /// A band is 2^`shift` units high.
  private let shift: Int32

  private static let mostBands = 64
  /// Bands are made taller until the copies of edges are at most this many times the edges.
  private static let mostCopies = 4

  init(_ polygon: FencePolygon) {
    let rings = [polygon.outer] + polygon.holes
    var box = Box.empty
    var edges: [Edge] = []
    for ring in rings {
      var previous = ring.vertices.last
      for vertex in ring.vertices {
        if let previous { edges.append(Edge(previous, vertex)) }
        previous = vertex
        box.include(vertex)
      }
    }
    self.box = box
    let height = edges.isEmpty ? 0 : Int64(box.north) - Int64(box.south)
    let wanted = Int64(min(max(edges.count / 4, 1), Self.mostBands))
    var shift: Int32 = 0
    while (height >> Int64(shift)) >= wanted { shift += 1 }
    while Self.copies(of: edges, south: box.south, shift: shift) > edges.count * Self.mostCopies {
      shift += 1
    }
    self.shift = shift
    (self.edges, bandStarts) = Self.distribute(
      edges, south: box.south, shift: shift, bands: Int(height >> Int64(shift)) + 1)
  }

  /// Whether the point is inside the outer ring and in no hole, or on any edge. Where rings cross,
  /// which validated geometry never does, the even-odd rule decides.
  func contains(_ point: Coordinate) -> Bool {
    guard box.contains(point) else { return false }
    #if Canary
      if Canary.boxIsOutline.isPlanted { return true }
    #endif
    let (x, y) = (Int64(point.longitudeE7), Int64(point.latitudeE7))
    let band = Int((y - Int64(box.south)) >> Int64(shift))
    let range = Int(bandStarts[band])..<Int(bandStarts[band + 1])
    return edges.withUnsafeBufferPointer { edges in
      var isInside = false
      for index in range {
        let edge = edges[index]
        let (lowY, highY) = (Int64(edge.lowY), Int64(edge.highY))
        if y < lowY || y > highY { continue }
        let (lowX, highX) = (Int64(edge.lowX), Int64(edge.highX))
        let along = (highX - lowX) &* (y - lowY)
        let across = (highY - lowY) &* (x - lowX)
        if along == across {
          if lowY != highY || (x >= min(lowX, highX) && x <= max(lowX, highX)) { return true }
        } else if y < highY, across < along {
          isInside.toggle()
        }
      }
      return isInside
    }
  }

  private static func bands(of edge: Edge, south: Int32, shift: Int32) -> ClosedRange<Int> {
    let low = (Int64(edge.lowY) - Int64(south)) >> Int64(shift)
    let high = (Int64(edge.highY) - Int64(south)) >> Int64(shift)
    return Int(low)...Int(high)
  }

  private static func copies(of edges: [Edge], south: Int32, shift: Int32) -> Int {
    edges.reduce(0) { $0 + bands(of: $1, south: south, shift: shift).count }
  }

  private static func distribute(
    _ edges: [Edge], south: Int32, shift: Int32, bands: Int
  ) -> ([Edge], [Int32]) {
    var lists = [[Edge]](repeating: [], count: bands)
    for edge in edges {
      for band in Self.bands(of: edge, south: south, shift: shift) { lists[band].append(edge) }
    }
    var starts: [Int32] = [0]
    for list in lists { starts.append(starts[starts.count - 1] + Int32(list.count)) }
    return (lists.flatMap { $0 }, starts)
  }
}
