internal import GRDBSQLite

/// Why no GeoPackage could be written: SQLite's reason.
public struct GeoPackageFault: Error, Hashable, CustomStringConvertible {
  /// One line.
  public let description: String
}

/// A GeoPackage (OGC 12-128r17, version 1.3) that is built in memory by SQLite. The same content
/// gives the same bytes.
///
/// It has the owner's layers and nothing else: no extensions, and no spatial index, which programs
/// create when they open a file for editing.
final class GeoPackageFile {
  private let handle: OpaquePointer

  /// `GPKG` in ASCII, and the version 1.3.0.
  private static let identification =
    "PRAGMA application_id = 1196444487; PRAGMA user_version = 10300"
  private static let srs = 4326

  /// A column besides the key and the geometry.
  struct Column {
    enum Kind: String {
      case text = "TEXT"
      case integer = "INTEGER"
      case real = "REAL"
      case flag = "BOOLEAN"
      case time = "DATETIME"
    }

    let name: String
    let kind: Kind
  }

  /// A table of features of one kind of geometry.
  struct Layer {
    /// A plain SQL name.
    let name: String
    let title: String
    let geometry: GeoPackageGeometry.Kind
    let columns: [Column]
    let features: [(geometry: GeoPackageGeometry?, values: [String: JSON])]
  }

  init() throws(GeoPackageFault) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      ":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw GeoPackageFault(description: String(cString: sqlite3_errstr(code)))
    }
    handle = opened
    try run(Self.identification)
    try run(Self.tables)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Adds a layer.
  ///
  /// - Parameter changed: when its content last changed, which the file states.
  func add(_ layer: Layer, changed: String) throws(GeoPackageFault) {
    let columns = layer.columns.map { ", \"\($0.name)\" \($0.kind.rawValue)" }.joined()
    try run(
      """
      CREATE TABLE \(layer.name) (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        geom \(layer.geometry.rawValue)\(columns))
      """)
    let bounds = GeoPackageGeometry.bounds(of: layer.features.compactMap(\.geometry))
    try run(
      "INSERT INTO gpkg_contents VALUES (?, 'features', ?, '', ?, ?, ?, ?, ?, \(Self.srs))",
      [
        .text(layer.name), .text(layer.title), .text(changed), .number(bounds?.west),
        .number(bounds?.south), .number(bounds?.east), .number(bounds?.north),
      ])
    try run(
      "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, \(Self.srs), 0, 0)",
      [.text(layer.name), .text(layer.geometry.rawValue)])
    let places = Array(repeating: "?", count: layer.columns.count + 1).joined(separator: ", ")
    let statement = try prepared("INSERT INTO \(layer.name) VALUES (NULL, \(places))")
    defer { sqlite3_finalize(statement) }
    for feature in layer.features {
      let values = layer.columns.map { Value(feature.values[$0.name] ?? .null, as: $0.kind) }
      try step(statement, [.blob(feature.geometry?.encoded(srs: Int32(Self.srs)))] + values)
    }
  }

  /// Returns the bytes of the file.
  func bytes() throws(GeoPackageFault) -> [UInt8] {
    var size: sqlite3_int64 = 0
    guard let start = sqlite3_serialize(handle, "main", &size, 0) else { throw fault }
    defer { sqlite3_free(start) }
    return Array(UnsafeBufferPointer(start: start, count: Int(size)))
  }

  // MARK: SQLite

  private enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    static func number(_ value: Double?) -> Value { value.map(Value.real) ?? .null }
    static func blob(_ bytes: [UInt8]?) -> Value { bytes.map(Value.bytes) ?? .null }

    init(_ json: JSON, as kind: Column.Kind) {
      switch (json, kind) {
      case (.string(let text), _): self = .text(text)
      case (.bool(let flag), _): self = .integer(flag ? 1 : 0)
      case (.number(let digits), .integer):
        self = Int64(digits).map(Value.integer) ?? .null
      case (.number(let digits), _): self = .number(Double(digits))
      default: self = .null
      }
    }
  }

  private func prepared(_ sql: String) throws(GeoPackageFault) -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw fault
    }
    return statement
  }

  private func run(_ script: String) throws(GeoPackageFault) {
    guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw fault }
  }

  private func run(_ sql: String, _ values: [Value]) throws(GeoPackageFault) {
    let statement = try prepared(sql)
    defer { sqlite3_finalize(statement) }
    try step(statement, values)
  }

  private func step(_ statement: OpaquePointer, _ values: [Value]) throws(GeoPackageFault) {
    // SQLite copies what it is given.
    let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_reset(statement)
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      switch value {
      case .null: sqlite3_bind_null(statement, place)
      case .integer(let number): sqlite3_bind_int64(statement, place, number)
      case .real(let number): sqlite3_bind_double(statement, place, number)
      case .text(let text): sqlite3_bind_text(statement, place, text, -1, copying)
      case .bytes(let bytes):
        sqlite3_bind_blob(statement, place, bytes, Int32(bytes.count), copying)
      }
    }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw fault }
  }

  private var fault: GeoPackageFault {
    GeoPackageFault(description: String(cString: sqlite3_errmsg(handle)))
  }

  // MARK: Tables of the standard

  private static let wgs84 =
    "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,"
    + "AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],PRIMEM[\"Greenwich\",0,"
    + "AUTHORITY[\"EPSG\",\"8901\"]],UNIT[\"degree\",0.0174532925199433,"
    + "AUTHORITY[\"EPSG\",\"9122\"]],AXIS[\"Latitude\",NORTH],AXIS[\"Longitude\",EAST],"
    + "AUTHORITY[\"EPSG\",\"4326\"]]"

  /// As in annex C of the standard.
  private static let tables = """
    CREATE TABLE gpkg_spatial_ref_sys (
      srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
      organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
    INSERT INTO gpkg_spatial_ref_sys VALUES
      ('Undefined cartesian SRS', -1, 'NONE', -1, 'undefined', 'any cartesian system'),
      ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'any geographic system'),
      ('WGS 84 geodetic', 4326, 'EPSG', 4326, '\(wgs84)', 'longitude and latitude in degrees');
    CREATE TABLE gpkg_contents (
      table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
      description TEXT DEFAULT '',
      last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
      min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
      CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
    CREATE TABLE gpkg_geometry_columns (
      table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
      srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
      CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
      CONSTRAINT uk_gc_table_name UNIQUE (table_name),
      CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
      CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
    """
}
