import Foundation
import MusterInterchange
import MusterModel
import Testing

@Suite struct GeoJSONImportTests {
  private let triangle = "[[14,46],[15,46],[14.5,47],[14,46]]"

  @Test func `A bare polygon is a fence, longitude first`() throws {
    let found = try fences(polygon(triangle))
    #expect(found.count == 1)
    #expect(
      found.first?.geometry
        == .polygons([
          FencePolygon(outer: Ring([degrees(46, 14), degrees(46, 15), degrees(47, 14.5)]))
        ]))
    #expect(found.first?.name == nil && found.first?.properties == nil)
  }

  @Test func `A feature has a name, a kind and a flag, and keeps other properties`() throws {
    let text = """
      {"type":"Feature","id":7,"bbox":[1,2,3,4],"geometry":\(polygon(triangle)),
       "properties":{"name":"Camp","kind":"muster","active":false,"b":1.500,"a":["x",null]}}
      """
    let fence = try #require(try fences(text).first)
    #expect(fence.name == "Camp" && fence.kind == "muster" && fence.isActive == false)
    #expect(fence.properties == #"{"a":["x",null],"b":1.500}"#, "in order, digits kept")
  }

  @Test func `A collection is read in order; an empty one has no fences`() throws {
    let features = ["A", "B", "C"].map {
      #"{"type":"Feature","properties":{"name":"\#($0)"},"geometry":\#(polygon(triangle))}"#
    }
    let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    #expect(try fences(text).map(\.name) == ["A", "B", "C"])
    #expect(try fences(#"{"type":"FeatureCollection","features":[]}"#) == [])
  }

  @Test func `A MultiPolygon and a GeometryCollection of polygons are one fence each`() throws {
    let other = "[[1,1],[2,1],[2,2],[1,1]]"
    let multi = #"{"type":"MultiPolygon","coordinates":[[\#(triangle)],[\#(other)]]}"#
    let collection =
      #"{"type":"GeometryCollection","geometries":[\#(polygon(triangle)),\#(polygon(other))]}"#
    let found = try fences(multi)
    #expect(found == (try fences(collection)))
    guard case .polygons(let polygons) = found[0].geometry else { throw GeoJSONTestError() }
    #expect(polygons.count == 2)
  }

  private struct GeoJSONTestError: Error {}

  @Test func `A point with a radius is a circle`() throws {
    let text = """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[14.5058,46.0569]},
       "properties":{"radius_m":250.5}}
      """
    let fence = try #require(try fences(text).first)
    #expect(
      fence.geometry == .circle(center: degrees(46.0569, 14.5058), radiusCentimetres: 25_050))
    #expect(fence.properties == nil)
  }

  @Test func `Clockwise rings are reversed, holes the other way`() throws {
    let outer = "[[0,0],[0,9],[9,9],[9,0],[0,0]]"
    let hole = "[[1,1],[2,1],[2,2],[1,1]]"
    let fence = try #require(try fences(polygon("\(outer),\(hole)")).first)
    let expected = FencePolygon(
      outer: Ring([degrees(0, 0), degrees(0, 9), degrees(9, 9), degrees(9, 0)]),
      holes: [Ring([degrees(1, 1), degrees(2, 2), degrees(1, 2)])])
    #expect(fence.geometry == .polygons([expected]))
  }

  @Test func `Altitudes are ignored, decimals are rounded to 1e-7 degree`() throws {
    let text = polygon("[[14.00000004,46,300],[1.5e1,46,300,1],[14.5,46.99999996],[14,46]]")
    let fence = try #require(try fences(text).first)
    #expect(
      fence.geometry
        == .polygons([
          FencePolygon(outer: Ring([degrees(46, 14), degrees(46, 15), degrees(47, 14.5)]))
        ]))
  }

  @Test func `Escapes, a byte-order mark and spaces are parsed`() throws {
    let name = #"\u010crnu\u010de \ud83d\ude92 \"\/\\\n\t"#
    let text = """
      \u{FEFF} {"type" : "Feature" , "geometry":\(polygon(triangle)),\r\n
       "properties":{"name":"\(name)"} }\n
      """
    #expect(try fences(text).first?.name == "Črnuče 🚒 \"/\\\n\t")
  }

  @Test func `Characters that fences may not contain are escaped in their properties`() throws {
    let text = """
      {"type":"Feature","geometry":\(polygon(triangle)),"properties":{"x":"a\\u202eb\\u0007"}}
      """
    let properties = try #require(try fences(text).first?.properties)
    #expect(properties == #"{"x":"a\u202eb\u0007"}"#)
    #expect(TextRule.paragraphs.accepts(properties))
  }
}
