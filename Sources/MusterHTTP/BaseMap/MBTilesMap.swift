internal import MusterNode

/// The tiles and the metadata of an MBTiles file (specification 1.3), with images or vector tiles.
final class MBTilesMap: TileFile {
  private static let metadataRows = 100

  let about: BaseMap.About
  private let file: ForeignDatabase

  init(opening path: String) throws {
    if let suffix = SQLiteJournal.suffix(beside: path) {
      throw BaseMap.Fault(
        "its latest changes are in the file beside it that ends in \(suffix): add both with "
          + "`muster map add FILE`")
    }
    file = ForeignDatabase(.path(path))
    // A virtual table parses what the file contains.
    let virtual = "SELECT 1 FROM sqlite_schema WHERE sql LIKE '%virtual%using%'"
    guard try file.rows(virtual, limit: 1).isEmpty else {
      throw BaseMap.Fault("it contains a virtual table, which no map needs")
    }
    about = try Self.about(file)
    file.rest()
  }

  func tile(zoom: Int, x: Int, y: Int) throws -> [UInt8]? {
    // MBTiles counts rows from the south.
    let place = [Int64(zoom), Int64(x), Int64((1 << zoom) - 1 - y)]
    guard case .blob(let bytes)? = try file.rows(Self.oneTile, place, limit: 1).first?.first else {
      return nil
    }
    return bytes
  }

  private static let oneTile = """
    SELECT tile_data FROM tiles WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3
    """

  private static func about(_ file: ForeignDatabase) throws -> BaseMap.About {
    var entries: [String: String] = [:]
    let rows = try file.rows("SELECT name, value FROM metadata", limit: metadataRows)
    for row in rows {
      guard row.count == 2, case .text(let name) = row[0] else { continue }
      switch row[1] {
      case .text(let value): entries[name] = value
      case .integer(let value): entries[name] = "\(value)"
      case .none, .blob: continue
      }
    }
    func text(_ name: String) -> String {
      MapMetadata.shortened(entries[name] ?? "")
    }
    var about = BaseMap.About()
    about.name = text("name")
    about.attribution = text("attribution")
    about.format = try format(entries["format"], file)
    about.zooms = try zooms(entries, file)
    about.bounds = bounds(entries["bounds"])
    about.layers = MapMetadata.layers(inText: entries["json"] ?? "")
    return about
  }

  private static func format(_ word: String?, _ file: ForeignDatabase) throws -> TileFormat {
    let query = "SELECT tile_data FROM tiles WHERE tile_data > x''"
    let first = try file.rows(query, limit: 1).first?.first
    guard case .blob(let bytes)? = first else { throw BaseMap.Fault("it contains no tiles") }
    switch word?.lowercased() {
    case "pbf", "mvt", "application/vnd.mapbox-vector-tile": return .pbf
    default: break
    }
    guard let format = TileFormat(ofImage: bytes) else {
      throw BaseMap.Fault(
        "its tiles are neither images for browsers (png, jpg, webp) nor vector tiles (pbf)")
    }
    return format
  }

  /// The zoom levels of the metadata, else those of the tiles.
  private static func zooms(
    _ entries: [String: String], _ file: ForeignDatabase
  ) throws -> ClosedRange<Int> {
    func bound(_ name: String, _ function: String) throws -> Int {
      if let given = entries[name].flatMap({ Int($0) }) { return given }
      let query = "SELECT \(function)(zoom_level) FROM tiles"
      guard case .integer(let zoom)? = try file.rows(query, limit: 1).first?.first else {
        throw BaseMap.Fault("its zoom levels are not numbers")
      }
      return Int(clamping: zoom)
    }
    let (least, most) = (try bound("minzoom", "min"), try bound("maxzoom", "max"))
    guard least >= 0, least <= most, most <= BaseMap.mostZoom else {
      throw BaseMap.Fault(
        "its zoom levels, \(least) to \(most), are not within 0 to \(BaseMap.mostZoom)")
    }
    return least...most
  }

  /// Parses the bounds; malformed ones count as missing.
  private static func bounds(_ text: String?) -> [Double]? {
    MapMetadata.bounds(
      (text ?? "").split(separator: ",").compactMap { number in
        Double(String(number).filter { $0 != " " })
      })
  }
}
