import Foundation
import MusterInterchange
import MusterModel
import MusterTestKit
import Testing

/// GDAL reads the file, and its validator checks each requirement of the standard.
extension OperationExportTests {
  private static let validator = "osgeo_utils.samples.validate_gpkg"
  private static var hasGDAL: Bool {
    Installed.has("ogrinfo")
      && Installed.hasFile(
        URL(filePath: "/usr/lib/python3/dist-packages/osgeo_utils/samples/validate_gpkg.py"))
  }

  /// Prints all layers of a file as one JSON document.
  private static let reader = """
    import json, sys
    from osgeo import ogr
    ogr.UseExceptions()
    source = ogr.Open(sys.argv[1])
    print(json.dumps([
      dict(name=layer.GetName(), srs=layer.GetSpatialRef().GetAuthorityCode(None),
        features=[json.loads(f.ExportToJson()) for f in layer])
      for layer in (source.GetLayer(i) for i in range(source.GetLayerCount()))]))
    """

  /// The system's Python, which has GDAL's modules.
  private static func python(
    _ words: [String], in folder: TemporaryFolder, name: String
  ) async throws -> Ended {
    try await Child(
      URL(filePath: "/usr/bin/python3"), words, environment: ["LC_ALL": "C.UTF-8"],
      in: folder.url, name: name
    ).end(within: .seconds(60))
  }

  /// Writes the file, has it validated, and reads it.
  private func layers(of export: OperationExport) async throws -> [MusterTestKit.JSON] {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "flood.gpkg")
    try Data(export.geoPackage()).write(to: file)
    let valid = try await Self.python(
      ["-m", Self.validator, file.path], in: folder, name: "validate")
    #expect(valid.status == 0, "\(valid)")
    let read = try await Self.python(["-c", Self.reader, file.path], in: folder, name: "read")
    guard read.status == 0 else { throw Failed("\(read)") }
    return try read.json().items
  }

  @Test func `a GeoPackage is the same for the same content`() throws {
    let bytes = try export().geoPackage()
    #expect(try export().geoPackage() == bytes)
    #expect(bytes.starts(with: Array("SQLite format 3".utf8)))
    #expect(bytes[68..<72].elementsEqual("GPKG".utf8))
  }

  @Test(.enabled(if: hasGDAL, "needs gdal-bin and python3-gdal"))
  func `GDAL reads a valid GeoPackage with every layer, in WGS 84`() async throws {
    let layers = try await layers(of: export())
    #expect(
      layers.map { $0["name"].text } == ["members", "reports", "fences", "events", "tracks"])
    #expect(layers.allSatisfy { $0["srs"].text == "4326" })
    let kinds = layers.map { $0["features"][0]["geometry"]["type"].text }
    #expect(kinds == ["Point", "Point", "MultiPolygon", "Point", "MultiLineString"])
    let names = layers.map { $0["features"][0]["properties"]["name"].text }
    #expect(
      names == [
        "=1+1", "<Gas> & \"smoke\"", "School, old",
        "A \"quoted\" & <bent> name ENTER School, old", "</trk>",
      ])
    let report = layers[1]["features"][0]
    #expect(report["geometry"]["coordinates"].items.map(\.number) == [-11.5, 47.0000001])
    #expect(report["properties"]["reportSeverity"].number == 4)
    #expect(report["properties"]["toEvacuate"].truth == true)
    #expect(layers[2]["features"][0]["properties"]["radius_m"].number == 50)
    // Each property of the map formats is a column.
    let collection = try JSON.read(Array(export().geoJSON().utf8))
    for feature in try #require(collection.members?["features"]?.elements) {
      let properties = try #require(feature.members?["properties"]?.members)
      let kind = try #require(properties["muster"]?.word)
      let layer = try #require(
        layers.first { $0["name"].text == (kind == "user" ? "members" : kind + "s") })
      let columns = layer["features"][0]["properties"].keys
      let imported: Set = ["gate", "remark"]
      #expect(Set(properties.keys).subtracting(columns).subtracting(imported) == ["muster"])
    }
  }

  @Test(.enabled(if: hasGDAL, "needs gdal-bin and python3-gdal"))
  func `an empty operation, and a circle around a pole, make a valid GeoPackage`() async throws {
    let empty = OperationExport(
      name: "Empty", users: [], reports: [], fences: [], events: [], tracks: [])
    #expect(try await layers(of: empty).allSatisfy { $0["features"].items.isEmpty })
    let pole = FenceSummary(
      id: RowID(raw: Bytes16(high: 0, low: 3)), name: "Pole", kind: .info, isActive: true,
      geometry: .circle(center: degrees(90, 0), radiusCentimetres: 5000), dwellSeconds: 0,
      mode: .careful, needs: nil, properties: "", inside: [], conflicts: [],
      createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 0))
    let fences = try await layers(
      of: OperationExport(
        name: "Pole", users: [], reports: [], fences: [pole], events: [], tracks: []))[2]
    #expect(fences["features"][0]["geometry"] == .null)
    #expect(fences["features"][0]["properties"]["lat"].number == 90)
  }
}
