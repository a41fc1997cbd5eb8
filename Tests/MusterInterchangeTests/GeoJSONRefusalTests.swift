import Foundation
import MusterInterchange
import MusterModel
import Testing

@Suite struct GeoJSONRefusalTests {
  @Test(arguments: [
    ("[[0,0],[1,0],[1,1]]", "outer ring: the ring is not closed: repeat its first position at"),
    ("[[0,0],[NaN,0],[1,1],[0,0]]", "outer ring, vertex 1: the longitude is NaN, not a number"),
    ("[[0,0],[1,-Infinity],[1,1],[0,0]]", "vertex 1: the latitude is -Infinity, not a number"),
    ("[[0,0],[1,0],[1e999,1],[0,0]]", "vertex 2: the longitude is 1e999, beyond ±360 degrees"),
    (
      "[[0,0],[1,91],[1,1],[0,0]]", "the latitude is 91, beyond ±90 degrees (longitude comes first)"
    ),
    ("[[0,0],[1,0],[360.0000001,1],[0,0]]", "the longitude is 360.0000001, beyond ±360 degrees"),
    (#"[[0,0],["1",0],[1,1],[0,0]]"#, "vertex 1: the longitude is a text, not a number"),
    ("[[0,0],[true,0],[1,1],[0,0]]", "vertex 1: the longitude is true, not a number"),
    ("[[0,0],[null,0],[1,1],[0,0]]", "vertex 1: the longitude is null, not a number"),
    ("[[0,0],[1],[1,1],[0,0]]", "vertex 1: a position needs a longitude and a latitude"),
    ("[[0,0],7,[1,1],[0,0]]", "vertex 1: a position is expected, not 7"),
    ("[[0,0],[1,1],[0,0]]", "the ring has 2 different vertices and needs 3"),
    ("[[0,0],[1,1],[2,2],[0,0]]", "all vertices of the ring are on one line"),
    ("[[0,0],[2,2],[2,0],[0,2],[0,0]]", "vertex 0: the edge from here crosses the edge from"),
    ("[]", "the ring has 0 different vertices and needs 3"),
    ("{}", "a list of positions is expected, not an object"),
  ])
  func `An invalid ring is rejected with its reason and position`(ring: String, reason: String) {
    let found = refusal(polygon(ring))
    #expect(found?.contains(reason) == true, "\(found ?? "accepted")")
    #expect(found?.contains("\n") == false, "one line")
  }

  @Test(arguments: [
    ("", "not JSON at line 1, column 1: the file ends too early"),
    ("[1,2", "not JSON at line 1, column 5: a comma or ] is expected"),
    ("{\"type\":\n \"Polygon\" 1}", "not JSON at line 2, column 12: a comma or } is expected"),
    (#"{"type":"Polygon"} x"#, "column 20: there is more text after the end"),
    (#"{"a":1,"a":2}"#, #"the key "a" occurs twice in one object"#),
    (#"{"a":01}"#, "a comma or } is expected"),
    (#"{"a":+1}"#, "a value is expected"),
    (#"{"a":1.}"#, "a digit is expected"),
    (#"{"a":-}"#, "a digit is expected"),
    (#"{"a":1e}"#, "a digit is expected"),
    (#"{"a":-Inf}"#, "a value is expected"),
    (#"{"a":nul}"#, "a value is expected"),
    (#"{"a" 1}"#, "a colon is expected"),
    (#"{a:1}"#, "a key in quotes is expected"),
    (#"{"a":"x"#, "a text has no closing quote"),
    (#"{"a":"\"#, "a text has no closing quote"),
    (#"{"a":"\q"}"#, "an unknown escape in a text"),
    (#"{"a":"\u12"}"#, "four hexadecimal digits are expected"),
    (#"{"a":"\ud800"}"#, "half of an escaped pair"),
    (#"{"a":"\ud800\u0041"}"#, "half of an escaped pair"),
    ("{\"a\":\"x\ny\"}", "may not contain a line break"),
    ("7", "the file contains 7, not a GeoJSON object"),
    ("[]", "the file contains a list, not a GeoJSON object"),
    ("{}", "an object has no type: this is not GeoJSON"),
    (#"{"type":3}"#, "an object has no type"),
    (#"{"type":"FeatureCollection"}"#, "the FeatureCollection has no list of features"),
    (#"{"type":"FeatureCollection","features":[1]}"#, "feature 0: it is not a Feature"),
    (#"{"type":"Feature"}"#, "the feature has no geometry"),
    (#"{"type":"Feature","geometry":null}"#, "the feature has no geometry"),
    (#"{"type":"Polygon"}"#, "a list of rings is expected, and is missing"),
    (#"{"type":"Polygon","coordinates":[]}"#, "polygon 0 has no rings"),
    (#"{"type":"MultiPolygon","coordinates":[]}"#, "the outline has no polygon"),
    (#"{"type":"MultiPolygon","coordinates":[3]}"#, "a list of rings is expected, not 3"),
    (#"{"type":"LineString","coordinates":[]}"#, "LineString cannot be a zone: use Polygon"),
    (#"{"type":"Point","coordinates":[1,2]}"#, "a point: give a radius for a zone around it"),
    (
      #"{"type":"GeometryCollection","geometries":[{"type":"GeometryCollection"}]}"#,
      "GeometryCollection cannot be a zone"
    ),
  ])
  func `Text that is not GeoJSON is rejected with a remedy`(text: String, reason: String) {
    let found = refusal(text)
    #expect(found?.contains(reason) == true, "\(found ?? "accepted")")
    #expect(found?.contains("\n") == false, "one line")
  }

  @Test(arguments: [
    ("0", "the circle's radius is zero"), ("0.001", "the circle's radius is zero"),
    ("-5", "radius_m is -5"), ("1e999", "radius_m is 1e999"), ("NaN", "radius_m is NaN"),
    (#""50""#, "radius_m is a text"), ("null", "radius_m is null"),
    ("30000000", "the circle's radius of 30000000 m is over 20000000 m"),
  ])
  func `An invalid radius is rejected`(radius: String, reason: String) {
    let found = refusal(
      """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},
       "properties":{"radius_m":\(radius)}}
      """)
    #expect(found?.contains(reason) == true, "\(found ?? "accepted")")
  }

  @Test func `The invalid feature is named, and nothing or only the rest is read`() throws {
    let good =
      #"{"type":"Feature","geometry":\#(polygon("[[0,0],[1,0],[1,1],[0,0]]")),"properties":null}"#
    let bad = good.replacing("[1,1]", with: "[1,99]")
    let text = #"{"type":"FeatureCollection","features":[\#(good),\#(good),\#(bad)]}"#
    #expect(refusal(text)?.hasPrefix("feature 2: polygon 0, outer ring, vertex 2: ") == true)
    let named = text.replacing(
      "[\(good)", with: "[" + bad.replacing("null", with: #"{"name":"B"}"#))
    let file = try GeoJSON.read(Data(named.utf8))
    #expect(file.fences.count == 1)
    #expect(file.outcome.leftOut == 2 && file.fault?.feature == 0)
    #expect(file.fault?.description.hasPrefix("feature 0 (B): polygon 0") == true)
  }

  @Test func `NaN is rejected in properties too, and so are long properties`() {
    func feature(_ value: String) -> String {
      """
      {"type":"Feature","geometry":\(polygon("[[0,0],[1,0],[1,1],[0,0]]")),
       "properties":{"x":[{"y":\(value)}]}}
      """
    }
    #expect(refusal(feature("1e999")) == nil, "digits are kept, not read")
    #expect(refusal(feature("NaN")) == "the properties contain NaN, which is not JSON")
    let long = "\"" + String(repeating: "x", count: Limits.paragraphBytes) + "\""
    #expect(refusal(feature(long))?.contains("at most 16384 are allowed") == true)
  }

  @Test func `A name that is not UTF-8 is rejected`() {
    let bytes = Data(#"{"a":""#.utf8) + [0xFF, 0xFE] + Data(#""}"#.utf8)
    #expect(refusal(bytes)?.contains("the text is not UTF-8") == true)
    #expect(refusal(Data([0x80]))?.contains("a value is expected") == true)
  }

  @Test func `A million brackets neither overflow the stack nor take long`() {
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(refusal(deep)?.contains("nested over 64 deep") == true)
    let objects = String(repeating: #"{"a":"#, count: 1_000_000)
    #expect(refusal(objects)?.contains("nested over 64 deep") == true)
    let fits = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(refusal(fits)?.contains("not a GeoJSON object") == true)
  }

  @Test func `A megabyte of vertices is rejected promptly`() {
    let vertices = (0..<60_000).map { "[\(Double($0) / 1000),\($0 % 2)]" }
    let ring = "[" + vertices.joined(separator: ",") + ",[0.0,0]]"
    #expect(ring.utf8.count > 600_000)
    let clock = ContinuousClock()
    var found: String?
    let took = clock.measure { found = refusal(polygon(ring)) }
    #expect(found?.contains("the ring has 60001 vertices and may have 1000") == true)
    #expect(took < .seconds(60), "a fraction of a second on an idle machine")
  }

  @Test func `A file over eight megabytes is rejected unread`() {
    let data = Data(repeating: UInt8(ascii: "["), count: 8 * 1024 * 1024 + 1)
    #expect(refusal(data) == "the file has 8388609 bytes; at most 8388608 are allowed: split it")
  }

  @Test func `Changed bytes never trap`() {
    let text = Data(
      """
      {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[14,46],[15.5e0,46],
      [14.5,47],[14,46]]]},"properties":{"name":"\\u010crna \\"x\\"","n":-1.5,"b":[true,null]}}
      """.utf8)
    var accepted = 0
    for index in text.indices {
      for change in [UInt8(0x01), 0x10, 0x80, 0xFF] {
        var damaged = text
        damaged[index] ^= change
        if refusal(damaged) == nil { accepted += 1 }
      }
      _ = refusal(text[..<index])
    }
    #expect(refusal(text) == nil)
    #expect(accepted > 0 && accepted < text.count * 4)
  }
}
