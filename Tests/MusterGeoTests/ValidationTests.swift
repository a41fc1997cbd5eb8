import MusterGeo
import MusterModel
import MusterTestKit
import Testing

/// The one-line refusal of an outline; nil when it is accepted.
private func refusal(_ outer: Ring, holes: Ring...) -> String? {
  refusal([FencePolygon(outer: outer, holes: holes)])
}

private func refusal(_ polygons: [FencePolygon]) -> String? {
  do {
    _ = try FenceGeometry.validated(polygons: polygons)
    return nil
  } catch {
    return error.description
  }
}

private func accepted(_ outer: Ring, holes: Ring...) throws -> FencePolygon {
  let geometry = try FenceGeometry.validated(polygons: [FencePolygon(outer: outer, holes: holes)])
  guard case .polygons(let polygons) = geometry else { fatalError("\(geometry)") }
  return polygons[0]
}

@Suite struct ValidationTests {
  // MARK: The one form

  @Test func `A closing vertex and repeated ones are dropped`() throws {
    let drawn = ring((0, 0), (0, 0), (0, 1), (1, 1), (1, 1), (1, 1), (1, 0), (0, 0), (0, 0))
    #expect(try accepted(drawn).outer == ring((0, 0), (0, 1), (1, 1), (1, 0)))
  }

  @Test func `Outer rings turn counter-clockwise and holes clockwise, from the same vertex`() throws
  {
    // Latitude first: north, then east, is clockwise.
    let clockwise = ring((0, 0), (9, 0), (9, 9), (0, 9))
    let counter = ring((0, 0), (0, 9), (9, 9), (9, 0))
    #expect(try accepted(clockwise).outer == counter)
    #expect(try accepted(counter).outer == counter)
    let hole = ring((1, 1), (1, 2), (2, 2))
    let turned = ring((1, 1), (2, 2), (1, 2))
    #expect(try accepted(counter, holes: hole).holes == [turned])
    #expect(try accepted(counter, holes: turned).holes == [turned])
  }

  @Test func `What is valid stays as it is when it is validated again`() throws {
    var random = SplitMix64(seed: 4)
    let star = random.star(around: degrees(46, 14), size: 100_000, vertices: 40)
    let once = try FenceGeometry.validated(polygons: [FencePolygon(outer: star)])
    #expect(try once.validated() == once)
  }

  // MARK: One ring

  @Test func `Two different points make no ring`() {
    #expect(
      refusal(ring((0, 0), (1, 1), (1, 1), (0, 0)))
        == "polygon 0, outer ring: the ring has 2 different vertices and needs 3")
    #expect(
      refusal(ring()) == "polygon 0, outer ring: the ring has 0 different vertices and needs 3")
    #expect(refusal([]) == "the outline has no polygon: at least one is required")
  }

  @Test func `Points on one line have no inside`() {
    #expect(
      refusal(ring((0, 0), (1, 1), (3, 3)))
        == "polygon 0, outer ring: all vertices of the ring are on one line: it has no inside")
  }

  @Test func `A bow tie is refused with both edges, counted as they were drawn`() {
    let bowTie = ring((0, 0), (0, 0), (1, 1), (1, 0), (0, 1))
    #expect(
      refusal(bowTie)
        == "polygon 0, outer ring, vertex 0: the edge from here crosses the edge from "
        + "polygon 0, outer ring, vertex 3: a ring may not meet itself")
  }

  @Test func `A ring that touches itself, or doubles back, is refused`() throws {
    // Two triangles that share the vertex (1, 1).
    let eight = ring((0, 0), (0, 2), (1, 1), (2, 2), (2, 0), (1, 1))
    #expect(refusal(eight)?.contains("touches") == true)
    let onEdge = ring((0, 0), (0, 4), (4, 4), (0, 2), (4, 0))
    #expect(refusal(onEdge)?.contains("touches") == true)
    let spike = ring((0, 0), (0, 4), (4, 4), (8, 4), (4, 4), (4, 0))
    #expect(refusal(spike)?.contains("a ring may not meet itself") == true)
    let straight = ring((0, 0), (0, 2), (0, 4), (4, 4))
    #expect(refusal(straight) == nil, "a vertex on a straight line does no harm")
  }

  @Test func `An outline that jumps across the antimeridian is refused`() {
    let taveuni = ring((-17, 179.9), (-17, -179.9), (-16, -179.9), (-16, 179.9))
    #expect(
      refusal(taveuni) == "polygon 0, outer ring, vertex 0: the edge from here spans over 180° of "
        + "longitude: split the outline at the antimeridian")
    let antarctica = ring((-90, -180), (-90, 180), (-80, 180), (-70, 0), (-80, -180))
    #expect(refusal(antarctica) == nil, "round a whole parallel")
  }

  @Test func `Rings and fences that are too long are refused`() {
    let half = Limits.verticesPerRing / 2
    /// A strip of so many vertices, and two more when `extra` is set.
    func strip(extra: Int, at latitude: Int64 = 0) -> Ring {
      let count = Int64(half + extra)
      let south = (0..<count).map { place(latitude + $0 % 2, $0 * 10) }
      let north = (0..<count).reversed().map { place(latitude + 10 + $0 % 2, $0 * 10) }
      return Ring(south + north)
    }
    #expect(refusal(strip(extra: 0)) == nil)
    #expect(
      refusal(strip(extra: 1))
        == "polygon 0, outer ring: the ring has 1002 vertices and may have 1000: simplify it")
    let eight = (0..<8).map { FencePolygon(outer: strip(extra: 0, at: $0 * 100)) }
    #expect(refusal(Array(eight.prefix(7))) == nil)
    #expect(refusal(eight) == "the fence has 8000 vertices and may have 7000: simplify it")
    let triangles = (0...Limits.ringsPerFence).map { _ in
      FencePolygon(outer: ring((0, 0), (0, 1), (1, 1)))
    }
    #expect(refusal(triangles) == "the fence has 201 rings and may have 200: split it into several")
    #expect(refusal(Array(triangles.dropLast())) == nil)
  }

  @Test func `The longest outlines are judged in no time`() throws {
    // A comb of 250 teeth, each as long as the whole: the boxes of all edges overlap on one axis.
    for isUpright in [true, false] {
      var corners: [(across: Int64, along: Int64)] = []
      for tooth in Int64(0)..<250 {
        corners += [(4 * tooth, 10), (4 * tooth, 90_000)]
        corners += [(4 * tooth + 2, 90_000), (4 * tooth + 2, 10)]
      }
      corners[0].along = 0
      corners[999].along = 0
      let vertices = corners.map {
        isUpright ? place($0.along, $0.across) : place($0.across, $0.along)
      }
      let clock = ContinuousClock()
      let took = try clock.measure { _ = try accepted(Ring(vertices)) }
      #expect(took < .seconds(60), "milliseconds on an idle machine")
    }
  }

  // MARK: Holes

  private let land = square(around: (0, 0), half: 4)

  @Test func `A hole outside its ring, or across it, is refused`() {
    #expect(refusal(land, holes: square(around: (0, 0), half: 1)) == nil)
    #expect(
      refusal(land, holes: square(around: (9, 9), half: 1))
        == "polygon 0, hole 1, vertex 0: the hole is outside the outer ring here: "
        + "move it inside or remove it")
    #expect(refusal(land, holes: square(around: (0, 0), half: 9))?.contains("is outside") == true)
    #expect(refusal(land, holes: square(around: (4, 0), half: 1))?.contains("crosses") == true)
    #expect(refusal(land, holes: land)?.contains("overlaps") == true)
  }

  @Test func `A hole may touch its ring at single points, not along an edge`() {
    #expect(refusal(land, holes: ring((4, 0), (1, 1), (1, -1))) == nil, "on an edge")
    #expect(refusal(land, holes: ring((4, 4), (1, 1), (1, 2))) == nil, "on a vertex")
    #expect(refusal(land, holes: ring((4, 0), (0, 4), (0, 0))) == nil, "twice")
    #expect(refusal(land, holes: ring((4, -1), (4, 1), (1, 0)))?.contains("overlaps") == true)
    #expect(
      refusal(land, holes: ring((4, 0), (6, 1), (6, -1)))?.contains("is outside") == true,
      "touching from outside")
  }

  @Test func `A hole that leaves its ring through touching points is found out`() {
    // A notch in the east; the hole's edge bridges it from vertex to vertex.
    let notched = ring((-4, -4), (-4, 4), (-1, 4), (0, 1), (1, 4), (4, 4), (4, -4))
    #expect(refusal(notched, holes: ring((-1, 4), (1, 4), (0, -2)))?.contains("is outside") == true)
    #expect(refusal(notched, holes: ring((-1, 4), (1, 4), (0, 1)))?.contains("overlaps") == true)
    #expect(
      refusal(notched, holes: ring((-1, 4), (0, 2), (1, 4)))?.contains("is outside") == true)
    #expect(refusal(notched, holes: ring((0, 1), (-2, 0), (2, 0))) == nil)
  }

  @Test func `Holes may touch one another at a point, and nothing more`() {
    let west = ring((0, -2), (1, -1), (0, 0), (-1, -1))
    #expect(refusal(land, holes: west, ring((0, 0), (1, 1), (0, 2), (-1, 1))) == nil)
    #expect(
      refusal(land, holes: west, square(around: (0, -1), half: 0.1))
        == "polygon 0, hole 2, vertex 0: the hole lies in hole 1 here: join the two")
    #expect(
      refusal(land, holes: square(around: (0, -1), half: 0.1), west)
        == "polygon 0, hole 1, vertex 0: the hole lies in hole 2 here: join the two")
    #expect(refusal(land, holes: west, ring((0, -1), (1, 1), (0, 2)))?.contains("crosses") == true)
    #expect(
      refusal(land, holes: west, ring((0, 0), (0.1, -1), (-0.1, -1)))?.contains("lies in") == true,
      "inside, and touching a vertex")
  }

  @Test func `Polygons of one fence may overlap`() {
    #expect(refusal([FencePolygon(outer: land), FencePolygon(outer: land)]) == nil)
  }

  @Test func `The second polygon is named`() {
    let bad = FencePolygon(outer: land, holes: [ring((0, 0), (1, 1), (2, 2))])
    #expect(refusal([FencePolygon(outer: land), bad])?.hasPrefix("polygon 1, hole 1:") == true)
  }

  // MARK: Circles

  @Test func `A circle needs a radius, and not more than the Earth has`() throws {
    let center = degrees(46, 14)
    let largest = Limits.circleRadiusCentimetres
    for radius in [1, largest] {
      let circle = FenceGeometry.circle(center: center, radiusCentimetres: radius)
      #expect(try circle.validated() == circle)
    }
    for (radius, reason) in [(UInt32(0), "zero"), (largest + 1, "is over 20000000 m")] {
      #expect {
        try FenceGeometry.circle(center: center, radiusCentimetres: radius).validated()
      } throws: { "\($0)".contains(reason) }
    }
  }

  // MARK: Against all pairs

  @Test func `Random rings on a small lattice agree with comparing every pair of edges`() throws {
    var random = SplitMix64(seed: 8)
    var (valid, invalid) = (0, 0)
    for _ in 0..<3000 {
      let count = Int.random(in: 3...6, using: &random)
      let vertices = (0..<count).map { _ in random.place(within: 3, of: place(0, 0)) }
      let isValid = refusal(Ring(vertices)) == nil
      #expect(isValid == isSimple(vertices), "\(vertices)")
      if isValid { valid += 1 } else { invalid += 1 }
    }
    #expect(valid > 300 && invalid > 300)
  }

  /// Whether no two edges share more than the vertex between neighbours, solving each pair of edges
  /// with fractions.
  private func isSimple(_ drawn: [Coordinate]) -> Bool {
    var ring: [Coordinate] = []
    for vertex in drawn where vertex != ring.last { ring.append(vertex) }
    while ring.count > 1, ring.first == ring.last { ring.removeLast() }
    let count = ring.count
    if count < 3 { return false }
    for i in 0..<count {
      for j in (i + 1)..<count {
        let shared = shares(ring[i], ring[(i + 1) % count], ring[j], ring[(j + 1) % count])
        let isNeighbour = j == i + 1 || (i == 0 && j == count - 1)
        if shared > (isNeighbour ? 1 : 0) { return false }
      }
    }
    return true
  }

  /// How many points two segments share: 0, 1, or 2 for many.
  private func shares(_ a: Coordinate, _ b: Coordinate, _ c: Coordinate, _ d: Coordinate) -> Int {
    func x(_ p: Coordinate) -> Int { Int(p.longitudeE7) }
    func y(_ p: Coordinate) -> Int { Int(p.latitudeE7) }
    let (ux, uy, vx, vy) = (x(b) - x(a), y(b) - y(a), x(d) - x(c), y(d) - y(c))
    let (wx, wy) = (x(c) - x(a), y(c) - y(a))
    let determinant = ux * vy - uy * vx
    if determinant != 0 {
      let (t, s) = (wx * vy - wy * vx, wx * uy - wy * ux)
      let sign = determinant.signum()
      let isOnBoth =
        (0...abs(determinant)).contains(t * sign) && (0...abs(determinant)).contains(s * sign)
      return isOnBoth ? 1 : 0
    }
    if wx * uy - wy * ux != 0 { return 0 }
    let length = ux * ux + uy * uy
    let (first, second) = (wx * ux + wy * uy, (wx + vx) * ux + (wy + vy) * uy)
    let (low, high) = (max(0, min(first, second)), min(length, max(first, second)))
    return low > high ? 0 : low == high ? 1 : 2
  }
}
