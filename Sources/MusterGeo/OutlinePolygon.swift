internal import MusterModel

/// Validation of an outer ring with its holes: first that no edges meet in an invalid way, then
/// that the holes are inside.
struct OutlinePolygon {
  private let rings: [OutlineRing]

  init(_ rings: [OutlineRing]) { self.rings = rings }

  /// Throws the first fault found.
  func check() throws(GeometryFault) {
    let touching = try meetings()
    for hole in rings.indices.dropFirst() {
      let mayTouch = touching.contains(RingPair(0, hole))
      let outside = rings[hole].firstVertex(inside: false, of: rings[0], mayTouch: mayTouch)
      if let outside { throw rings[hole].fault(.holeOutside, at: outside) }
    }
    for first in rings.indices.dropFirst() {
      for second in rings.indices.dropFirst(first + 1)
      where rings[first].box.overlaps(rings[second].box) {
        let mayTouch = touching.contains(RingPair(first, second))
        try checkApart(rings[first], rings[second], mayTouch: mayTouch)
        try checkApart(rings[second], rings[first], mayTouch: mayTouch)
      }
    }
  }

  private func checkApart(
    _ hole: OutlineRing, _ other: OutlineRing, mayTouch: Bool
  ) throws(GeometryFault) {
    if let inside = hole.firstVertex(inside: true, of: other, mayTouch: mayTouch) {
      throw hole.fault(.holesOverlap(other: other.ring), at: inside)
    }
  }

  // MARK: Meetings

  private struct RingPair: Hashable {
    let low: Int
    let high: Int

    init(_ first: Int, _ second: Int) { (low, high) = (min(first, second), max(first, second)) }
  }

  private struct Edge {
    let ring: Int
    let vertex: Int
    let segment: Segment
    let box: Box
    /// The extent on the axis along which the edges are sorted.
    var low: Int32 = 0
    var high: Int32 = 0
  }

  /// Compares edges with overlapping boxes: sorted along the axis with less overlap, each is
  /// compared with those that begin before it ends. Returns the rings that touch.
  private func meetings() throws(GeometryFault) -> Set<RingPair> {
    var edges: [Edge] = []
    var (width, height) = (Int64(0), Int64(0))
    for (ring, outline) in rings.enumerated() {
      for (vertex, segment) in outline.segments.enumerated() {
        let box = segment.box
        edges.append(Edge(ring: ring, vertex: vertex, segment: segment, box: box))
        width += Int64(box.east) - Int64(box.west)
        height += Int64(box.north) - Int64(box.south)
      }
    }
    let isEastward = width <= height
    for index in edges.indices {
      let box = edges[index].box
      edges[index].low = isEastward ? box.west : box.south
      edges[index].high = isEastward ? box.east : box.north
    }
    edges.sort { ($0.low, $0.ring, $0.vertex) < ($1.low, $1.ring, $1.vertex) }
    var touching: Set<RingPair> = []
    for index in edges.indices {
      let edge = edges[index]
      var next = index + 1
      while next < edges.count, edges[next].low <= edge.high {
        if edge.box.overlaps(edges[next].box), try check(edge, edges[next]) {
          touching.insert(RingPair(edge.ring, edges[next].ring))
        }
        next += 1
      }
    }
    return touching
  }

  /// Returns whether two edges of different rings touch; throws if edges meet in an invalid way.
  private func check(_ first: Edge, _ second: Edge) throws(GeometryFault) -> Bool {
    guard let meeting = first.segment.meeting(with: second.segment) else { return false }
    if meeting == .touch {
      if first.ring != second.ring { return true }
      let count = rings[first.ring].vertices.count
      let isNext =
        (first.vertex + 1) % count == second.vertex || (second.vertex + 1) % count == first.vertex
      if isNext { return false }
    }
    let isFirst = (first.ring, first.vertex) < (second.ring, second.vertex)
    let (low, high) = isFirst ? (first, second) : (second, first)
    throw rings[low.ring].fault(
      .edgesMeet(meeting, other: rings[high.ring].place(of: high.vertex)), at: low.vertex)
  }
}
