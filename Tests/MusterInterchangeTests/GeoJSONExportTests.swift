import Foundation
import MusterGeo
import MusterInterchange
import MusterModel
import Testing

@Suite struct GeoJSONExportTests {
  private func exported(
    _ geometry: FenceGeometry, properties: String? = nil
  ) -> ExportedFence {
    ExportedFence(
      id: "00ff", name: "Camp \"North\"", kind: "muster", isActive: true, properties: properties,
      geometry: geometry)
  }

  private func text(_ fences: ExportedFence..., circlesAsPolygons: Bool = false) -> String {
    String(
      decoding: GeoJSON.featureCollection(of: fences, circlesAsPolygons: circlesAsPolygons),
      as: UTF8.self)
  }

  private let triangle = FenceGeometry.polygons([
    FencePolygon(outer: Ring([degrees(46, 14), degrees(-0.05, 15.25), degrees(47, 14.1234567)]))
  ])

  @Test func `The file is as specified, byte for byte`() {
    #expect(
      text(exported(triangle, properties: #"{"zone":7.50,"by":"A"}"#)) == """
        {
          "features": [
            {
              "geometry": {
                "coordinates": [
                  [
                    [14, 46],
                    [15.25, -0.05],
                    [14.1234567, 47],
                    [14, 46]
                  ]
                ],
                "type": "Polygon"
              },
              "id": "00ff",
              "properties": {
                "active": true,
                "by": "A",
                "kind": "muster",
                "name": "Camp \\"North\\"",
                "zone": 7.50
              },
              "type": "Feature"
            }
          ],
          "type": "FeatureCollection"
        }

        """)
  }

  @Test func `No fences make an empty collection`() throws {
    #expect(try fences(text()) == [])
  }

  @Test func `Exported fences are imported unchanged`() throws {
    let geometries: [FenceGeometry] = [
      try triangle.validated(),
      .circle(center: degrees(-89.9999999, -179.9999999), radiusCentimetres: 123_405),
      .circle(center: degrees(0.0000001, -0.0000001), radiusCentimetres: 1),
      .circle(center: degrees(1, 1), radiusCentimetres: Limits.circleRadiusCentimetres),
      try FenceGeometry.validated(polygons: [
        FencePolygon(
          outer: Ring([degrees(0, 0), degrees(0, 9), degrees(9, 9), degrees(9, 0)]),
          holes: [Ring([degrees(1, 1), degrees(2, 2), degrees(1, 2)])]),
        FencePolygon(outer: Ring([degrees(-90, -180), degrees(-90, -170), degrees(-80, -180)])),
      ]),
    ]
    for geometry in geometries {
      let fence = exported(geometry, properties: #"{"a":[1,{"b":null}]}"#)
      let back = try #require(try fences(text(fence)).first)
      #expect(back.geometry == geometry)
      #expect(back.name == fence.name && back.kind == fence.kind && back.isActive == true)
      #expect(back.properties == fence.properties)
    }
  }

  @Test func `Text properties are exported as text, and a fence's fields are its own`() throws {
    for words in ["gate code 12", "[1,2]", #"{"broken":"#, #"{"x":NaN}"#] {
      let back = try #require(try fences(text(exported(triangle, properties: words))).first)
      #expect(back.properties?.contains("properties") == true)
    }
    let forged = #"{"name":"Other","radius_m":5,"kind":"hazard","active":false}"#
    let back = try #require(try fences(text(exported(triangle, properties: forged))).first)
    #expect(back.name == "Camp \"North\"" && back.kind == "muster" && back.isActive == true)
    #expect(back.properties == nil)
  }

  @Test func `A circle as a polygon has its corners on the circle`() throws {
    let center = degrees(60, 24)
    let circle = exported(.circle(center: center, radiusCentimetres: 50_000))
    let back = try #require(try fences(text(circle, circlesAsPolygons: true)).first)
    guard case .polygons(let polygons) = back.geometry else { throw NoPolygon() }
    #expect(polygons.count == 1 && polygons[0].outer.vertices.count == 64)
    for corner in polygons[0].outer.vertices {
      #expect(abs(Geodesic.distanceMetres(from: center, to: corner) - 500) < 0.02)
    }
    #expect(back.geometry.contains(center))
    #expect(try back.geometry.validated() == back.geometry, "already in its one form")
  }

  private struct NoPolygon: Error {}

  @Test func `A circle across the antimeridian becomes two polygons of the same area`()
    throws
  {
    let center = degrees(-17, 179.99)
    let circle = FenceGeometry.circle(center: center, radiusCentimetres: 500_000)
    let back = try #require(
      try fences(text(exported(circle), circlesAsPolygons: true)).first?.geometry)
    guard case .polygons(let polygons) = back else { throw NoPolygon() }
    #expect(polygons.count == 2)
    for azimuth in stride(from: 0.0, to: 360, by: 5) {
      let near = Geodesic.destination(from: center, azimuthDegrees: azimuth, metres: 4980)
      let far = Geodesic.destination(from: center, azimuthDegrees: azimuth, metres: 5001)
      #expect(back.contains(near) && circle.contains(near))
      #expect(!back.contains(far) && !circle.contains(far))
    }
  }

  @Test func `A circle without a polygon stays a point`() throws {
    for (center, radius) in [
      (degrees(89.999, 0), UInt32(1_000_000)), (degrees(0, 0), 1_500_000_000),
    ] {
      let circle = FenceGeometry.circle(center: center, radiusCentimetres: radius)
      #expect(try fences(text(exported(circle), circlesAsPolygons: true)).first?.geometry == circle)
    }
  }
}
