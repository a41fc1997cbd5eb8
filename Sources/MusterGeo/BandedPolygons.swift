internal import MusterModel

/// Polygons cut into horizontal bands that each list the edges that reach into them, so that a
/// point is compared with a few edges rather than with all. Those of many fences lie in the same
/// three arrays, so that finding the edges takes three steps in memory and counts no references.
///
/// The test is exact. An edge's side is decided by comparing two products of a longitude
/// difference (at most 3.6e9) and a latitude difference (at most 1.8e9); each is at most 6.5e18
/// and fits 64 bits, and comparing them, unlike subtracting, cannot overflow.
struct BandedPolygons: Sendable {
  private struct Polygon: Sendable {
    let box: Box
    /// A band is 2^`shift` units high.
    let shift: UInt8
    /// Its lowest band's place in `bandStarts`.
    var firstBand: Int
    /// Its first edge's place in `edges`.
    var firstEdge: Int
  }

  /// An edge with its southern end first.
  private struct Edge: Sendable {
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

    /// The bands that it reaches into.
    func bands(south: Int32, shift: UInt8) -> ClosedRange<Int> {
      let low = (Int64(lowY) - Int64(south)) >> Int64(shift)
      let high = (Int64(highY) - Int64(south)) >> Int64(shift)
      return Int(low)...Int(high)
    }
  }

  private var polygons: [Polygon] = []
  /// Where each band's edges begin, counted from the polygon's first. A polygon's bands are
  /// followed by where its last one ends.
  private var bandStarts: [UInt32] = []
  /// The edges of a polygon's lowest band, then those of the next, and so on; an edge stands in
  /// each band it enters.
  private var edges: [Edge] = []

  private static let mostBands = 64
  /// Bands are made taller until the copies of edges are at most this many times the edges.
  private static let mostCopies = 4

  /// No polygons yet.
  init() {}

  var count: Int { polygons.count }

  func box(of polygon: Int) -> Box { polygons[polygon].box }

  /// Whether the point is inside the outer ring and in no hole, or on any edge. Where rings cross,
  /// which validated geometry never does, the even-odd rule decides.
  func contains(_ point: Coordinate, in polygon: Int) -> Bool {
    let polygon = polygons[polygon]
    guard polygon.box.contains(point) else { return false }
    #if Canary
      if Canary.boxIsOutline.isPlanted { return true }
    #endif
    let (x, y) = (Int64(point.longitudeE7), Int64(point.latitudeE7))
    let band =
      polygon.firstBand + Int((y - Int64(polygon.box.south)) >> Int64(polygon.shift))
    let range =
      polygon.firstEdge + Int(bandStarts[band])..<polygon.firstEdge + Int(bandStarts[band + 1])
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

  // MARK: Building

  mutating func append(_ polygon: FencePolygon) {
    var box = Box.empty
    var drawn: [Edge] = []
    for ring in [polygon.outer] + polygon.holes {
      var previous = ring.vertices.last
      for vertex in ring.vertices {
        if let previous { drawn.append(Edge(previous, vertex)) }
        previous = vertex
        box.include(vertex)
      }
    }
    let height = drawn.isEmpty ? 0 : Int64(box.north) - Int64(box.south)
    let wanted = Int64(min(max(drawn.count / 4, 1), Self.mostBands))
    var shift: UInt8 = 0
    while (height >> Int64(shift)) >= wanted { shift += 1 }
    while Self.copies(of: drawn, south: box.south, shift: shift) > drawn.count * Self.mostCopies {
      shift += 1
    }
    polygons.append(
      Polygon(box: box, shift: shift, firstBand: bandStarts.count, firstEdge: edges.count))
    distribute(drawn, south: box.south, shift: shift, bands: Int(height >> Int64(shift)) + 1)
  }

  /// Polygons of other fences, in this order.
  init(gathering parts: [(polygon: Int, of: BandedPolygons)]) {
    polygons.reserveCapacity(parts.count)
    bandStarts.reserveCapacity(parts.reduce(0) { $0 + $1.of.bands(of: $1.polygon).count })
    edges.reserveCapacity(parts.reduce(0) { $0 + $1.of.edges(of: $1.polygon).count })
    for (index, other) in parts {
      var polygon = other.polygons[index]
      (polygon.firstBand, polygon.firstEdge) = (bandStarts.count, edges.count)
      polygons.append(polygon)
      bandStarts += other.bandStarts[other.bands(of: index)]
      edges += other.edges[other.edges(of: index)]
    }
  }

  private func bands(of polygon: Int) -> Range<Int> {
    let isLast = polygon + 1 == polygons.count
    return polygons[polygon]
      .firstBand..<(isLast ? bandStarts.count : polygons[polygon + 1].firstBand)
  }

  private func edges(of polygon: Int) -> Range<Int> {
    let isLast = polygon + 1 == polygons.count
    return polygons[polygon].firstEdge..<(isLast ? edges.count : polygons[polygon + 1].firstEdge)
  }

  private static func copies(of edges: [Edge], south: Int32, shift: UInt8) -> Int {
    edges.reduce(0) { $0 + $1.bands(south: south, shift: shift).count }
  }

  private mutating func distribute(_ drawn: [Edge], south: Int32, shift: UInt8, bands: Int) {
    var lists = [[Edge]](repeating: [], count: bands)
    for edge in drawn {
      for band in edge.bands(south: south, shift: shift) { lists[band].append(edge) }
    }
    let first = edges.count
    for list in lists {
      bandStarts.append(UInt32(edges.count - first))
      edges += list
    }
    bandStarts.append(UInt32(edges.count - first))
  }
}
