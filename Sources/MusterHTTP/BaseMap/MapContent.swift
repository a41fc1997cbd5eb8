internal import Foundation

/// What a map file contains, determined from its content and not from its name.
enum MapContent: Sendable {
  case tiles(BaseMap)
  /// The extent of the shapes: west, south, east, north in degrees.
  case overlay(bounds: [Double]?)
  /// Why the file cannot be used.
  case fault(String)

  /// Reads a file: metadata of tiles only, an overlay in whole.
  static func read(_ path: String) throws(BaseMap.Fault) -> MapContent {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw BaseMap.Fault("there is no file \(path) that can be read")
    }
    let first: Data
    do {
      first = try file.read(upToCount: sqlite.count) ?? Data()
    } catch {
      throw BaseMap.Fault("\(path) cannot be read: \(error)")
    }
    if first.starts(with: PMTilesHeader.magic) || first.starts(with: sqlite) {
      return .tiles(try BaseMap(opening: path))
    }
    do throws(BaseMap.Fault) {
      return .overlay(bounds: try MapOverlay(opening: path).bounds)
    } catch {
      throw BaseMap.Fault(
        "\(path) is no map: use PMTiles, MBTiles, GPX, KML or GeoJSON (\(error))")
    }
  }

  private static let sqlite = Array("SQLite format 3".utf8)

  /// `raster`, `vector` or `overlay`; nil if the file cannot be used.
  var kind: String? {
    switch self {
    case .tiles(let map): map.about.format == .pbf ? "vector" : "raster"
    case .overlay: "overlay"
    case .fault: nil
    }
  }
}
