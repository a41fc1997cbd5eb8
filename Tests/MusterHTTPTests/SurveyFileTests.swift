import Foundation
import GRDBSQLite
import MusterInterchange
import MusterLocation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterHTTP

/// Bits as deflate packs them: the first is the lowest of its byte.
private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var used = 8

  mutating func append(_ value: Int, _ count: Int) {
    for bit in 0..<count {
      if used == 8 {
        bytes.append(0)
        used = 0
      }
      bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(used)
      used += 1
    }
  }
}

/// Shapefiles and GeoPackages, as QGIS and GDAL write them.
@Suite struct `A survey file` {
  /// `ogr2ogr -t_srs EPSG:32632`: areas, ways and huts, each with its table and reference system.
  private static let zipped = """
    UEsDBBQAAAAIAM88fl2uiQvl/wAAAJABAAAIAAAAd2F5cy5wcmplj1FrgzAUhf9LnoNootU8ljZ1lsUUtQwmEoK9swFJIc22
    v7/YMbZ2ecjDOd85h3to5H7T9uilbFXCilQdO6FeLxYUJTXCJZflYodP/SAIb9fdUfRo+0dqD0+8kdX2twnhFc2LhOZRjAkr
    IpLlhNBsRYcBH5pK8NBQOgD7acYzwnEUD/hYV13ohSnoNynJ04wSRrKEsZR+R+Web7pK1j3qnLbXD3BXUALcqP3FoUCsm7Xg
    HW96tNNz8Li+emMnhLN4ecvQP6a+OH++QY/+Bqx3el4WzMloizB7INpRz6B2elz2Q54xtroDnrU3/v0ESr4p6cxk7N29AjyE
    YBKU4QtQSwMEFAAAAAgAzzx+XfX2ALMvAAAAdAAAAAgAAABodXRzLnNoeGNgUOdiwA6sXjAzMDACGdtrM/Uemco4ls6QZb/x
    O9gRnY9DPzIwAmKQPQ5AzAQAUEsDBBQAAAAIAM88fl0Wk3qyMgAAAIwAAAAIAAAAaHV0cy5zaHBjYFDnYsAO3F4wMzAwAhnb
    azP1HpnKOJbOkGW/8TvYEZ2PQz8yABnDhc0soBATFDMAAFBLAwQUAAAACADPPH5ddplULRoBAAD8AQAACQAAAGFyZWFzLnNo
    cGNgUOdiwA7+vWBmYGAFMrbXZuo9MpVxjFmjyL7rd7BjiofXnh5POUeBnsTITWwhjjj0IwNGIM5CNmvDlXi5s0CzngUv//Z0
    jQzcLCagGpiDkNWXzpBlvwFUrzbretN/M4R6mH6WqzmFy4H80xembGZcgzAfXf/KTT1XdvjKOC4oZA5g/BfsyHJwRXFYqozj
    JPE1HP//Bju2Lch+3wXkM/3x3qTFEOJ4rK5+xnug+iSm2T91gHx0/UAngpwcBXKrxxc9B0UlWYxwSte89WwG1G8cUL+xIKk3
    YHFadASo/v+eKZ83zZCFq+djiLnkAOSXqR2ctA8oj66+z8IhI4FPznGG2O33yPYdzOmLngLU35LMZFIA5MPcg64eAFBLAwQU
    AAAACADPPH5dCTgx6i8AAADkAAAACAAAAGh1dHMuZGJmY67jlmNiYGBwZAhkwAbyEnNToUxnEBGAJs+r4HF4T0lJqgL1gE9q
    ahEVjVOQAgBQSwMEFAAAAAgAzzx+XSZJg9Q+AAAAdAAAAAkAAABhcmVhcy5zaHhjYFDnYsAOrF4wMzCwAhnbazP1HpnKOMas
    UWTf9TvYMcXDa0+Pp5yjQE9i5Ca2EEcc+pGBERBnAfECII4CAFBLAwQUAAAACADPPH5dUDyBDgcAAAAFAAAACAAAAGh1dHMu
    Y3BnCw1x07UAAFBLAwQUAAAACADPPH5drokL5f8AAACQAQAACAAAAGh1dHMucHJqZY9Ra4MwFIX/S56DaKLVPJY2dZbFFLUM
    JhKCvbMBSSHNtr+/2DG2dnnIwznfOYd7aOR+0/bopWxVwopUHTuhXi8WFCU1wiWX5WKHT/0gCG/X3VH0aPtHag9PvJHV9rcJ
    4RXNi4TmUYwJKyKS5YTQbEWHAR+aSvDQUDoA+2nGM8JxFA/4WFdd6IUp6DcpydOMEkayhLGUfkflnm+6StY96py21w9wV1AC
    3Kj9xaFArJu14B1verTTc/C4vnpjJ4SzeHnL0D+mvjh/vkGP/gasd3peFszJaIsweyDaUc+gdnpc9kOeMba6A561N/79BEq+
    KenMZOzdvQI8hGASlOELUEsDBBQAAAAIAM88fl39yvCaQAAAAGwAAAAIAAAAd2F5cy5zaHhjYFDnYsAOzF4wMzDwAhnbazP1
    HpnKOJbOkGW/8TvYMe/TVOObz2UcZZ/JPlvEFuIIUV7pAKYcqhywmGUExC4AUEsDBBQAAAAIAM88fl2gS7tERQAAAKQBAAAJ
    AAAAYXJlYXMuZGJmY67jlmNiYGBIZFjIgAHCGRj8EnNToTxnEBGApiQvvwSvPK9CcGp2SX6RQvCfFAWqgOKS1Mwc6hgFAVHl
    qZnUNI/aQAoAUEsDBBQAAAAIAM88fl0EMAULKAAAAJMAAAAIAAAAd2F5cy5kYmZjruOWY2RgYHBkCGTAAOEMDCWZJTmpEJ4z
    iAhAU8KrEJ6arkBNIAUAUEsDBBQAAAAIAM88fl2uiQvl/wAAAJABAAAJAAAAYXJlYXMucHJqZY9Ra4MwFIX/S56DaKLVPJY2
    dZbFFLUMJhKCvbMBSSHNtr+/2DG2dnnIwznfOYd7aOR+0/bopWxVwopUHTuhXi8WFCU1wiWX5WKHT/0gCG/X3VH0aPtHag9P
    vJHV9rcJ4RXNi4TmUYwJKyKS5YTQbEWHAR+aSvDQUDoA+2nGM8JxFA/4WFdd6IUp6DcpydOMEkayhLGUfkflnm+6StY96py2
    1w9wV1AC3Kj9xaFArJu14B1verTTc/C4vnpjJ4SzeHnL0D+mvjh/vkGP/gasd3peFszJaIsweyDaUc+gdnpc9kOeMba6A561
    N/79BEq+KenMZOzdvQI8hGASlOELUEsDBBQAAAAIAM88fl0C9M5SYQAAAPQAAAAIAAAAd2F5cy5zaHBjYFDnYsAOql4wMzDw
    AhnbazP1HpnKOJbOkGW/8TvYMe/TVOObz2UcZZ/JPlvEFuIIUV7pAKYcqhywmMUIxC7EmAVSyAzVhK72h4L9yeI1Mo4BbpFu
    VowhRLoDyl+AEAcAUEsBAhQDFAAAAAgAzzx+Xa6JC+X/AAAAkAEAAAgAAAAAAAAAAAAAAKSBAAAAAHdheXMucHJqUEsBAhQD
    FAAAAAgAzzx+XfX2ALMvAAAAdAAAAAgAAAAAAAAAAAAAAKSBJQEAAGh1dHMuc2h4UEsBAhQDFAAAAAgAzzx+XRaTerIyAAAA
    jAAAAAgAAAAAAAAAAAAAAKSBegEAAGh1dHMuc2hwUEsBAhQDFAAAAAgAzzx+XXaZVC0aAQAA/AEAAAkAAAAAAAAAAAAAAKSB
    0gEAAGFyZWFzLnNocFBLAQIUAxQAAAAIAM88fl0JODHqLwAAAOQAAAAIAAAAAAAAAAAAAACkgRMDAABodXRzLmRiZlBLAQIU
    AxQAAAAIAM88fl0mSYPUPgAAAHQAAAAJAAAAAAAAAAAAAACkgWgDAABhcmVhcy5zaHhQSwECFAMUAAAACADPPH5dUDyBDgcA
    AAAFAAAACAAAAAAAAAAAAAAApIHNAwAAaHV0cy5jcGdQSwECFAMUAAAACADPPH5drokL5f8AAACQAQAACAAAAAAAAAAAAAAA
    pIH6AwAAaHV0cy5wcmpQSwECFAMUAAAACADPPH5d/crwmkAAAABsAAAACAAAAAAAAAAAAAAApIEfBQAAd2F5cy5zaHhQSwEC
    FAMUAAAACADPPH5doEu7REUAAACkAQAACQAAAAAAAAAAAAAApIGFBQAAYXJlYXMuZGJmUEsBAhQDFAAAAAgAzzx+XQQwBQso
    AAAAkwAAAAgAAAAAAAAAAAAAAKSB8QUAAHdheXMuZGJmUEsBAhQDFAAAAAgAzzx+Xa6JC+X/AAAAkAEAAAkAAAAAAAAAAAAA
    AKSBPwYAAGFyZWFzLnByalBLAQIUAxQAAAAIAM88fl0C9M5SYQAAAPQAAAAIAAAAAAAAAAAAAACkgWUHAAB3YXlzLnNocFBL
    BQYAAAAADQANAMICAADsBwAAAAA=
    """

  private let home: TestFolder

  init() throws { home = try TestFolder() }

  private static func archive() throws -> Data {
    try #require(Data(base64Encoded: zipped, options: .ignoreUnknownCharacters))
  }

  private func fault(_ path: String) -> String {
    do {
      return "\(try MapOverlay(opening: path).features.count) shapes"
    } catch {
      return "\(error)"
    }
  }

  /// Runs SQL on a file.
  private func run(_ sql: String, on path: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK,
      sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK
    else { throw Failed("\(String(cString: sqlite3_errmsg(database)))") }
  }

  private func package() throws -> String {
    let start = Timestamp(milliseconds: 1_786_320_000_000)
    let fixes = [7.5, 7.6].compactMap { Coordinate(latitude: 46.5, longitude: $0) }
      .map { Fix(position: $0, sampleTime: start) }
    let export = OperationExport(
      name: "Flood", users: [], reports: [], fences: [], events: [],
      tracks: [OperationExport.PersonTrack(callsign: "Ana", fixes: fixes)])
    return try home.write(Data(try export.geoPackage()), as: "\(UUID()).gpkg")
  }

  @Test func `a zipped Shapefile in UTM is shown with its names and holes`() throws {
    let overlay = try MapOverlay(Self.archive())
    let names = overlay.features.map(\.name).sorted()
    #expect(names == ["H\u{FC}tte", "Sektor S\u{FC}d", "Weg", "Zwei", "Zwei"], "\(names)")
    let sector = overlay.features.first { $0.name.hasPrefix("Sektor") }
    #expect(sector?.details == "steil")
    #expect(overlay.outcome.omissions.map(\.description) == ["huts.shp record 2, no coordinates"])
    guard case .polygon(let rings)? = sector?.shape else {
      Issue.record("no area")
      return
    }
    #expect(rings.map(\.count) == [5, 5])
    let corner = try #require(rings[0].min())
    #expect(abs(corner.latitude - 47.3) < 1e-6 && abs(corner.longitude - 8.5) < 1e-6, "\(corner)")
  }

  @Test func `another reference system is named with its remedy`() throws {
    let archive = try ZipFile(Self.archive())
    let shapes = try archive.content(
      of: try #require(archive.entries.first { $0.name.hasSuffix("areas.shp") }), atMost: 10_000)
    for (projection, isKnown) in [
      (#"GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",X[1]],UNIT["Degree",0.0174]]"#, true),
      (#"PROJCS["WGS 84 / Pseudo-Mercator",GEOGCS["WGS 84",DATUM["WGS_1984",X[1]]]]"#, true),
      (
        #"PROJCS["NAD83 / UTM zone 10N",GEOGCS["NAD83",DATUM["North_American_Datum_1983",X[]]]]"#,
        true
      ),
      (#"PROJCS["CH1903+_LV95",GEOGCS["GCS_CH1903+",DATUM["D_CH1903+",X[1]]]]"#, false),
      (#"GEOGCS["GCS_European_1950",DATUM["D_European_1950",X[1]],UNIT["Degree",0.0174]]"#, false),
      (#"PROJCS["X",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",X[1]]]]"#, false), ("", false),
    ] {
      do {
        _ = try Shapefile(shapes: shapes, table: nil, projection: projection, encoding: nil)
        #expect(isKnown, "\(projection)")
      } catch {
        #expect(!isKnown && error.description.contains("ogr2ogr"), "\(projection): \(error)")
      }
    }
  }

  @Test func `every layer of a GeoPackage is shown, those of this program too`() throws {
    let path = try package()
    guard case .overlay(let bounds, let outcome) = try MapContent.read(path) else {
      Issue.record("no overlay")
      return
    }
    #expect(bounds == [7.5, 46.5, 7.6, 46.5] && outcome.used == 1 && outcome.leftOut == 0)
    try run(
      "INSERT INTO gpkg_spatial_ref_sys VALUES ('X', 2056, 'EPSG', 2056, 'X', ''); "
        + "UPDATE gpkg_geometry_columns SET srs_id = 2056", on: path)
    #expect(fault(path).contains("its reference system is EPSG:2056"), "\(fault(path))")
  }

  @Test func `neither views nor virtual tables of a GeoPackage are read`() throws {
    for sql in [
      "ALTER TABLE tracks RENAME TO hidden; CREATE VIEW tracks AS SELECT * FROM hidden",
      "DROP TABLE tracks; CREATE VIRTUAL TABLE tracks USING fts5(geom)",
    ] {
      let path = try package()
      try run("PRAGMA foreign_keys = OFF; \(sql)", on: path)
      #expect(fault(path).contains("tracks, a layer that is no table"), "\(sql) \(fault(path))")
    }
  }

  @Test func `no changed byte makes a reader trap`() throws {
    var generator = SplitMix64(seed: 52)
    let archive = try Self.archive()
    let package = try Data(contentsOf: URL(filePath: try package()))
    var read = 0
    // `make fuzz` asks for more.
    let volume = ProcessInfo.processInfo.environment["MUSTER_MUTATIONS"].flatMap { Int($0) }
    for turn in 0..<(volume ?? 600) {
      var file = turn.isMultiple(of: 3) ? package : archive
      for _ in 0...(generator.next() % 3) {
        let index = Int(generator.next() % UInt64(file.count))
        file[index] = UInt8(truncatingIfNeeded: generator.next() >> 8)
      }
      let path = try home.write(file, as: "changed")
      if let overlay = try? MapOverlay(opening: path) { read += overlay.features.count }
    }
    #expect(read > 100)
  }

  @Test func `a GeoPackage is read from its bytes as from the disk`() throws {
    let path = try package()
    let bytes = try Data(contentsOf: URL(filePath: path))
    let (stored, sent) = (try MapOverlay(opening: path), try MapOverlay(bytes))
    #expect(stored.features == sent.features && stored.features.count == 1)
    try run("PRAGMA journal_mode = WAL", on: path)
    #expect(try MapOverlay(opening: path).features == stored.features)
    try FileManager.default.copyItem(atPath: path, toPath: path + "-wal")
    #expect(fault(path).contains("ends in -wal: close it in the program"), "\(fault(path))")
  }

  @Test func `a row without end is left out, and what else there is is shown`() throws {
    let path = try package()
    try run(
      """
      CREATE TABLE big (geom, a, b, c, d, e);
      INSERT INTO big VALUES (x'00', zeroblob(4000000), zeroblob(4000000), zeroblob(4000000),
        zeroblob(4000000), zeroblob(4000000));
      INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id)
        VALUES ('big', 'features', 'big', 4326);
      INSERT INTO gpkg_geometry_columns VALUES ('big', 'geom', 'GEOMETRY', 4326, 0, 0);
      """, on: path)
    let overlay = try MapOverlay(opening: path)
    #expect(overlay.features.count == 1)
    let omissions = overlay.outcome.omissions.map(\.description)
    #expect(omissions.contains { $0.contains("big, a row has more than 16 MiB") }, "\(omissions)")
  }

  @Test func `an archive of 100 megabytes in one is left out within its bound`() throws {
    let start = ContinuousClock.now
    var archive = ZipArchive()
    let added = archive.add("a.kml", Self.zeros(megabytes: 100))
    var bytes = try #require(added)
    let directory = bytes.count
    bytes += archive.end()
    // Deflated, in place of stored.
    for offset in [8, directory + 10] { bytes[offset] = 8 }
    #expect(bytes.count < 1 << 20)
    let path = try home.write(Data(bytes), as: "bomb.kmz")
    #expect(fault(path).contains("larger than 33554432 bytes"), "\(fault(path))")
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  /// Deflate (RFC 1951) with fixed codes: a zero, then the longest repetition again and again.
  private static func zeros(megabytes: Int) -> [UInt8] {
    var bits = BitWriter()
    // The last block, with fixed codes.
    bits.append(0b011, 3)
    bits.append(0b0000_1100, 8)
    // 258 bytes (code 11000101), at distance 1 (code 00000); codes begin with their first bit.
    for _ in 0..<megabytes * 4064 { bits.append(0b00000_1010_0011, 13) }
    bits.append(0, 7)
    return bits.bytes
  }
}
