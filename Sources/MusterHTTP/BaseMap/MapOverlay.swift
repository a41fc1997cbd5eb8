internal import Foundation
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel

/// The shapes of a GPX, KML or GeoJSON file (RFC 7946), shown above the base map.
///
/// Only names and geometries are kept: no other text of the file reaches the page.
struct MapOverlay: Sendable {
  private static let mostPositions = XMLOverlay.maximumPositions
  private static let nameCharacters = 120

  let features: [OverlayFeature]

  /// Reads a file. Throws a fault for one that is damaged, too large, or has no shapes.
  init(opening path: String) throws(BaseMap.Fault) {
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      let data = try file.read(upToCount: XMLOverlay.maximumBytes + 1) ?? Data()
      try self.init(data)
    } catch {
      throw BaseMap.Fault("\(error)")
    }
  }

  init(_ data: Data) throws {
    // After white space and a byte order mark, of UTF-16 too.
    let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF, 0xFF, 0xFE, 0x00]
    let first = data.first { !blanks.contains($0) }
    if first == UInt8(ascii: "{") {
      features = try Self.features(in: JSON.read(Array(data)))
    } else if data.starts(with: Array("PK".utf8)) {
      throw BaseMap.Fault("it is an archive such as KMZ: unpack it and add the file inside")
    } else {
      features = try XMLOverlay.features(of: data)
    }
  }

  /// West, south, east, north in degrees.
  var bounds: [Double]? {
    let places = features.flatMap(\.shape.places)
    let (latitudes, longitudes) = (places.map(\.latitude), places.map(\.longitude))
    guard let west = longitudes.min(), let south = latitudes.min(), let east = longitudes.max(),
      let north = latitudes.max()
    else { return nil }
    return [west, south, east, north]
  }

  /// A FeatureCollection. Each feature has a name only.
  var json: JSON {
    .object([
      "type": .string("FeatureCollection"),
      "features": .array(
        features.map { feature in
          .object([
            "type": .string("Feature"), "geometry": feature.shape.json,
            "properties": .object(["name": .string(feature.name)]),
          ])
        }),
    ])
  }

  // MARK: GeoJSON

  private static func features(in document: JSON) throws(BaseMap.Fault) -> [OverlayFeature] {
    let members = document.members ?? [:]
    let list = members["type"]?.word == "FeatureCollection" ? members["features"]?.elements : nil
    var features: [OverlayFeature] = []
    for feature in list ?? [document] {
      let name = feature.members?["properties"]?.members?["name"]?.word ?? ""
      let geometry = feature.members?["geometry"] ?? feature
      for shape in try shapes(of: geometry) {
        features.append(
          OverlayFeature(name: MapMetadata.shortened(name, to: nameCharacters), shape: shape))
      }
    }
    guard !features.isEmpty else {
      throw BaseMap.Fault("the file has no points, lines or areas")
    }
    let positions = features.reduce(0) { $0 + $1.shape.places.count }
    guard positions <= mostPositions else {
      throw BaseMap.Fault("the file has more than \(mostPositions) positions: split it")
    }
    return features
  }

  /// Returns the shapes of a geometry, which may have several; none of a type that is not known, or
  /// of empty coordinates (RFC 7946 3.1).
  private static func shapes(of geometry: JSON) throws(BaseMap.Fault) -> [OverlayFeature.Shape] {
    let coordinates = geometry.members?["coordinates"]?.withoutEmptyParts ?? .null
    if coordinates == .array([]) { return [] }
    var shapes: [OverlayFeature.Shape] = []
    switch geometry.members?["type"]?.word ?? "" {
    case "Point": shapes = [.point(try place(coordinates))]
    case "MultiPoint":
      for one in coordinates.elements ?? [] { shapes.append(.point(try place(one))) }
    case "LineString": shapes = [.line(try places(coordinates))]
    case "MultiLineString":
      for one in coordinates.elements ?? [] { shapes.append(.line(try places(one))) }
    case "Polygon": shapes = [.polygon(try rings(coordinates))]
    case "MultiPolygon":
      for one in coordinates.elements ?? [] { shapes.append(.polygon(try rings(one))) }
    case "GeometryCollection":
      // One level, as in other readers: a collection within a collection is left out.
      for one in geometry.members?["geometries"]?.elements ?? []
      where one.members?["type"]?.word != "GeometryCollection" {
        shapes += try self.shapes(of: one)
      }
    default: break
    }
    return shapes
  }

  private static func rings(_ value: JSON) throws(BaseMap.Fault) -> [[Coordinate]] {
    var rings: [[Coordinate]] = []
    for ring in value.elements ?? [] { rings.append(try places(ring)) }
    guard !rings.isEmpty else { throw BaseMap.Fault("a polygon of the file has no outline") }
    return rings
  }

  private static func places(_ value: JSON) throws(BaseMap.Fault) -> [Coordinate] {
    var places: [Coordinate] = []
    for one in value.elements ?? [] { places.append(try place(one)) }
    guard places.count > 1 else { throw BaseMap.Fault("a line of the file has only one position") }
    return places
  }

  private static func place(_ value: JSON) throws(BaseMap.Fault) -> Coordinate {
    let numbers = (value.elements ?? []).prefix(2).compactMap { number in
      if case .number(let digits) = number { Double(digits) } else { nil }
    }
    guard numbers.count == 2,
      let place = Coordinate(latitude: numbers[1], longitude: numbers[0])
    else {
      throw BaseMap.Fault("a position of the file is not a longitude and a latitude in degrees")
    }
    return place
  }
}

extension JSON {
  /// A list without the lists in it that contain nothing.
  fileprivate var withoutEmptyParts: JSON {
    guard let elements else { return self }
    return .array(elements.map(\.withoutEmptyParts).filter { $0 != .array([]) })
  }
}

extension OverlayFeature.Shape {
  fileprivate var places: [Coordinate] {
    switch self {
    case .point(let place): [place]
    case .line(let places): places
    case .polygon(let rings): rings.flatMap(\.self)
    }
  }

  fileprivate var json: JSON {
    func position(_ place: Coordinate) -> JSON {
      let degrees = JSON.place(place)
      return .array([degrees["lon"] ?? .null, degrees["lat"] ?? .null])
    }
    func line(_ places: [Coordinate]) -> JSON { .array(places.map(position)) }
    let (type, coordinates): (String, JSON) =
      switch self {
      case .point(let place): ("Point", position(place))
      case .line(let places): ("LineString", line(places))
      case .polygon(let rings): ("Polygon", .array(rings.map(line)))
      }
    return .object(["type": .string(type), "coordinates": coordinates])
  }
}
