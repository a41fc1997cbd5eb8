import Foundation
import GRDBSQLite

/// An MBTiles file of a test, deleted with the object.
final class MapFile {
  /// An image of one pixel.
  static let png = Data(
    base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
      + "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
  /// The first bytes of such a file; no test needs more.
  static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 7, count: 40))
  static let webp = Data(
    Array("RIFF".utf8) + [30, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [0, 0, 0, 0])

  let path: String
  private var database: OpaquePointer?

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "map\(UInt32.random(in: 0 ... .max)).mbtiles").path
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw Failed("no database") }
    try run(
      """
      CREATE TABLE metadata (name TEXT, value TEXT);
      CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER,
        tile_data BLOB);
      CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);
      """)
  }

  deinit {
    sqlite3_close_v2(database)
    do { try FileManager.default.removeItem(atPath: path) } catch { print("\(error)") }
  }

  func run(_ statements: String) throws {
    guard sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK else {
      throw Failed(String(cString: sqlite3_errmsg(database)))
    }
  }

  func write(_ entries: [String: String]) throws {
    for (name, value) in entries {
      let text = value.replacing("'", with: "''")
      try run("INSERT INTO metadata VALUES ('\(name)', '\(text)')")
    }
  }

  /// - Parameter row: counted from the south, as in the file.
  func put(zoom: Int, column: Int, row: Int, _ picture: Data?) throws {
    let hex = (picture ?? Data()).map { String(format: "%02x", $0) }.joined()
    try run("INSERT INTO tiles VALUES (\(zoom), \(column), \(row), x'\(hex)')")
  }
}
