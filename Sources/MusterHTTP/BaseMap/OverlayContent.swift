internal import Foundation
internal import MusterLocation
internal import MusterModel
internal import MusterNode

/// A file with shapes, opened: a GeoPackage stays where it is, all others are in memory.
enum OverlayContent {
  case bytes(Data)
  case geoPackage(ForeignFile)

  /// - Parameter data: a whole file.
  init(_ data: Data) {
    self =
      GeoPackageOverlay.isGeoPackage(data.prefix(GeoPackageOverlay.headerBytes))
      ? .geoPackage(.bytes([UInt8](data))) : .bytes(data)
  }

  /// Opens a file, and reads no more of it than an overlay may have. Throws if it cannot be read.
  init(opening path: String) throws(OverlayFault) {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw OverlayFault("there is no such file that can be read")
    }
    do {
      let first = try file.read(upToCount: GeoPackageOverlay.headerBytes) ?? Data()
      if GeoPackageOverlay.isGeoPackage(first) {
        self = .geoPackage(.path(path))
      } else {
        let rest = try file.read(upToCount: OverlayShapes.maximumBytes + 1) ?? Data()
        self = .bytes(first + rest)
      }
    } catch {
      throw OverlayFault("the file cannot be read: \(error.localizedDescription)")
    }
  }

  /// Returns the name of a shape as one of a row: that of the file with a number if it has none.
  ///
  /// - Parameter index: that of the shape among those used, from 0.
  static func name(_ name: String, _ index: Int, in file: String) -> String {
    let name = TextRule.line.fitting(name)
    if name.contains(where: { !$0.isWhitespace }) { return name }
    let stem = URL(filePath: file).deletingPathExtension().lastPathComponent
    return TextRule.line.fitting(stem.isEmpty ? "\(index + 1)" : "\(stem) \(index + 1)")
  }
}
