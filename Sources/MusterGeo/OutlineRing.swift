internal import MusterModel

/// A ring without repeated vertices that keeps the index of each vertex in the input, so that a
/// fault refers to the vertex as the author entered it.
struct OutlineRing {
  let polygon: Int
  let ring: Int
  private(set) var vertices: [Coordinate] = []
  /// The indices of `vertices` in the input.
  private var origins: [Int] = []
  let box: Box

  /// Throws the faults of one ring alone, except self-intersection.
  init(_ input: Ring, polygon: Int, ring: Int) throws(GeometryFault) {
    self.polygon = polygon
    self.ring = ring
    for (index, vertex) in input.vertices.enumerated() where vertex != vertices.last {
      vertices.append(vertex)
      origins.append(index)
    }
    while vertices.count > 1, vertices.first == vertices.last {
      vertices.removeLast()
      origins.removeLast()
    }
    box = vertices.reduce(into: Box.empty) { $0.include($1) }
    if vertices.count > Limits.verticesPerRing { throw fault(.ringTooLong(vertices.count)) }
    if vertices.count < 3 { throw fault(.tooFewPoints(vertices.count)) }
    for (index, edge) in segments.enumerated() {
      let span = abs(Int64(edge.end.longitudeE7) - Int64(edge.start.longitudeE7))
      // An edge along a parallel around the globe is how a map frame closes at a pole.
      if span > 1_800_000_000, span < 3_600_000_000 { throw fault(.acrossAntimeridian, at: index) }
    }
    let first = Segment(start: vertices[0], end: vertices[1])
    if vertices.allSatisfy({ first.isInLine(with: $0) }) { throw fault(.noArea) }
  }

  /// Edge i begins at vertex i.
  var segments: [Segment] {
    vertices.indices.map { Segment(start: vertices[$0], end: vertices[($0 + 1) % vertices.count]) }
  }

  func place(of vertex: Int?) -> GeometryFault.Place {
    GeometryFault.Place(polygon: polygon, ring: ring, vertex: vertex.map { origins[$0] })
  }

  func fault(_ reason: GeometryFault.Reason, at vertex: Int? = nil) -> GeometryFault {
    GeometryFault(reason: reason, place: place(of: vertex))
  }

  /// Outer rings counter-clockwise and holes clockwise (RFC 7946 §3.1.6), from the same vertex.
  var oriented: Ring {
    let isCounterClockwise = doubledArea > 0
    if isCounterClockwise == (ring == 0) { return Ring(vertices) }
    return Ring([vertices[0]] + vertices.dropFirst().reversed())
  }

  /// Positive when counter-clockwise.
  private var doubledArea: Int128 {
    segments.reduce(0) { sum, edge in
      sum + Int128(edge.start.longitudeE7) * Int128(edge.end.latitudeE7)
        - Int128(edge.end.longitudeE7) * Int128(edge.start.latitudeE7)
    }
  }

  // MARK: Relation to another ring

  /// Returns the first vertex of this ring, away from the points where the two touch, that is on
  /// the given side of the other ring. The two MUST NOT cross or overlap, so that a ring stays on
  /// one side between touches; without touches, one vertex decides.
  func firstVertex(inside wanted: Bool, of other: OutlineRing, mayTouch: Bool) -> Int? {
    guard mayTouch else { return other.encloses(Midpoint(vertices[0])) == wanted ? 0 : nil }
    for (index, edge) in segments.enumerated() {
      let stops = other.vertices.filter { edge.holds($0) } + [edge.start, edge.end]
      let ordered = stops.sorted()
      for (from, to) in zip(ordered, ordered.dropFirst()) where from != to {
        if other.encloses(Midpoint(from, to)) == wanted { return index }
      }
    }
    return nil
  }

  /// Half-way between two vertices, in halves of 1e-7 degree.
  private struct Midpoint {
    let x: Int128
    let y: Int128

    init(_ vertex: Coordinate) { self.init(vertex, vertex) }

    init(_ start: Coordinate, _ end: Coordinate) {
      x = Int128(start.longitudeE7) + Int128(end.longitudeE7)
      y = Int128(start.latitudeE7) + Int128(end.latitudeE7)
    }
  }

  /// Returns whether a point that is on no edge is inside, by the even-odd rule.
  private func encloses(_ point: Midpoint) -> Bool {
    var isInside = false
    for edge in segments {
      let (ax, ay) = (2 * Int128(edge.start.longitudeE7), 2 * Int128(edge.start.latitudeE7))
      let (bx, by) = (2 * Int128(edge.end.longitudeE7), 2 * Int128(edge.end.latitudeE7))
      guard (ay > point.y) != (by > point.y) else { continue }
      let along = (bx - ax) * (point.y - ay)
      let across = (point.x - ax) * (by - ay)
      if (across < along) == (by > ay) { isInside.toggle() }
    }
    return isInside
  }
}
