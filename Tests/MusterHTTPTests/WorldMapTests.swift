import Foundation
import MusterModel
import Testing

@testable import MusterHTTP

/// The committed file of the map of the world.
@Suite struct `The map of the world` {
  private static let path = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/MusterHTTP/Resources/\(WorldMap.file)").path
  private static let mostBytes = 4_000_000
  /// The most bytes of a tile on the way: a second on a link of 1 Mbit/s.
  private static let mostTileBytes = 125_000

  @Test func `is one small file of vector tiles, each of which can be read`() async throws {
    let size = try FileManager.default.attributesOfItem(atPath: Self.path)[.size] as? NSNumber
    #expect((1_000_000...Self.mostBytes).contains(size?.intValue ?? 0))
    let map = try BaseMap(opening: Self.path)
    #expect(map.about.format == .pbf && map.about.attribution == "Natural Earth")
    #expect(map.about.layers == ["land", "lakes", "borders"])
    for zoom in map.about.zooms {
      for x in 0..<1 << zoom {
        for y in 0..<1 << zoom {
          guard let tile = try await map.tile(zoom: zoom, x: x, y: y) else { continue }
          #expect(tile.bytes.count <= Self.mostTileBytes, "\(zoom)/\(x)/\(y)")
          #expect(try !VectorTile(tile.inflated).layers.isEmpty)
        }
      }
    }
  }

  @Test(
    "land, sea and lakes are where they are, at each zoom level",
    arguments: [
      (40.32, -7.6, "land"), (47.5, 8.7, "land"), (-33.9, 151.0, "land"), (-75, 100, "land"),
      (38.0, -15.0, "sea"), (0, -150.0, "sea"), (43.0, 34.0, "sea"), (-60, 179.9, "sea"),
      (-1.0, 33.0, "lake"), (44.0, -87.0, "lake"), (46.43, 6.55, "lake"),
      // An island in a lake.
      (45.75, -82.2, "land"),
    ])
  func places(lat: Double, lon: Double, what: String) async throws {
    let map = try BaseMap(opening: Self.path)
    for zoom in map.about.zooms {
      // A lake of ten kilometres is smaller than a pixel from afar.
      if lon == 6.55, zoom < 4 { continue }
      let found = try await Self.kind(lat, lon, map, zoom)
      #expect(found == what, "zoom \(zoom)")
    }
  }

  /// What is at a place: an odd number of rings of a layer contains it.
  private static func kind(
    _ lat: Double, _ lon: Double, _ map: BaseMap, _ zoom: Int
  ) async throws -> String {
    let count = Double(1 << zoom)
    let angle = lat * .pi / 180
    let (x, y) = (
      (lon + 180) / 360 * count, (1 - asinh(tan(angle)) / .pi) / 2 * count
    )
    guard let tile = try await map.tile(zoom: zoom, x: Int(x), y: Int(y)) else { return "sea" }
    let layers = try VectorTile(tile.inflated).layers
    func contains(_ name: String) -> Bool {
      guard let layer = layers[name] else { return false }
      let place = (
        x: (x - x.rounded(.down)) * Double(layer.extent),
        y: (y - y.rounded(.down)) * Double(layer.extent)
      )
      return layer.lines.count { $0.contains(place.x, place.y) } % 2 == 1
    }
    return contains("lakes") ? "lake" : contains("land") ? "land" : "sea"
  }

  @Test func `the border of two countries is drawn`() async throws {
    // Portugal and Spain, from Vilar Formoso to Badajoz.
    let map = try BaseMap(opening: Self.path)
    let tile = try #require(try await map.tile(zoom: 5, x: 15, y: 12))
    let borders = try #require(try VectorTile(tile.inflated).layers["borders"])
    #expect(borders.lines.reduce(0) { $0 + $1.points.count } > 100)
  }

  @Test func `tiles are part of the page, for browsers without a login too`() async throws {
    try await WebStage.run { web in
      let world = "/dashboard/world"
      let tile = try await web.client.ask(
        "GET", "\(world)/0/0/0", headers: ["Accept-Encoding": "gzip"])
      #expect(tile.status == 200 && tile.headers["content-encoding"] == "gzip")
      #expect(tile.headers["content-type"] == "application/vnd.mapbox-vector-tile")
      #expect(tile.headers["cache-control"] == "max-age=86400")
      let plain = try await web.client.ask("GET", "\(world)/0/0/0")
      #expect(plain.status == 200 && plain.headers["content-encoding"] == nil)
      // In the Pacific.
      #expect(try await web.status("GET", "\(world)/5/0/12") == 204)
      for path in ["", "/0/0", "/0/0/1", "/6/0/0", "/-1/0/0", "/0/0/0/0", "/a/b/c", "/1/2/0"] {
        #expect(try await web.status("GET", world + path) == 404, "\(path)")
      }
    }
  }
}

/// A tile of the form that `Scripts/world.py` writes (Mapbox Vector Tile 2).
private struct VectorTile {
  struct Line {
    var points: [(x: Int, y: Int)] = []

    /// Whether a ring contains a place: a ray from it crosses an odd number of sides.
    func contains(_ x: Double, _ y: Double) -> Bool {
      var isInside = false
      for (index, a) in points.enumerated() {
        let b = points[(index + 1) % points.count]
        let (ax, ay, bx, by) = (Double(a.x), Double(a.y), Double(b.x), Double(b.y))
        if (ay > y) != (by > y), x < ax + (y - ay) / (by - ay) * (bx - ax) { isInside.toggle() }
      }
      return isInside
    }
  }

  struct Layer {
    var extent = 0
    var lines: [Line] = []
  }

  private(set) var layers: [String: Layer] = [:]

  init(_ bytes: [UInt8]) throws {
    for case (3, .bytes(let content)) in try Self.fields(bytes[...]) {
      var (name, layer) = ("", Layer())
      for field in try Self.fields(content) {
        switch field {
        case (1, .bytes(let text)): name = String(decoding: text, as: UTF8.self)
        case (2, .bytes(let feature)):
          for case (4, .bytes(let numbers)) in try Self.fields(feature) {
            layer.lines += try Self.lines(numbers)
          }
        case (5, .number(let extent)): layer.extent = extent
        default: continue
        }
      }
      layers[name] = layer
    }
  }

  private enum Value {
    case number(Int)
    case bytes(ArraySlice<UInt8>)
  }

  private static func fields(_ bytes: ArraySlice<UInt8>) throws -> [(Int, Value)] {
    var (rest, fields) = (bytes, [(Int, Value)]())
    while !rest.isEmpty {
      let key = try number(&rest)
      let value = try number(&rest)
      guard key & 7 == 2 else {
        fields.append((key >> 3, .number(value)))
        continue
      }
      try #require(value <= rest.count)
      fields.append((key >> 3, .bytes(rest.prefix(value))))
      rest = rest.dropFirst(value)
    }
    return fields
  }

  private static func lines(_ bytes: ArraySlice<UInt8>) throws -> [Line] {
    var (rest, lines, x, y) = (bytes, [Line](), 0, 0)
    while !rest.isEmpty {
      let command = try number(&rest)
      guard command & 7 != 7 else { continue }
      for _ in 0..<command >> 3 {
        let (dx, dy) = (try number(&rest), try number(&rest))
        x += dx >> 1 ^ -(dx & 1)
        y += dy >> 1 ^ -(dy & 1)
        if command & 7 == 1 { lines.append(Line()) }
        lines[lines.count - 1].points.append((x, y))
      }
    }
    return lines
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) throws -> Int {
    var (value, shift) = (0, 0)
    while true {
      let first = rest.popFirst()
      let byte = try #require(first)
      value |= Int(byte & 0x7F) << shift
      guard byte >= 0x80 else { return value }
      shift += 7
    }
  }
}
