import MusterModel
import MusterTestKit
import Testing

@testable import MusterGeo

/// The winding number by 128-bit determinants: slow, and another algorithm than the one tested.
private enum Oracle {
  enum Side { case inside, outside, edge }

  static func side(of point: Coordinate, _ ring: Ring) -> Side {
    let (px, py) = (Int128(point.longitudeE7), Int128(point.latitudeE7))
    var winding = 0
    for (index, start) in ring.vertices.enumerated() {
      let end = ring.vertices[(index + 1) % ring.vertices.count]
      let (ax, ay) = (Int128(start.longitudeE7) - px, Int128(start.latitudeE7) - py)
      let (bx, by) = (Int128(end.longitudeE7) - px, Int128(end.latitudeE7) - py)
      let determinant = ax * by - ay * bx
      if determinant == 0, ax * bx <= 0, ay * by <= 0 { return .edge }
      if ay <= 0, by > 0, determinant > 0 { winding += 1 }
      if ay > 0, by <= 0, determinant < 0 { winding -= 1 }
    }
    return winding == 0 ? .outside : .inside
  }

  static func contains(_ point: Coordinate, _ polygon: FencePolygon) -> Bool {
    let outer = side(of: point, polygon.outer)
    let holes = polygon.holes.map { side(of: point, $0) }
    if outer == .edge || holes.contains(.edge) { return true }
    return outer == .inside && !holes.contains(.inside)
  }
}

/// A fence by itself, and the same under watch, which look at its edges in different ways.
private struct BothWays {
  private let fence: PreparedFence
  private let index: FenceIndex

  init(_ geometry: FenceGeometry) {
    fence = PreparedFence(geometry)
    index = FenceIndex([
      FenceUnderWatch(
        id: fenceID(1), version: version(1), isActive: true, fence: fence, mode: .careful,
        dwellSeconds: 0)
    ])
  }

  func contains(_ point: Coordinate) -> Bool {
    let isInside = fence.contains(point)
    #expect(index.positions(containing: point).isEmpty == !isInside, "\(point)")
    return isInside
  }
}

@Suite struct ContainmentTests {
  @Test func `A camp's fence holds its middle, its edges and its corners`() {
    let camp = BothWays(
      .polygons([FencePolygon(outer: square(around: (46, 14), half: 0.01))]))
    #expect(camp.contains(degrees(46, 14)))
    #expect(camp.contains(degrees(46.01, 14.003)), "on the northern edge")
    #expect(camp.contains(degrees(45.99, 14)), "on the southern edge")
    #expect(camp.contains(degrees(46.01, 14.01)), "on a corner")
    #expect(!camp.contains(degrees(46.0100001, 14)), "11 mm north of it")
    #expect(!camp.contains(degrees(46.01, 14.0100001)), "beside it, level with an edge")
  }

  @Test func `A lake in the fence is outside, its shore inside, an island in it inside again`() {
    let island = FencePolygon(outer: square(around: (46, 14), half: 0.001))
    let land = FencePolygon(
      outer: square(around: (46, 14), half: 0.02), holes: [square(around: (46, 14), half: 0.01)])
    let fence = BothWays(.polygons([land, island]))
    #expect(fence.contains(degrees(46, 14)), "on the island")
    #expect(!fence.contains(degrees(46, 14.005)), "in the water")
    #expect(fence.contains(degrees(46, 14.01)), "on the shore")
    #expect(fence.contains(degrees(46, 14.015)), "on the land")
    #expect(!fence.contains(degrees(46, 14.03)), "beyond")
  }

  @Test func `Fences that overlap in one multipolygon are joined`() {
    let parts = [(46.0, 14.0), (46.005, 14.0)].map {
      FencePolygon(outer: square(around: $0, half: 0.01))
    }
    #expect(BothWays(.polygons(parts)).contains(degrees(46.002, 14)))
  }

  @Test func `A fence split at the antimeridian holds its seam from either side`() {
    let eastern = FencePolygon(outer: ring((-18, 179), (-18, 180), (-17, 180), (-17, 179)))
    let western = FencePolygon(outer: ring((-18, -180), (-18, -179), (-17, -179), (-17, -180)))
    let taveuni = BothWays(.polygons([eastern, western]))
    #expect(taveuni.contains(degrees(-17.5, 180)))
    #expect(taveuni.contains(degrees(-17.5, -180)))
    #expect(BothWays(.polygons([eastern])).contains(degrees(-17.5, -180)))
    #expect(!taveuni.contains(degrees(-16.5, 180)))
  }

  @Test func `Geometry without area or without vertices holds at most its edges`() {
    #expect(!BothWays(.polygons([])).contains(degrees(0, 0)))
    #expect(!BothWays(.polygons([FencePolygon(outer: Ring([]))])).contains(degrees(0, 0)))
    let point = BothWays(.polygons([FencePolygon(outer: ring((1, 2)))]))
    #expect(point.contains(degrees(1, 2)))
    #expect(!point.contains(degrees(1, 3)))
    let line = BothWays(.polygons([FencePolygon(outer: ring((0, 0), (2, 2)))]))
    #expect(line.contains(degrees(1, 1)))
    #expect(!line.contains(degrees(1, 1.0000001)))
  }

  @Test func `Triangles of a small lattice agree with the oracle at every lattice point`() {
    var random = SplitMix64(seed: 1)
    var wrong: [String] = []
    for _ in 0..<100 {
      let vertices = (0..<3).map { _ in random.place(within: 8, of: place(0, 0)) }
      let polygon = FencePolygon(outer: Ring(vertices))
      let fence = BothWays(.polygons([polygon]))
      for y in Int64(-9)...9 {
        for x in Int64(-9)...9 {
          let point = place(y, x)
          if fence.contains(point) != Oracle.contains(point, polygon) {
            wrong.append("\(point) in \(vertices)")
          }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test(arguments: [4, 8, 50, 400, 1000])
  func `Random stars with a hole agree with the oracle`(vertices: Int) {
    var random = SplitMix64(seed: UInt64(vertices))
    for _ in 0..<4 {
      let center = place(
        Int64.random(in: -800_000_000...800_000_000, using: &random),
        Int64.random(in: -1_700_000_000...1_700_000_000, using: &random))
      let outer = random.star(around: center, size: 9_000_000, vertices: vertices)
      let hole = random.star(around: center, size: 2_000_000, vertices: vertices)
      let polygon = FencePolygon(outer: outer, holes: [hole])
      let fence = BothWays(.polygons([polygon]))
      let vertices = outer.vertices + hole.vertices
      #expect(vertices.allSatisfy(fence.contains))
      let levelWithVertices = vertices.prefix(200).map {
        place(Int64($0.latitudeE7), Int64(center.longitudeE7))
      }
      let points =
        levelWithVertices
        + (0..<200).map { _ in
          random.place(within: 10_000_000, of: center)
        }
      let wrong = points.filter { fence.contains($0) != Oracle.contains($0, polygon) }
      #expect(wrong.isEmpty)
    }
  }

  @Test func `Triangles as large as the world do not overflow`() {
    var random = SplitMix64(seed: 3)
    func anywhere() -> Coordinate {
      place(
        Int64.random(in: -900_000_000...900_000_000, using: &random),
        Int64.random(in: -1_800_000_000...1_800_000_000, using: &random))
    }
    let world = FencePolygon(outer: ring((-90, -180), (-90, 180), (90, 180), (90, -180)))
    for _ in 0..<500 {
      let polygon = FencePolygon(outer: Ring([anywhere(), anywhere(), anywhere()]))
      let point = anywhere()
      #expect(BothWays(.polygons([polygon])).contains(point) == Oracle.contains(point, polygon))
      #expect(BothWays(.polygons([world])).contains(point))
    }
    let half = FencePolygon(outer: ring((-90, -180), (90, 180), (-90, 180)))
    #expect(BothWays(.polygons([half])).contains(place(0, 0)), "on the diagonal")
    #expect(BothWays(.polygons([half])).contains(place(1, 2)), "on the diagonal")
    #expect(!BothWays(.polygons([half])).contains(place(1, 1)), "1e-7 degree above it")
    #expect(BothWays(.polygons([half])).contains(place(0, 1)), "1e-7 degree below it")
  }

  @Test func `A circle holds what is within its radius`() {
    let center = degrees(46.0569, 14.5058)
    let fence = BothWays(.circle(center: center, radiusCentimetres: 50_000))
    #expect(fence.contains(center))
    // One degree of latitude is 111,150 m here: 500 m are 0.0044984 degrees.
    #expect(fence.contains(degrees(46.0569 + 0.00449, 14.5058)))
    #expect(!fence.contains(degrees(46.0569 + 0.00451, 14.5058)))
  }

  @Test func `A circle's bounds contain every point inside by distance`() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<1000 {
      let center = place(
        Int64.random(in: -900_000_000...900_000_000, using: &random),
        Int64.random(in: -1_800_000_000...1_800_000_000, using: &random))
      let point = place(
        Int64.random(in: -900_000_000...900_000_000, using: &random),
        Int64.random(in: -1_800_000_000...1_800_000_000, using: &random))
      let radius = UInt32((Geodesic.distanceMetres(from: center, to: point) * 100).rounded(.up))
      let circle = BothWays(.circle(center: center, radiusCentimetres: radius))
      #expect(circle.contains(point), "\(center) \(point) \(radius)")
    }
  }
}
