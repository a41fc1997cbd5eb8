internal import Foundation
internal import MusterLocation
internal import MusterNode

/// The shapes of a GeoPackage (OGC 12-128r17), a SQLite file from an untrusted source: see
/// `ForeignDatabase`. Only its tables are read, neither views nor virtual tables.
enum GeoPackageOverlay {
  /// What `isGeoPackage` needs of a file.
  static let headerBytes = 72
  private static let mostLayers = 1000
  /// The numbers are degrees, if a layer does not state what they are.
  private static let undefined: Set<Int64> = [-1, 0]

  private struct Layer {
    let table: String
    let column: String
    let system: Int64
  }

  /// Whether a database states that it is a GeoPackage.
  static func isGeoPackage(_ header: Data) -> Bool {
    header.count >= headerBytes && header.starts(with: Array("SQLite format 3".utf8))
      && header.dropFirst(68).starts(with: Array("GP".utf8))
  }

  /// Reads the layers of a file. Throws if it is damaged, or has too many positions.
  static func shapes(of source: ForeignFile) throws -> OverlayShapes {
    if case .path(let path) = source, let suffix = SQLiteJournal.suffix(beside: path) {
      throw OverlayFault(
        "its latest changes are in the file beside it that ends in \(suffix): close it in the "
          + "program that wrote it, such as QGIS")
    }
    let file = ForeignDatabase(source)
    let tables = try tables(of: file)
    var shapes = OverlayShapes()
    for layer in try layers(of: file, in: tables) {
      guard tables.contains(layer.table) else {
        try shapes.leaveOut(layer.table, "a layer that is no table")
        continue
      }
      guard let system = try system(layer.system, in: file, tables) else {
        try shapes.leaveOut(
          layer.table, "its reference system is EPSG:\(layer.system): \(ReferenceSystem.remedy)")
        continue
      }
      do {
        try add(layer, in: system, of: file, to: &shapes)
      } catch let fault as ForeignFileFault {
        try shapes.leaveOut(layer.table, "\(fault)")
      }
    }
    for layer in try pictures(of: file, in: tables) {
      try shapes.leaveOut(
        layer, "a picture: convert it into MBTiles with gdal_translate (docs/maps.md)")
    }
    return shapes
  }

  /// The names of the tables with pages of their own.
  private static func tables(of file: ForeignDatabase) throws -> Set<String> {
    let query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
    return Set(try file.rows(query, limit: 10_000).compactMap { $0.first?.text })
  }

  private static func layers(of file: ForeignDatabase, in tables: Set<String>) throws -> [Layer] {
    guard tables.contains("gpkg_geometry_columns") else { return [] }
    let query = "SELECT table_name, column_name, srs_id FROM gpkg_geometry_columns"
    return try file.rows(query, limit: mostLayers).compactMap { row in
      guard let table = row[0].text, let column = row[1].text, case .integer(let id) = row[2]
      else { return nil }
      return Layer(table: table, column: column, system: id)
    }
  }

  private static func pictures(of file: ForeignDatabase, in tables: Set<String>) throws -> [String]
  {
    guard tables.contains("gpkg_contents") else { return [] }
    let query = "SELECT table_name FROM gpkg_contents WHERE data_type = 'tiles'"
    return try file.rows(query, limit: mostLayers).compactMap { $0.first?.text }
  }

  private static func system(
    _ id: Int64, in file: ForeignDatabase, _ tables: Set<String>
  ) throws -> ReferenceSystem? {
    if undefined.contains(id) { return .degrees }
    guard tables.contains("gpkg_spatial_ref_sys") else { return ReferenceSystem(epsg: Int(id)) }
    let query = """
      SELECT definition, organization_coordsys_id FROM gpkg_spatial_ref_sys WHERE srs_id = ?1
      """
    guard let row = try file.rows(query, [id], limit: 1).first else { return nil }
    if case .integer(let code) = row[1], let known = ReferenceSystem(epsg: Int(code)) {
      return known
    }
    return row[0].text.flatMap { ReferenceSystem(wellKnownText: $0) }
  }

  private static func add(
    _ layer: Layer, in system: ReferenceSystem, of file: ForeignDatabase,
    to shapes: inout OverlayShapes
  ) throws {
    var index = 0
    var fault: OverlayFault?
    try file.read("SELECT * FROM \"\(layer.table.replacing("\"", with: "\"\""))\"") { names, row in
      index += 1
      var geometry: [UInt8] = []
      var properties: [String: String] = [:]
      for (name, value) in zip(names, row) {
        if case .blob(let bytes) = value, name == layer.column { geometry = bytes }
        if let text = value.text { properties[name] = text }
      }
      do throws(OverlayFault) {
        try shapes.add(
          geoPackageGeometry: geometry, in: system, properties, at: "\(layer.table) row \(index)")
        return true
      } catch {
        fault = error
        return false
      }
    }
    if let fault { throw fault }
  }
}

extension ForeignDatabase.Column {
  /// A text or the digits of a number.
  fileprivate var text: String? {
    switch self {
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .none, .blob: nil
    }
  }
}
