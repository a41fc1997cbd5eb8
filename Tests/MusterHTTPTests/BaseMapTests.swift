import Foundation
import MusterInterchange
import Testing

@testable import MusterHTTP

@Suite struct `The base map` {
  private static func map(_ format: String = "png") throws -> MapFile {
    let file = try MapFile()
    try file.write([
      "name": "Valley", "format": format, "minzoom": "0", "maxzoom": "2",
      "bounds": "-8.5, 40.0,-7.0,41.0", "attribution": "<img src=x onerror=alert(1)> &copy; me",
    ])
    try file.put(zoom: 0, column: 0, row: 0, MapFile.png)
    // The north-west corner of the world at zoom 2.
    try file.put(zoom: 2, column: 0, row: 3, MapFile.jpeg)
    try file.put(zoom: 2, column: 3, row: 0, MapFile.webp)
    return file
  }

  private func fault(of file: MapFile) -> String {
    do {
      _ = try BaseMap(opening: file.path)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test func `the metadata is served, and tiles are counted from the north`() async throws {
    let file = try Self.map()
    try await WebStage.run(maps: try MapCollection(files: [file.path], in: nil)) { web in
      let about = try await web.get("/api/v1/map")
      #expect(about["name"].word == "Valley" && about["format"].word == "png")
      #expect(about["tiles"].word == "/tiles/{z}/{x}/{y}")
      #expect(about["minZoom"] == .count(0) && about["maxZoom"] == .count(2))
      #expect(about["bounds"].elements?.count == 4)
      #expect(about["attribution"].word == "<img src=x onerror=alert(1)> &copy; me")
      for (tile, type) in [
        ("0/0/0", "image/png"), ("2/0/0", "image/jpeg"), ("2/3/3", "image/webp"),
      ] {
        let answer = try await web.client.ask("GET", "/tiles/\(tile)")
        #expect(answer.status == 200 && answer.headers["content-type"] == type, "\(tile)")
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(answer.headers["content-security-policy"]?.contains("default-src 'none'") == true)
      }
      for nowhere in [
        "2/0/3", "1/0/0", "3/0/0", "2/4/0", "2/0/4", "31/0/0", "0/0/0/0", "0/0", "a/0/0", "-1/0/0",
        "0/0/0.png", "99999999999999999999/0/0", "2/0/0%20OR%201", "2/9999999999/0",
      ] {
        let answer = try await web.client.ask("GET", "/tiles/\(nowhere)")
        #expect(answer.status == 404, "\(nowhere): \(answer.status)")
      }
      #expect(try await web.status("POST", "/tiles/0/0/0") == 405)
      // No page of another site can read the map.
      let foreign = ["Origin": "https://example.org"]
      #expect(try await web.status("GET", "/tiles/0/0/0", nil, foreign) == 403)
    }
  }

  @Test func `without a base map the API reports that there is none`() async throws {
    try await WebStage.run { web in
      let about = try await web.get("/api/v1/map")
      #expect(about["tiles"] == .null && about["name"].word == "")
      #expect(try await web.status("GET", "/tiles/0/0/0") == 404)
    }
  }

  @Test func `vector tiles are read, and their layers are named`() async throws {
    for format in ["pbf", "PBF", "mvt"] {
      let file = try MapFile()
      try file.write([
        "format": format, "json": #"{"vector_layers": [{"id": "water"}, {"id": "roads"}]}"#,
      ])
      let layer = Data([TileFormat.layerTag, 1, 7])
      try file.put(zoom: 1, column: 0, row: 0, PMTilesBuilder.gzip(layer))
      try file.put(zoom: 1, column: 1, row: 0, layer)
      try file.put(zoom: 1, column: 0, row: 1, MapFile.png)
      try file.put(zoom: 1, column: 1, row: 1, Data([0x1F, 0x8B, 8, 0, 0, 0]))
      let map = try BaseMap(opening: file.path)
      #expect(map.about.format == .pbf && map.about.layers == ["water", "roads"])
      #expect(try await map.tile(zoom: 1, x: 0, y: 1)?.inflated == Array(layer))
      #expect(try await map.tile(zoom: 1, x: 1, y: 1)?.isGzipped == false)
      for x in 0...1 {
        await #expect(throws: (any Error).self) { try await map.tile(zoom: 1, x: x, y: 0) }
      }
    }
  }

  @Test func `other files are rejected with the reason`() throws {
    let packed = try MapFile()
    try packed.put(zoom: 0, column: 0, row: 0, Data([0x1F, 0x8B, 8, 0, 0, 0]))
    #expect(fault(of: packed).contains("neither images"))
    #expect(fault(of: try MapFile()).contains("no tile"))
    let deep = try Self.map()
    try deep.run("UPDATE metadata SET value = '31' WHERE name = 'maxzoom'")
    #expect(fault(of: deep).contains("zoom"))
    let upside = try Self.map()
    try upside.run("UPDATE metadata SET value = '9' WHERE name = 'minzoom'")
    #expect(fault(of: upside).contains("zoom"))
    let bare = try Self.map()
    try bare.run("DROP TABLE tiles")
    #expect(fault(of: bare).contains("not an MBTiles or PMTiles file"))
    let text = FileManager.default.temporaryDirectory
      .appending(path: "map\(UInt32.random(in: 0 ... .max)).txt")
    try Data("no database at all, and long enough to be looked at".utf8).write(to: text)
    defer { do { try FileManager.default.removeItem(at: text) } catch { print("\(error)") } }
    #expect(throws: BaseMap.Fault.self) { try BaseMap(opening: text.path) }
    #expect(throws: BaseMap.Fault.self) { try BaseMap(opening: "/nowhere/at/all.mbtiles") }
    #expect(throws: BaseMap.Fault.self) { try BaseMap(opening: NSTemporaryDirectory()) }
  }

  @Test func `missing metadata is derived from the tiles`() throws {
    let file = try MapFile()
    try file.put(zoom: 7, column: 60, row: 70, MapFile.webp)
    try file.put(zoom: 9, column: 240, row: 280, MapFile.webp)
    let about = try BaseMap(opening: file.path).about
    #expect(about.zooms == 7...9 && about.format == .webp && about.bounds == nil)
    for wrong in ["1,2,3", "a,b,c,d", "8,40,7,41", "-190,40,7,41", "", "nan,nan,nan,nan"] {
      try file.run("DELETE FROM metadata")
      try file.write(["bounds": wrong])
      #expect(try BaseMap(opening: file.path).about.bounds == nil, "\(wrong)")
    }
  }

  @Test func `a tile that is too large, or not an image, is rejected`() async throws {
    let file = try Self.map()
    let large = try #require(MapFile.png) + Data(count: BaseMap.tileBytes)
    try file.put(zoom: 1, column: 0, row: 0, large)
    try file.put(zoom: 1, column: 1, row: 0, Data("<svg onload=alert(1)>".utf8))
    try file.run("INSERT INTO tiles VALUES (1, 0, 1, 'text'), (2, 2, 2, NULL)")
    let map = try BaseMap(opening: file.path)
    for (x, y) in [(0, 1), (1, 1)] {
      await #expect(throws: BaseMap.Fault.self) { try await map.tile(zoom: 1, x: x, y: y) }
    }
    #expect(try await map.tile(zoom: 1, x: 0, y: 0) == nil)
    #expect(try await map.tile(zoom: 2, x: 2, y: 1) == nil)
    #expect(try await map.tile(zoom: 0, x: 0, y: 0)?.format == .png)
  }

  @Test func `a file with an endless query is abandoned`() throws {
    let file = try MapFile()
    try file.run(
      """
      DROP TABLE tiles;
      CREATE TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
        SELECT i FROM n;
      CREATE VIEW tiles AS SELECT a.i AS zoom_level, b.i AS tile_column, c.i AS tile_row,
        x'00' AS tile_data FROM n a, n b, n c, n d, n e WHERE a.i + b.i + c.i + d.i + e.i < 0;
      """)
    #expect(fault(of: file).contains("interrupt"))
  }

  @Test(arguments: [
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT x'00' AS t FROM n",
    "SELECT randomblob(4000000) AS t FROM metadata ORDER BY t",
    "SELECT hex(zeroblob(2000000)) AS t FROM metadata", "SELECT load_extension('x') AS t",
    "SELECT name AS t FROM pragma_database_list",
  ])
  func `a view may read the file's tables, and nothing else`(query: String) throws {
    let file = try MapFile()
    try file.write(["format": "pbf"])
    try file.run(
      """
      DROP TABLE tiles;
      CREATE VIEW tiles AS SELECT 0 AS zoom_level, 0 AS tile_column, 0 AS tile_row,
        t AS tile_data FROM (\(query));
      """)
    #expect(fault(of: file).contains("not an MBTiles or PMTiles file"))
  }

  @Test func `tiles that are stored once are read through their view`() async throws {
    let file = try Self.map()
    try file.run(
      """
      ALTER TABLE tiles RENAME TO shallow;
      CREATE TABLE images AS SELECT rowid AS tile_id, tile_data FROM shallow;
      CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, images.tile_data AS tile_data
        FROM shallow JOIN images ON images.tile_id = shallow.rowid;
      """)
    let map = try BaseMap(opening: file.path)
    #expect(try await map.tile(zoom: 0, x: 0, y: 0)?.format == .png)
  }

  @Test func `a file with a virtual table is rejected`() throws {
    let file = try Self.map()
    try file.run("CREATE VIRTUAL TABLE words USING fts5(word)")
    #expect(fault(of: file).contains("virtual table"))
  }

  @Test func `an empty tile is none, and the first tile may be one`() async throws {
    let file = try MapFile()
    try file.write(["minzoom": "0", "maxzoom": "2"])
    try file.put(zoom: 1, column: 0, row: 1, nil)
    try file.put(zoom: 0, column: 0, row: 0, MapFile.png)
    let map = try BaseMap(opening: file.path)
    #expect(map.about.format == .png)
    #expect(try await map.tile(zoom: 1, x: 0, y: 0) == nil)
    #expect(try await map.tile(zoom: 0, x: 0, y: 0)?.format == .png)
  }

  @Test func `a file in WAL mode is read, and nothing is written beside it`() async throws {
    let folder = try TestFolder()
    let file = try Self.map()
    try file.run("PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)")
    let copy = folder.path + "/a 100%?#.mbtiles"
    try FileManager.default.copyItem(atPath: file.path, toPath: copy)
    let map = try BaseMap(opening: copy)
    #expect(try await map.tile(zoom: 0, x: 0, y: 0)?.format == .png)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
  }

  @Test func `a file that becomes shorter while it is shown stops no node`() async throws {
    let file = try Self.map()
    try file.put(zoom: 1, column: 0, row: 0, MapFile.jpeg + Data(count: 100_000))
    let map = try BaseMap(opening: file.path)
    #expect(try await map.tile(zoom: 0, x: 0, y: 0) != nil)
    // What follows the first page is gone from the memory of the helper, which is stopped.
    #expect(truncate(file.path, 4096) == 0)
    for _ in 0..<2 {
      await #expect(throws: (any Error).self) { try await map.tile(zoom: 1, x: 0, y: 1) }
    }
  }

  @Test func `the file is only read`() async throws {
    let file = try Self.map()
    let before = try Data(contentsOf: URL(filePath: file.path))
    let map = try BaseMap(opening: file.path)
    _ = try await map.tile(zoom: 0, x: 0, y: 0)
    #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
  }
}
