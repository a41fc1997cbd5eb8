import Foundation
import Testing

@testable import MusterHTTP

@Suite struct `A PMTiles file` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func opened(_ builder: PMTilesBuilder) throws -> BaseMap {
    try BaseMap(opening: folder.write(builder.file(), as: "map.pmtiles"))
  }

  private func fault(of data: Data) throws -> String {
    let path = try folder.write(data, as: "map.pmtiles")
    do {
      _ = try BaseMap(opening: path)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  /// A vector tile with one layer that contains the number of the tile.
  private static func vector(_ id: UInt64) -> Data {
    Data([TileFormat.layerTag, 9]) + PMTilesBuilder.little(id, 9)
  }

  @Test func `a tile's number is its place on the curve of the specification`() {
    for (z, x, y, number) in [
      (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5),
      (12, 3423, 1763, 19_078_479),
    ] {
      #expect(PMTilesDirectory.tile(zoom: z, x: x, y: y) == UInt64(number), "\(z)/\(x)/\(y)")
    }
    // Each number of a zoom level occurs once.
    for zoom in 0...5 {
      let side = 1 << zoom
      let numbers = Set(
        (0..<side * side).map {
          PMTilesDirectory.tile(zoom: zoom, x: $0 % side, y: $0 / side)
        })
      let first = ((1 << (2 * zoom)) - 1) / 3
      #expect(numbers == Set((first..<first + side * side).map { UInt64($0) }))
    }
    let last = (1 << 30) - 1
    #expect(PMTilesDirectory.tile(zoom: 30, x: last, y: 0) == (UInt64(1) << 62 - 1) / 3 - 1)
  }

  @Test func `metadata and images are read from a root directory`() async throws {
    var builder = PMTilesBuilder()
    let png = try #require(MapFile.png)
    builder.tiles = [(0, 1, png), (1, 2, MapFile.jpeg), (4, 1, MapFile.webp)]
    for compression: UInt8 in [1, 2] {
      builder.compression = compression
      let map = try opened(builder)
      #expect(map.about.name == "Valley" && map.about.attribution == "© me")
      #expect(map.about.zooms == 0...14 && map.about.format == .png)
      #expect(map.about.bounds == [-8.5, 40, -7, 41] && map.about.layers == ["water"])
      #expect(try await map.tile(zoom: 0, x: 0, y: 0)?.bytes == Array(png))
      // Two tiles share a content.
      #expect(try await map.tile(zoom: 1, x: 0, y: 0)?.format == .jpg)
      #expect(try await map.tile(zoom: 1, x: 0, y: 1)?.format == .jpg)
      #expect(try await map.tile(zoom: 1, x: 1, y: 1) == nil)
      #expect(try await map.tile(zoom: 1, x: 1, y: 0)?.format == .webp)
      #expect(try await map.tile(zoom: 2, x: 0, y: 0) == nil)
    }
  }

  @Test func `the layers of a file that was converted from MBTiles are read too`() throws {
    var builder = PMTilesBuilder(type: 1)
    builder.metadata = #"{"json": "{\"vector_layers\": [{\"id\": \"roads\"}]}"}"#
    #expect(try opened(builder).about.layers == ["roads"])
    builder.metadata = #"{"json": "{\"json\": \"{}\""}"#
    #expect(try opened(builder).about.layers == [])
  }

  @Test func `vector tiles are found through leaf directories`() async throws {
    var builder = PMTilesBuilder(type: 1, leafTiles: 16)
    builder.tiles = (0..<341).map { ($0, 1, PMTilesBuilder.gzip(Self.vector($0))) }
    let map = try opened(builder)
    for zoom in 0...4 {
      for place in 0..<1 << (2 * zoom) {
        let (x, y) = (place % (1 << zoom), place >> zoom)
        let tile = try #require(try await map.tile(zoom: zoom, x: x, y: y))
        #expect(tile.isGzipped && tile.format == .pbf)
        let number = PMTilesDirectory.tile(zoom: zoom, x: x, y: y)
        #expect(try tile.inflated == Array(Self.vector(number)), "\(zoom)/\(x)/\(y)")
      }
    }
    #expect(try await map.tile(zoom: 5, x: 0, y: 0) == nil)
  }

  @Test func `what cannot be read is rejected with the reason`() throws {
    var builder = PMTilesBuilder()
    builder.tiles = [(0, 1, MapFile.png ?? Data())]
    func changed(_ offset: Int, _ value: UInt8) -> Data {
      var data = builder.file()
      data[offset] = value
      return data
    }
    #expect(try fault(of: changed(7, 2)).contains("version 2"))
    #expect(try fault(of: changed(97, 3)).contains("Brotli"))
    #expect(try fault(of: changed(97, 4)).contains("Zstandard"))
    #expect(try fault(of: changed(98, 4)).contains("Zstandard"))
    #expect(try fault(of: changed(99, 5)).contains("type 5"))
    #expect(try fault(of: changed(101, 31)).contains("zoom"))
    #expect(try fault(of: changed(14, 1)).contains("cut off"))
    #expect(try fault(of: builder.file().prefix(90)).contains("not a PMTiles"))
    #expect(try fault(of: builder.file().dropLast()).contains("cut off"))
    builder.metadata = "{"
    #expect(try fault(of: builder.file()).contains("metadata"))
  }

  @Test func `directories that claim too much are rejected`() throws {
    func directory(_ bytes: Data) -> BaseMap.Fault? {
      do {
        _ = try PMTilesDirectory(Array(bytes))
        return nil
      } catch {
        return error
      }
    }
    func numbers(_ values: UInt64...) -> Data {
      values.reduce(into: Data()) { $0 += PMTilesBuilder.varint($1) }
    }
    #expect(directory(numbers(0)) == nil)
    let bad: [Data] = [
      Data(), numbers(.max), numbers(1_000_000_000) + Data(count: 100), numbers(250_001),
      Data(repeating: 0xFF, count: 30),
      // The same tile twice, an empty tile, and a follower of nothing.
      numbers(2, 1, 0, 1, 1, 1, 1, 1, 1), numbers(1, 1, 1, 0, 1), numbers(1, 1, 1, 1, 0),
      // An end beyond 64 bits, and a run beyond 32.
      numbers(2, 1, 1, 1, 1, 9, 9, .max, 0), numbers(1, 1, 1 << 32, 1, 1),
    ]
    for bad in bad {
      #expect(directory(bad) != nil, "\(Array(bad))")
    }
  }

  @Test func `leaf directories that lead to themselves, and huge tiles, end with an error`()
    async throws
  {
    // The leaf directory is the root directory again.
    var builder = PMTilesBuilder(compression: 1)
    builder.metadata = "{}"
    builder.tiles = [(0, 1, Data([1]))]
    builder.leafTiles = 1
    var data = builder.file()
    let root = PMTilesBuilder.directory([(0, 0, 0, 5)])
    data.replaceSubrange(127..<127 + root.count, with: root)
    data.replaceSubrange(40..<56, with: PMTilesBuilder.little(127, 8) + PMTilesBuilder.little(5, 8))
    let loop = try BaseMap(opening: folder.write(data, as: "loop.pmtiles"))
    await #expect(throws: BaseMap.Fault.self) { try await loop.tile(zoom: 0, x: 0, y: 0) }

    var vectors = PMTilesBuilder(type: 1)
    let bomb = Data([TileFormat.layerTag]) + Data(count: BaseMap.inflatedBytes)
    vectors.tiles = [
      (0, 1, PMTilesBuilder.gzip(bomb)), (1, 1, Data("<svg onload=alert(1)>".utf8)),
      (2, 1, Data([0])),
    ]
    let map = try opened(vectors)
    for (zoom, x, y) in [(0, 0, 0), (1, 0, 0), (1, 0, 1)] {
      await #expect(throws: (any Error).self) { try await map.tile(zoom: zoom, x: x, y: y) }
    }
    let small = PMTilesBuilder.gzip(Data(count: 1000))
    #expect(throws: Gzip.Fault.self) { try Gzip.inflated(Array(small), limit: 999) }
    #expect(try Gzip.inflated(Array(small), limit: 1000).count == 1000)
    #expect(throws: Gzip.Fault.self) { try Gzip.inflated(Array(small.dropLast(9)), limit: 1000) }
  }

  @Test func `damaged files never stop the node`() async throws {
    var builder = PMTilesBuilder(type: 1, leafTiles: 4)
    builder.tiles = (0..<21).map { ($0, 1, PMTilesBuilder.gzip(Self.vector($0))) }
    let whole = builder.file()
    let end = whole.count - builder.tiles.reduce(0) { $0 + $1.content.count }
    var (refused, answered) = (0, 0)
    var state: UInt64 = 7
    for round in 0..<1500 {
      var data = whole
      if round % 3 == 0 {
        data = data.prefix(round * whole.count / 1500)
      } else {
        for _ in 0...round % 4 {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          data[Int(state >> 33) % end] = UInt8(truncatingIfNeeded: state >> 20)
        }
      }
      let path = try folder.write(data, as: "damaged.pmtiles")
      do {
        let map = try BaseMap(opening: path)
        for zoom in 0...2 { _ = try await map.tile(zoom: zoom, x: 0, y: (1 << zoom) - 1) }
        answered += 1
      } catch {
        #expect(!"\(error)".isEmpty)
        refused += 1
      }
    }
    #expect(refused > 500 && answered > 20, "\(refused) refused, \(answered) answered")
  }

  @Test func `a file of 1 GB is opened, and answers`() async throws {
    var builder = PMTilesBuilder(type: 1)
    builder.tiles = [(0, 1, Self.vector(0))]
    let path = try folder.write(builder.file(), as: "large.pmtiles")
    // The tiles section is 1 GB long, most of it a hole.
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    let size: UInt64 = 1 << 30
    let start = UInt64(builder.file().count - Self.vector(0).count)
    try file.truncate(atOffset: size)
    try file.seek(toOffset: 64)
    try file.write(contentsOf: PMTilesBuilder.little(size - start, 8))
    try file.close()
    let map = try BaseMap(opening: path)
    #expect(try await map.tile(zoom: 0, x: 0, y: 0)?.bytes == Array(Self.vector(0)))
  }
}
