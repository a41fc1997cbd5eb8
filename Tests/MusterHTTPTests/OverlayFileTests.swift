import Foundation
import MusterInterchange
import MusterLocation
import MusterTestKit
import Testing

@testable import MusterHTTP

@Suite struct `A file of shapes` {
  /// Written by another program, with its document compressed, beside a picture.
  private static let kmz = """
    UEsDBBQAAAAIAGy/e12U+lP0ngAAAN8AAAAHAAAAZG9jLmttbFXOQQ6CMBAF0L2nIF1rq0TUkKHsjEsWeoCmTmoD7RBaheNb
    0QXuJj8v/w/Uk+uyFw7Bkq/Yjm9Zhl7T3XpTsdv1vDmxWq6gTSpJHyr2iLEvhRjHkVOP3tjAPUaRhMh5zr6sNNOfNESmQ67J
    zRCnOGMJTac0OjW0ErxyKC/PCGK+oCHrowRNNKR3VMQgj7xY7w+8ALFMQfyoWLR9duQbUEsDBBQAAAAIAGy/e12lvutbBgAA
    AAQAAAAOAAAAZmlsZXMvaWNvbi5wbmfrDPBzBwBQSwECFAMUAAAACABsv3tdlPpT9J4AAADfAAAABwAAAAAAAAAAAAAAgAEA
    AAAAZG9jLmttbFBLAQIUAxQAAAAIAGy/e12lvutbBgAAAAQAAAAOAAAAAAAAAAAAAACAAcMAAABmaWxlcy9pY29uLnBuZ1BL
    BQYAAAAAAgACAHEAAAD1AAAAAAA=
    """

  private func overlay(_ text: String) throws -> MapOverlay { try MapOverlay(Data(text.utf8)) }

  private func fault(_ data: Data) -> String {
    do {
      return "\(try MapOverlay(data).features.count) shapes"
    } catch {
      return "\(error)"
    }
  }

  private func feature(_ geometry: String, _ properties: String = "{}") -> String {
    #"{"type": "Feature", "properties": \#(properties), "geometry": \#(geometry)}"#
  }

  private func point(_ properties: String) -> String {
    feature(#"{"type": "Point", "coordinates": [7.5, 46.5]}"#, properties)
  }

  private func archive(_ files: [(String, String)]) throws -> Data {
    var archive = ZipArchive()
    var bytes: [UInt8] = []
    for (name, text) in files {
      let added = archive.add(name, Array(text.utf8))
      bytes += try #require(added)
    }
    return Data(bytes + archive.end())
  }

  private static let hut =
    "<kml><Placemark><name>Hut</name><Point><coordinates>7.5,46.5</coordinates></Point>"
    + "</Placemark></kml>"

  @Test func `names are those of the keys that programs write`() throws {
    let texts = [
      #"{"Name": "Upper"}"#, #"{"title": "Title", "description": "<b>Dry</b>"}"#,
      #"{"name": 12}"#, #"{"NAME": "Esri"}"#, #"{"label": "Label", "name": null}"#,
      #"{"SITE_NAME": "Site"}"#, #"{"desc": "Spring"}"#, "{}",
    ]
    let features = try overlay(texts.map(point).joined(separator: "\n")).features
    #expect(
      features.map(\.name) == ["Upper", "Title", "12", "Esri", "Label", "Site", "Spring", ""])
    #expect(features.map(\.details) == ["", "Dry", "", "", "", "", "", ""])
  }

  @Test func `what cannot be used is named by its line, and the rest is shown`() throws {
    let shapes = try overlay(
      """
      {"type": "FeatureCollection", "features": [
      {"type": "Feature", "geometry": null, "properties": {"title": "Segments"}},
      \(point(#"{"title": "Clue 3"}"#)),
      \(feature(#"{"type": "Point", "coordinates": [7.5, nan]}"#)),
      \(feature(#"{"type": "LineString", "coordinates": [[7.5, 46.5], [NaN, 1], [7.6, 46.5]]}"#)),
      \(feature(#"{"type": "Polygon", "coordinates": [[[0, 0], [0, 95], [3, 3], [0, 0]]]}"#)),
      \(feature(#"{"type": "Circle", "coordinates": [1, 2]}"#))]}
      """)
    #expect(shapes.features.map(\.shape.places.count) == [1, 2])
    let omissions = shapes.outcome.omissions.map(\.description)
    #expect(omissions.count == 5 && shapes.outcome.used == 2)
    for (omission, start) in zip(
      omissions,
      [
        "line 2 (Segments), no coordinates", "line 4, not JSON", "line 5, [null,1] is not",
        "line 6, [0,95] is not", "line 7, Circle, which is no geometry",
      ])
    { #expect(omission.hasPrefix(start), "\(omission)") }
  }

  @Test func `sequences are read`() throws {
    let two = [point("{}"), point("{}")]
    #expect(try overlay(two.joined(separator: "\n") + "\n").features.count == 2)
    #expect(try overlay(two.map { "\u{1E}\($0)\n" }.joined()).features.count == 2)
  }

  @Test func `shapes across 180 degrees are short, and so is their extent`() throws {
    let line = #"{"type": "LineString", "coordinates": [[179.9, -16.8], [-179.9, -16.7]]}"#
    for text in [line, line.replacing("-179.9", with: "180.1")] {
      let ferry = try overlay(text)
      #expect(ferry.bounds == [179.9, -16.8, -179.9, -16.7])
      let parts = ferry.json["features"].elements?.first?["geometry"]["coordinates"].text
      #expect(
        parts == "[[[179.9,-16.8],[180,-16.75]],[[-180,-16.75],[-179.9,-16.7]]]")
    }
  }

  @Test func `archives are read, those of this program too`() throws {
    let data = try #require(
      Data(base64Encoded: Self.kmz, options: .ignoreUnknownCharacters))
    #expect(try MapOverlay(data).features.map(\.name) == ["Hut"])
    let bad = "<kml><Placemark><name>A</name></Placemark></kml>"
    let both = try MapOverlay(
      archive([("doc.kml", Self.hut), ("more/a.KML", bad), ("x.png", "x")]))
    #expect(both.features.count == 1)
    #expect(both.outcome.omissions.map(\.description) == ["more/a.KML line 1 (A), no coordinates"])
    #expect(fault(try archive([("a.png", "x")])).contains("no KML, GPX, GeoJSON or"))
    #expect(fault(try archive([("a.shp", "x")])).contains("a.shp, it is not a Shapefile"))
    for length in stride(from: 4, to: data.count, by: 7) {
      #expect(fault(data.prefix(length)).contains("cut off"), "\(length)")
    }
  }

  @Test func `an archive that is larger inside is bounded while it is read`() throws {
    let data = try #require(Data(base64Encoded: Self.kmz, options: .ignoreUnknownCharacters))
    let archive = try ZipFile(data)
    let document = try #require(archive.entries.first)
    #expect(try archive.content(of: document, atMost: 223).count == 223)
    #expect(throws: ZipFile.Fault.self) { try archive.content(of: document, atMost: 222) }
  }

  @Test func `an older PMTiles file is named with its remedy`() throws {
    let home = try TestFolder()
    let file = try home.write(Data("PM".utf8) + [2, 0] + Data(count: 600), as: "v2.pmtiles")
    let fault = BaseMap.Fault(
      "\(file) is PMTiles of version 1 or 2: convert it to version 3 with `pmtiles convert OLD NEW`"
    )
    #expect(throws: fault) { try MapContent.read(file) }
  }

  @Test func `a strict import adds all or nothing, and every outcome is in the list`() async throws
  {
    let home = try TestFolder()
    let folder = MapFolder(in: home.path)
    let text = #"{"type": "FeatureCollection", "features": [\#(point("{}")), \#(feature("null"))]}"#
    try await WebStage.run(maps: try MapCollection(in: folder)) { web in
      let refused = try await web.client.ask("POST", "/api/v1/maps/a.json?strict=true", body: text)
      #expect(
        refused.status == 422 && refused.body.contains("1 left out: line 1, no coordinates"),
        "\(refused)")
      #expect(try await web.get("/api/v1/maps").items.isEmpty)
      let added = try await web.client.ask("POST", "/api/v1/maps/a.json", body: text)
      #expect(added.status == 201)
      for json in [added.json, try await web.get("/api/v1/maps").items[0]] {
        #expect(json["import"]["used"] == .count(1) && json["import"]["leftOut"] == .count(1))
        #expect(json["import"]["omissions"].elements?.first?["place"].word == "line 1")
      }
    }
    let source = try home.write(Data(text.utf8), as: "b.json")
    #expect(throws: BaseMap.Fault.self) { try folder.add(source, isStrict: true) }
    #expect(try folder.add(source).outcome?.omissionText == "1 left out: line 1, no coordinates")
  }

  @Test func `no changed byte of a file makes a reader trap`() throws {
    var generator = SplitMix64(seed: 52)
    let files = [
      Data(Self.hut.utf8),
      Data(#"{"type": "FeatureCollection", "features": [\#(point("{}"))]}"#.utf8),
      try #require(Data(base64Encoded: Self.kmz, options: .ignoreUnknownCharacters)),
      Data("\(point("{}"))\n\(point("{}"))\n".utf8),
    ]
    var read = 0
    for _ in 0..<4000 {
      var file = files[Int(generator.next() % UInt64(files.count))]
      for _ in 0...(generator.next() % 3) {
        let index = Int(generator.next() % UInt64(file.count))
        file[index] = UInt8(truncatingIfNeeded: generator.next() >> 8)
      }
      if let overlay = try? MapOverlay(file) { read += overlay.features.count }
    }
    #expect(read > 100)
  }
}
