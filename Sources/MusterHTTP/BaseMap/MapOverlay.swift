internal import Foundation
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel

/// The shapes of a GPX, KML, KMZ, GeoJSON or GeoPackage file or a zipped Shapefile, shown above the
/// base map (decision 0114).
///
/// Only geometries, names and descriptions are kept, and both are texts without markup.
struct MapOverlay: Sendable {
  private let shapes: OverlayShapes

  var features: [OverlayFeature] { shapes.features }
  /// What was used of the file, and what was left out.
  var outcome: ImportOutcome { shapes.outcome }

  /// Reads a file. Throws a fault for one that is not read at all, or has no shapes.
  init(opening path: String) throws(BaseMap.Fault) {
    do {
      try self.init(OverlayContent(opening: path))
    } catch {
      throw BaseMap.Fault("\(error)")
    }
  }

  init(_ content: OverlayContent) throws(OverlayFault) {
    do {
      let shapes =
        switch content {
        case .geoPackage(let file): try GeoPackageOverlay.shapes(of: file)
        case .bytes(let data):
          try ZipFile.isZip(data) ? Self.shapes(inArchive: data) : Self.shapes(of: data)
        }
      self.shapes = try shapes.checked()
    } catch let fault as OverlayFault {
      throw fault
    } catch {
      throw OverlayFault("\(error)")
    }
  }

  init(_ data: Data) throws(OverlayFault) { try self.init(OverlayContent(data)) }

  private static func shapes(of data: Data) throws -> OverlayShapes {
    if Shapefile.isShapefile(data) {
      throw OverlayFault(
        "it is a part of a Shapefile: put its files .shp, .dbf, .prj and .cpg into a ZIP archive")
    }
    return GeoJSONOverlay.isGeoJSON(data)
      ? try GeoJSONOverlay.shapes(of: data) : try XMLOverlay.shapes(of: data)
  }

  // MARK: Archives

  /// The names of the files that are read of an archive; KMZ has pictures beside them.
  private static let readable = [
    ".kml", ".gpx", ".geojson", ".geojsonl", ".geojsons", ".json", ".shp",
  ]

  private static func shapes(inArchive data: Data) throws -> OverlayShapes {
    let archive = try ZipFile(data)
    let files = archive.entries.filter { entry in
      readable.contains { entry.name.lowercased().hasSuffix($0) }
    }
    guard !files.isEmpty else {
      throw OverlayFault("the archive has no KML, GPX, GeoJSON or Shapefile")
    }
    var shapes = OverlayShapes()
    var rest = OverlayShapes.maximumBytes
    func content(_ entry: ZipFile.Entry) throws -> [UInt8] {
      let content = try archive.content(of: entry, atMost: rest)
      rest -= content.count
      return content
    }
    for file in files {
      do {
        guard file.name.lowercased().hasSuffix(".shp") else {
          try shapes.add(Self.shapes(of: Data(try content(file))), of: file.name)
          continue
        }
        func part(_ suffix: String) throws -> [UInt8]? {
          let name = file.name.dropLast(4).lowercased() + suffix
          return try archive.entries.first { $0.name.lowercased() == name }.map(content)
        }
        func text(_ suffix: String) throws -> String? {
          try part(suffix).map { String(decoding: $0, as: UTF8.self) }
        }
        try Shapefile(
          shapes: content(file), table: part(".dbf"), projection: text(".prj"),
          encoding: text(".cpg")
        ).add(to: &shapes, of: file.name)
      } catch {
        try shapes.leaveOut(file.name, "\(error)")
      }
    }
    return shapes
  }

  // MARK: Form

  /// West, south, east, north in degrees: west is greater than east across 180 degrees.
  var bounds: [Double]? {
    let lines = features.flatMap(\.shape.lines)
    let latitudes = lines.flatMap { $0.map(\.latitude) }
    guard let extent = Antimeridian.extent(of: lines), let south = latitudes.min(),
      let north = latitudes.max()
    else { return nil }
    return [Double(extent.west) / 1e7, south, Double(extent.east) / 1e7, north]
  }

  /// A FeatureCollection. Each feature has a name, and a description if the file has one.
  var json: JSON {
    .object([
      "type": .string("FeatureCollection"), "features": .array(features.map(\.json)),
    ])
  }
}

extension OverlayFeature {
  /// A Feature with the name, and the description if there is one.
  var json: JSON {
    var properties: [String: JSON] = ["name": .string(name)]
    if !details.isEmpty { properties["description"] = .string(details) }
    return .object([
      "type": .string("Feature"), "geometry": shape.json, "properties": .object(properties),
    ])
  }
}

extension OverlayFeature.Shape {
  /// The lines and outlines that bound the shape.
  fileprivate var lines: [[Coordinate]] {
    switch self {
    case .point(let place): [[place]]
    case .line(let places): [places]
    case .polygon(let rings): Array(rings.prefix(1))
    }
  }

  fileprivate var json: JSON {
    switch self {
    case .point(let place): GeoJSON.point(place)
    case .line(let places): GeoJSON.line(places)
    case .polygon(let rings): GeoJSON.polygon(rings)
    }
  }
}
