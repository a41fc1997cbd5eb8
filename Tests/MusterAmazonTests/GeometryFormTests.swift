import Foundation
import MusterInterchange
import MusterModel
import Testing

@testable import MusterAmazon

/// Outlines in the forms of the service.
@Suite struct `Outlines of geofences` {
  private static let square = "[[0,0],[1,0],[1,1],[0,1],[0,0]]"
  private static let hole = "[[0.2,0.2],[0.2,0.4],[0.4,0.4],[0.2,0.2]]"

  private static func read(_ geometry: String) throws -> FenceGeometry {
    try GeometryForm.geometry(of: try Input(body: Array("{\"Geometry\":\(geometry)}".utf8)))
  }

  @Test(arguments: [
    "{\"Polygon\":[\(square)]}", "{\"Polygon\":[\(square),\(hole)]}",
    "{\"MultiPolygon\":[[\(square)],[[[5,5],[6,5],[5,6],[5,5]]]]}",
    "{\"Circle\":{\"Center\":[7.5,46.5],\"Radius\":100000}}",
    "{\"Circle\":{\"Center\":[-180,-90],\"Radius\":0.01},\"Polygon\":null}",
  ])
  func `a valid outline is read, and written as it was`(text: String) throws {
    let geometry = try Self.read(text)
    #expect(try Self.read(GeometryForm.json(of: geometry).text) == geometry)
  }

  @Test(arguments: [
    "{}", "[]", "null", "{\"Polygon\":[]}", "{\"Polygon\":[[]]}",
    "{\"Polygon\":[\(square)],"
      + "\"Circle\":{\"Center\":[0,0],\"Radius\":1}}",
    "{\"Polygon\":[[[0,0],[1,0],[1,1],[0,1]]]}",  // unclosed
    "{\"Polygon\":[[[0,0],[0,1],[1,1],[1,0],[0,0]]]}",  // clockwise
    "{\"Polygon\":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}",  // crosses itself
    "{\"Polygon\":[[[0,0],[1,0],[1,91],[0,1],[0,0]]]}",
    "{\"Polygon\":[[[0,0],[1,0],[1,1,1],[0,1],[0,0]]]}",
    "{\"Polygon\":[[[0,0],[1,0],[1,NaN],[0,1],[0,0]]]}",
    "{\"Polygon\":[[[170,0],[-170,0],[-170,1],[170,1],[170,0]]]}",
    "{\"MultiPolygon\":[[]]}", "{\"MultiPolygon\":[7]}",
    "{\"Circle\":{\"Center\":[0,0],\"Radius\":0}}", "{\"Circle\":{\"Center\":[0,0]}}",
    "{\"Circle\":{\"Center\":[0,0],\"Radius\":100001}}",
    "{\"Circle\":{\"Center\":[181,0],\"Radius\":1}}",
    "{\"Circle\":{\"Center\":[0,0],\"Radius\":1e999}}",
    "{\"Geobuf\":\"%\"}", "{\"Geobuf\":\"AAAA\"}",
  ])
  func `any other outline is a validation fault`(text: String) {
    let fault = #expect(throws: ServiceFault.self) { try Self.read(text) }
    #expect(fault?.type == "ValidationException" && fault?.status == 400)
  }

  /// The square as the `geobuf` library of Mapbox encodes it: dimensions 2, precision 6, and a
  /// geometry of type Polygon with one ring of four positions, as differences.
  private static let geobuf: [UInt8] =
    [0x10, 0x02, 0x18, 0x06, 0x32, 0x15, 0x08, 0x04, 0x12, 0x01, 0x04, 0x1A, 0x0E]
    + [0x00, 0x00, 0x80, 0x89, 0x7A, 0x00, 0x00, 0x80, 0x89, 0x7A, 0xFF, 0x88, 0x7A, 0x00]

  @Test func `a Geobuf is read as its polygon`() throws {
    let text = Data(Self.geobuf).base64EncodedString()
    let geometry = try Self.read("{\"Geobuf\":\"\(text)\"}")
    #expect(try geometry == Self.read("{\"Polygon\":[\(Self.square)]}"))
  }

  @Test func `cut and changed Geobufs never trap`() {
    for length in 0...Self.geobuf.count {
      for index in 0..<length {
        for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
          var bytes = Array(Self.geobuf.prefix(length))
          bytes[index] = value
          _ = try? Geobuf.polygons(in: bytes)
        }
      }
    }
  }
}
