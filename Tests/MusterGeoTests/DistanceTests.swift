import MusterGeo
import MusterModel
import MusterTestKit
import Testing

@Suite struct DistanceTests {
  private let camp = FenceGeometry.polygons([
    FencePolygon(
      outer: square(around: (60, 24), half: 0.01), holes: [square(around: (60, 24), half: 0.001)])
  ])

  @Test func `The distance to an edge is geodesic, from inside and from outside`() {
    let edge = degrees(60.01, 24)
    for latitude in [60.02, 60.0101, 60.009] {
      let point = degrees(latitude, 24)
      let expected = Geodesic.distanceMetres(from: point, to: edge)
      #expect(abs(camp.distanceToEdgeMetres(from: point) - expected) < 0.001, "\(latitude)")
    }
    #expect(camp.distanceToEdgeMetres(from: degrees(60.01, 24.005)) == 0, "on the edge")
  }

  @Test func `A corner and a hole's edge count too`() {
    let corner = degrees(60.01, 24.01)
    let point = degrees(60.011, 24.012)
    let expected = Geodesic.distanceMetres(from: point, to: corner)
    #expect(abs(camp.distanceToEdgeMetres(from: point) - expected) < 0.001)
    let shore = Geodesic.distanceMetres(from: degrees(60, 24.0005), to: degrees(60, 24.001))
    #expect(abs(camp.distanceToEdgeMetres(from: degrees(60, 24.0005)) - shore) < 0.001)
  }

  @Test func `A fence on the other side of the antimeridian is near`() {
    let eastern = FenceGeometry.polygons([
      FencePolygon(outer: ring((-18, 179), (-18, 179.99), (-17, 179.99), (-17, 179)))
    ])
    let expected = Geodesic.distanceMetres(
      from: degrees(-17.5, -179.99), to: degrees(-17.5, 179.99))
    #expect(abs(eastern.distanceToEdgeMetres(from: degrees(-17.5, -179.99)) - expected) < 0.01)
  }

  @Test func `The way to a zone has a distance and a bearing`() throws {
    let west = try #require(camp.approach(from: degrees(60, 23.98)))
    #expect(abs(west.bearingDegrees - 90) < 0.1)
    #expect(
      abs(
        west.distanceMetres
          - Geodesic.distanceMetres(from: degrees(60, 23.98), to: degrees(60, 23.99))) < 0.01)
    let circle = FenceGeometry.circle(center: degrees(10, 20), radiusCentimetres: 50_000)
    let north = try #require(circle.approach(from: degrees(10.01, 20)))
    #expect(abs(north.bearingDegrees - 180) < 0.01)
    #expect(
      abs(
        north.distanceMetres + 500
          - Geodesic.distanceMetres(from: degrees(10, 20), to: degrees(10.01, 20))) < 0.01)
    #expect(FenceGeometry.polygons([]).approach(from: degrees(1, 1)) == nil)
  }

  @Test func `The way across the antimeridian is the short one`() throws {
    let eastern = FenceGeometry.polygons([
      FencePolygon(outer: ring((-18, 179), (-18, 179.99), (-17, 179.99), (-17, 179)))
    ])
    let way = try #require(eastern.approach(from: degrees(-17.5, -179.99)))
    #expect(abs(way.bearingDegrees - 270) < 0.1 && way.distanceMetres < 3000)
    let circle = FenceGeometry.circle(center: degrees(-17, 179.99), radiusCentimetres: 100)
    let round = try #require(circle.approach(from: degrees(-17, -179.99)))
    #expect(abs(round.bearingDegrees - 270) < 0.1 && round.distanceMetres < 3000)
  }

  @Test func `A distance within a limit is that to the fence, and 0 inside`() {
    let fence = PreparedFence(camp)
    #expect(fence.distanceMetres(from: degrees(60.005, 24.005), within: 10) == 0)
    let near = degrees(60.0101, 24)
    let metres = camp.distanceToEdgeMetres(from: near)
    #expect(fence.distanceMetres(from: near, within: metres + 0.01) == metres)
    #expect(fence.distanceMetres(from: near, within: metres - 0.01) == nil)
    #expect(fence.distanceMetres(from: degrees(60, 24), within: 100) ?? 0 > 50, "in the hole")
    #expect(fence.distanceMetres(from: degrees(20, 24), within: 1000) == nil)
  }

  @Test func `The nearest of many places along the edges is found`() {
    var random = SplitMix64(seed: 33)
    for _ in 0..<30 {
      let center = place(
        Int64.random(in: -700_000_000...700_000_000, using: &random),
        Int64.random(in: -1_800_000_000...1_800_000_000, using: &random))
      let far = Int64(center.longitudeE7).magnitude > 1_799_000_000
      if far { continue }
      let outer = random.star(around: center, size: 200_000, vertices: 20)
      let point = random.place(within: 400_000, of: center)
      var nearest = Double.infinity
      for (index, start) in outer.vertices.enumerated() {
        let end = outer.vertices[(index + 1) % outer.vertices.count]
        for step in 0...100 {
          let fraction = Double(step) / 100
          let latitude = start.latitude + fraction * (end.latitude - start.latitude)
          let longitude = start.longitude + fraction * (end.longitude - start.longitude)
          nearest = min(
            nearest, Geodesic.distanceMetres(from: point, to: degrees(latitude, longitude)))
        }
      }
      let found = FenceGeometry.polygons([FencePolygon(outer: outer)])
        .distanceToEdgeMetres(from: point)
      #expect(abs(found - nearest) < 30 + nearest / 100, "\(found), not \(nearest)")
    }
  }

  @Test func `A circle's edge is its radius away from its middle`() {
    let circle = FenceGeometry.circle(center: degrees(46, 14), radiusCentimetres: 12_345)
    #expect(abs(circle.distanceToEdgeMetres(from: degrees(46, 14)) - 123.45) < 1e-9)
    let beyond = degrees(46.01, 14)
    let expected = Geodesic.distanceMetres(from: degrees(46, 14), to: beyond) - 123.45
    #expect(abs(circle.distanceToEdgeMetres(from: beyond) - expected) < 1e-9)
  }

  @Test func `Without edges everything is infinitely far`() {
    #expect(FenceGeometry.polygons([]).distanceToEdgeMetres(from: degrees(0, 0)) == .infinity)
  }
}
