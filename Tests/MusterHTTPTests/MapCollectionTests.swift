import Foundation
import MusterInterchange
import MusterLocation
import MusterTestKit
import NIOCore
import Testing

@testable import MusterHTTP

@Suite struct `The maps of a node` {
  private static let gpx = """
    <gpx><wpt lat="40.3" lon="-7.6"><name>Hydrant</name></wpt><trk><name>Path</name><trkseg>
    <trkpt lat="40.3" lon="-7.6"/><trkpt lat="40.4" lon="-7.5"/></trkseg></trk></gpx>
    """
  private static let kml = """
    <kml><Document><name>File</name><Placemark><name>Area</name><Polygon><outerBoundaryIs>
    <LinearRing><coordinates>-7.6,40.3,0 -7.5,40.3,0 -7.5,40.4,0 -7.6,40.3,0</coordinates>
    </LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>
    """
  private static let geojson = """
    {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Line"},
    "geometry": {"type": "MultiLineString", "coordinates": [[[-7.6, 40.3], [-7.5, 40.4]]]}}]}
    """

  private let home: TestFolder

  init() throws { home = try TestFolder() }

  private static func vector() -> Data {
    var builder = PMTilesBuilder(type: 1)
    builder.tiles = [(0, 1, PMTilesBuilder.gzip(Data([TileFormat.layerTag, 1, 7])))]
    return builder.file()
  }

  @Test func `a map is copied, listed, and removed by its name`() async throws {
    let folder = MapFolder(in: home.path)
    let source = try home.write(Self.vector(), as: "Vale do Zêzere (1).pmtiles")
    var seen: Int64 = 0
    let (name, _) = try folder.add(source) { done, total in
      seen = done
      #expect(done <= total)
    }
    #expect(name == "Vale-do-Zêzere--1-.pmtiles" && seen == Self.vector().count)
    // The stick is pulled out.
    try FileManager.default.removeItem(atPath: source)
    let maps = try MapCollection(in: folder)
    let item = try #require(await maps.items().first)
    #expect(item.name == name && item.isRemovable && item.json["kind"].word == "vector")
    #expect(await maps.map(named: name) != nil)
    try folder.remove(name)
    #expect(await maps.items().isEmpty)
    #expect(try home.names == [])
    #expect(throws: BaseMap.Fault.self) { try folder.remove(name) }
    #expect(throws: BaseMap.Fault.self) { try folder.remove("../keys/device.key") }
  }

  @Test func `what is no map is not kept, and a name is never replaced`() throws {
    let folder = MapFolder(in: home.path)
    func fault(_ data: Data, _ name: String) throws -> String {
      let path = try home.write(data, as: name)
      do {
        return try folder.add(path).name
      } catch {
        return "\(error)"
      }
    }
    #expect(try fault(Data("hello".utf8), "a.pmtiles").contains("no map"))
    #expect(try fault(Data("PK\u{3}\u{4}".utf8), "a.kmz").contains("archive is cut off"))
    #expect(try fault(Self.vector().prefix(200), "a.pmtiles").contains("cut off"))
    #expect(try fault(Data("<!DOCTYPE x><gpx/>".utf8), "a.gpx").contains("DOCTYPE"))
    #expect(try fault(Data("<html/>".utf8), "a.gpx").contains("neither GPX nor KML"))
    let far = Data(#"{"type": "Point", "coordinates": [400, 0]}"#.utf8)
    #expect(try fault(far, "a.json").contains("longitude"))
    #expect(try home.names == [])
    #expect(try fault(Self.vector(), "a.pmtiles") == "a.pmtiles")
    #expect(try fault(Self.vector(), "a.pmtiles").contains("already"))
    #expect(try home.names == ["a.pmtiles"])
  }

  /// A map whose latest changes are in a file beside it, with this ending.
  private static func changed(_ suffix: String) throws -> MapFile {
    let file = try MapFile()
    try file.write(["format": "png"])
    if suffix == "-wal" { try file.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0") }
    try file.put(zoom: 1, column: 0, row: 1, MapFile.png)
    if suffix == "-journal" {
      // A program that ended in the middle of a change.
      try file.run(
        "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; DELETE FROM tiles; "
          + "CREATE TABLE more (x); INSERT INTO more SELECT zeroblob(9000) FROM metadata")
    }
    return file
  }

  @Test(arguments: ["-wal", "-journal"])
  func `the changes beside an MBTiles file are part of its copy`(suffix: String) async throws {
    let file = try Self.changed(suffix)
    let source = home.path + "/m.mbtiles"
    for ending in ["", suffix] {
      try FileManager.default.copyItem(atPath: file.path + ending, toPath: source + ending)
    }
    let before = try Data(contentsOf: URL(filePath: source))
    #expect(throws: BaseMap.Fault.self) { try BaseMap(opening: source) }
    let folder = MapFolder(in: home.path)
    #expect(try folder.add(source).name == "m.mbtiles")
    #expect(try home.names == ["m.mbtiles"])
    let map = try #require(await MapCollection(in: folder).map(named: "m.mbtiles"))
    #expect(try await map.tile(zoom: 1, x: 0, y: 0)?.format == .png)
    #expect(try Data(contentsOf: URL(filePath: source)) == before)
    #expect(FileManager.default.fileExists(atPath: source + suffix))
  }

  @Test(arguments: ["-wal", "-journal"])
  func `no changed byte beside an MBTiles file makes its reader trap, or a file without end`(
    suffix: String
  ) throws {
    let file = try Self.changed(suffix)
    let journal = try Data(contentsOf: URL(filePath: file.path + suffix))
    let size = try Data(contentsOf: URL(filePath: file.path)).count
    var generator = SplitMix64(seed: 52)
    var completed = 0
    for turn in 0..<300 {
      var bytes = turn.isMultiple(of: 10) ? journal.prefix(turn * journal.count / 300) : journal
      // Half of them in the header, which decides more than pages do.
      for _ in 0..<turn % 3 where !bytes.isEmpty {
        let bound = turn.isMultiple(of: 2) ? min(64, bytes.count) : bytes.count
        bytes[Int(generator.next() % UInt64(bound))] = UInt8(truncatingIfNeeded: generator.next())
      }
      let copy = try home.write(Data(contentsOf: URL(filePath: file.path)), as: "copy")
      let beside = try home.write(bytes, as: "beside")
      do {
        try SQLiteJournal.complete(copy, by: beside)
        completed += 1
      } catch {}
      let after = try Data(contentsOf: URL(filePath: copy), options: .alwaysMapped).count
      #expect(after <= size + journal.count)
    }
    #expect(completed > 20)
  }

  @Test func `each name that is accepted can be listed and removed`() async throws {
    let folder = MapFolder(in: home.path)
    for name in [
      "ridge-journal", "ridge-wal", "ridge-shm", "ridge.part", "...", "---",
    ] {
      let source = try home.write(Self.vector(), as: name)
      #expect(throws: BaseMap.Fault.self, "\(name)") { try folder.add(source) }
    }
    for name in [
      "ridge-journal.pmtiles", "-x.pmtiles",
      "nine " + String(repeating: "a", count: 70) + ".pmtiles",
      "ab-" + String(repeating: "c", count: 79), String(repeating: "山", count: 79), "%41?#",
      "cafe\u{301}.pmtiles", "a&b 'c'.pmtiles",
    ] {
      let source = try home.write(Self.vector(), as: name)
      let added = try folder.add(source).name
      let items = try await MapCollection(in: folder).items()
      #expect(items.map(\.name) == [added] && items.first?.json["fault"] == .null, "\(name)")
      try folder.remove(added)
      #expect(try home.names == [], "\(name)")
    }
  }

  @Test func `a broken file in the folder is listed with its fault`() async throws {
    let folder = MapFolder(in: home.path)
    _ = try folder.add(home.write(Self.vector(), as: "good.pmtiles"))
    try Self.vector().prefix(150).write(to: URL(filePath: folder.path(of: "bad.pmtiles")))
    try Data().write(to: URL(filePath: folder.path(of: "good.mbtiles-wal")))
    let items = try await MapCollection(in: folder).items()
    #expect(items.map(\.name) == ["bad.pmtiles", "good.pmtiles"])
    #expect(items[0].json["fault"].word?.contains("cut off") == true)
    #expect(items[0].json["kind"] == .null && items[1].json["fault"] == .null)
  }

  @Test func `maps of all users of the laptop are shown, below those of the home`() async throws {
    let folder = MapFolder(in: home.path)
    let shared = MapFolder(in: home.path + "/shared")
    let source = try home.write(Self.vector(), as: "valley.pmtiles")
    _ = try shared.add(source)
    let maps = try MapCollection(in: folder, shared: shared)
    #expect(await maps.items().map(\.isRemovable) == [false])
    #expect(await maps.map(named: "valley.pmtiles") != nil)
    #expect(throws: BaseMap.Fault.self) { try folder.remove("valley.pmtiles") }
    // The same name in the home
    _ = try folder.add(source)
    #expect(await maps.items().map(\.isRemovable) == [true])
    // Copied while the node runs
    _ = try shared.add(home.write(Self.vector(), as: "coast.pmtiles"))
    #expect(await maps.items().map(\.name) == ["valley.pmtiles", "coast.pmtiles"])
  }

  @Test func `several maps are served at once, each with its type and encoding`() async throws {
    let picture = try MapFile()
    try picture.write(["name": "Photo", "format": "png", "minzoom": "0", "maxzoom": "2"])
    try picture.put(zoom: 0, column: 0, row: 0, MapFile.png)
    let vector = try home.write(Self.vector(), as: "v.pmtiles")
    let maps = try MapCollection(files: [vector, picture.path, vector], in: nil)
    try await WebStage.run(maps: maps) { web in
      let items = try await web.get("/api/v1/maps").items
      #expect(items.map { $0["kind"].word } == ["vector", "raster", "vector"])
      #expect(Set(items.map { $0["name"].word }).count == 3)
      #expect(items.allSatisfy { $0["isRemovable"] == .bool(false) })
      let path = try #require(items[0]["tiles"].word?.replacing("{z}/{x}/{y}", with: "0/0/0"))
      let plain = try await web.client.ask("GET", path, headers: ["Accept-Encoding": "identity"])
      #expect(plain.status == 200 && plain.headers["content-encoding"] == nil)
      #expect(plain.headers["content-type"] == "application/vnd.mapbox-vector-tile")
      #expect(plain.headers["content-length"] == "3")
      let packed = try await web.client.ask("GET", path, headers: ["Accept-Encoding": "gzip"])
      #expect(packed.headers["content-encoding"] == "gzip")
      // No data in this place is no error.
      #expect(try await web.status("GET", "/tiles/v.pmtiles/3/0/0") == 204)
      // A style of its own for other programs, which names the tiles by their address
      let style = try await web.get("/api/v1/maps/v.pmtiles/style?theme=dark")
      let layers = try #require(style["layers"].elements)
      #expect(style["version"] == .count(8) && layers.count > 30)
      #expect(Set(layers.compactMap { $0["id"].word }).count == layers.count)
      let address = style["sources"]["map"]["tiles"].elements?.first?.word ?? ""
      #expect(address == "http://127.0.0.1:\(web.port)/tiles/v%2Epmtiles/{z}/{x}/{y}")
      let day = try await web.get("/api/v1/maps/v.pmtiles/style")
      #expect(day["layers"].elements?.count == layers.count && day != style)
      #expect(try await web.status("GET", "/api/v1/maps/v.pmtiles/style?theme=x") == 400)
      let name = try #require(items[1]["name"].word)
      #expect(try await web.status("GET", "/api/v1/maps/\(name)/style") == 404)
      let image = try await web.client.ask("GET", "/tiles/\(name)/0/0/0")
      #expect(image.headers["content-type"] == "image/png")
      #expect(try await web.status("GET", "/tiles/\(name)/1/0/0") == 404)
      #expect(try await web.status("GET", "/tiles/other/0/0/0") == 404)
      #expect(try await web.status("POST", "/api/v1/maps/x.pmtiles", "PMTiles") == 501)
    }
  }

  @Test func `GeoJSON in UTF-16 with a byte order mark is shown`() throws {
    let units = Array(Self.geojson.utf16)
    let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let plain = try MapOverlay(Data(Self.geojson.utf8)).features
    for bytes in [little, big] { #expect(try MapOverlay(Data(bytes)).features == plain) }
    #expect(throws: (any Error).self) { try MapOverlay(Data(little.dropLast())) }
  }

  @Test func `empty geometries are left out, and the others shown`() throws {
    func overlay(_ geometries: String...) throws -> MapOverlay {
      let features = geometries.map { #"{"type":"Feature","properties":{},"geometry":\#($0)}"# }
      return try MapOverlay(
        Data(
          #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8))
    }
    let empty = [
      "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    ].map { #"{"type":"\#($0)","coordinates":[]}"# }
    let hut = #"{"type":"Point","coordinates":[7.5,46.5]}"#
    for geometry in empty + ["null", #"{"type":"MultiPolygon","coordinates":[[[]]]}"#] {
      #expect(try overlay(geometry, hut).features.count == 1, "\(geometry)")
      #expect(throws: OverlayFault.self) { try overlay(geometry) }
    }
    let one = #"{"type":"LineString","coordinates":[[7.5,46.5]]}"#
    #expect(
      try overlay(one, hut).outcome.omissions.map(\.description)
        == ["line 1, a line of only one position"])
  }

  @Test func `the name of a shape is short, however many accents its first letter has`() throws {
    let name = "a" + String(repeating: "\u{301}", count: 5000)
    let overlay = try MapOverlay(
      Data(
        """
        {"type": "Feature", "properties": {"name": "\(name)"},
         "geometry": {"type": "Point", "coordinates": [1, 2]}}
        """.utf8))
    #expect(overlay.features.first.map { $0.name.unicodeScalars.count } == 100)
  }

  @Test func `overlays are served as GeoJSON with names only`() async throws {
    let folder = MapFolder(in: home.path)
    for (name, text) in [("a.gpx", Self.gpx), ("b.kml", Self.kml), ("c.json", Self.geojson)] {
      _ = try folder.add(home.write(Data(text.utf8), as: name))
    }
    try await WebStage.run(maps: try MapCollection(in: folder)) { web in
      let items = try await web.get("/api/v1/maps").items
      #expect(items.map { $0["kind"].word } == ["overlay", "overlay", "overlay"])
      #expect(items[0]["bounds"].elements?.count == 4)
      var shapes: [String] = []
      for item in items {
        let file = try await web.get("/api/v1/maps/\(item["name"].word ?? "")/features")
        for feature in file["features"].elements ?? [] {
          shapes.append(
            "\(feature["properties"]["name"].word ?? "") \(feature["geometry"]["type"].word ?? "")")
        }
      }
      #expect(
        shapes == ["Hydrant Point", "Path LineString", "Area Polygon", "Line LineString"])
      #expect(try await web.status("GET", "/api/v1/maps/d.gpx/features") == 404)
    }
  }

  @Test func `an overlay is parsed at the first request, and again after its file changed`()
    async throws
  {
    let path = try home.write(Data(Self.gpx.utf8), as: "a.gpx")
    func change(at seconds: Double) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path)
    }
    try change(at: 1_700_000_000)
    let maps = try MapCollection(files: [path], in: nil)
    func shapes() async throws -> String? {
      try await maps.overlay(named: "a.gpx").map { String(buffer: $0) }
    }
    let first = try await shapes()
    #expect(first?.contains("Hydrant") == true)
    // A different file of the same size and time, so that only a parser would see the difference.
    try Data(Self.gpx.replacing("Hydrant", with: "Cistern").utf8).write(to: URL(filePath: path))
    try change(at: 1_700_000_000)
    #expect(try await shapes() == first)
    try change(at: 1_700_000_001)
    #expect(try await shapes()?.contains("Cistern") == true)
  }

  @Test func `stored overlays are bounded, and the least recently requested is dropped`() throws {
    var cache = OverlayCache(mostBytes: 10)
    let files = (0..<4).map { MapFolder.File("\($0)", at: home.path) }
    for file in files[..<3] { cache.store(ByteBuffer(string: "123"), of: file) }
    #expect(cache.text(of: files[0]) != nil)
    cache.store(ByteBuffer(string: "1234"), of: files[3])
    #expect(files.map { cache.text(of: $0) != nil } == [true, false, true, true])
    cache.store(ByteBuffer(string: "12345678901"), of: files[0])
    #expect(files.allSatisfy { cache.text(of: $0) == nil })
  }

  @Test func `a page on this machine uploads and deletes a map`() async throws {
    let folder = MapFolder(in: home.path)
    try await WebStage.run(maps: try MapCollection(in: folder)) { web in
      let path = "/api/v1/maps/area.geojson"
      let added = try await web.client.ask("POST", path, body: Self.geojson)
      #expect(added.status == 201 && added.json["kind"].word == "overlay", "\(added)")
      #expect(added.headers["location"] == path)
      #expect(try await web.get("/api/v1/maps").items.count == 1)
      let again = try await web.client.ask("POST", path, body: Self.geojson)
      #expect(again.status == 422 && again.body.contains("already"))
      let wrong = try await web.client.ask("POST", "/api/v1/maps/b.gpx", body: "nothing")
      #expect(wrong.status == 422 && wrong.body.contains("no map"))
      let foreign = ["Origin": "https://example.org"]
      #expect(try await web.status("POST", "/api/v1/maps/c.gpx", Self.gpx, foreign) == 403)
      #expect(try await web.status("DELETE", path) == 204)
      #expect(try await web.status("DELETE", path) == 404)
      #expect(try await web.get("/api/v1/maps").items.isEmpty)
    }
    #expect(try home.names == [])
  }
}
