internal import Foundation
internal import MusterModel

/// What a map file contains, determined from its content and not from its name.
enum MapContent: Sendable {
  case tiles(BaseMap)
  /// The extent of the shapes: west, south, east, north in degrees; and what was used of the file.
  case overlay(bounds: [Double]?, ImportOutcome)
  /// Why the file cannot be used.
  case fault(String)

  /// Reads a file: metadata of tiles only, an overlay in whole.
  static func read(_ path: String) throws(BaseMap.Fault) -> MapContent {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw BaseMap.Fault("there is no file \(path) that can be read")
    }
    let first: Data
    do {
      first = try file.read(upToCount: GeoPackageOverlay.headerBytes) ?? Data()
    } catch {
      throw BaseMap.Fault("\(path) cannot be read: \(error)")
    }
    if first.starts(with: PMTilesHeader.oldMagic) {
      throw BaseMap.Fault("\(path) is PMTiles of version 1 or 2: \(PMTilesHeader.remedy)")
    }
    let isDatabase =
      first.starts(with: SQLiteJournal.magic) && !GeoPackageOverlay.isGeoPackage(first)
    if first.starts(with: PMTilesHeader.magic) || isDatabase {
      return .tiles(try BaseMap(opening: path))
    }
    do throws(BaseMap.Fault) {
      let overlay = try MapOverlay(opening: path)
      return .overlay(bounds: overlay.bounds, overlay.outcome)
    } catch {
      throw BaseMap.Fault(
        "\(path) is no map: use PMTiles, MBTiles, GPX, KML, KMZ, GeoJSON, GeoPackage or a zipped "
          + "Shapefile (\(error))")
    }
  }

  /// What was used of an overlay; nil for another file.
  var outcome: ImportOutcome? {
    if case .overlay(_, let outcome) = self { outcome } else { nil }
  }

  /// Throws for an overlay of which a part cannot be used, if it is to be used as a whole.
  func check(isStrict: Bool) throws(BaseMap.Fault) {
    guard isStrict, let omissions = outcome?.omissionText else { return }
    throw BaseMap.Fault("it is not added, since it cannot be used as a whole. \(omissions)")
  }

  /// `raster`, `vector` or `overlay`; nil if the file cannot be used.
  var kind: String? {
    switch self {
    case .tiles(let map): map.about.format == .pbf ? "vector" : "raster"
    case .overlay: "overlay"
    case .fault: nil
    }
  }
}
