public import Foundation
internal import MusterGeo
public import MusterModel

// Stages: 1 text to features (`GeoJSONFeatures`) · 2 geometry to integers · 3 cut at 180 degrees
// (`Antimeridian`) · 4 validation (`FenceGeometry.validated`).
extension GeoJSON {
  /// Reads all fences of a file, or none: throws the first fault, so that a partial import is not
  /// mistaken for a complete one. See `read`.
  public static func fences(from data: Data) throws(GeoJSONFault) -> [ImportedFence] {
    try all(in: read(data))
  }

  /// Reads fences like `fences(from:)`, from parsed JSON.
  public static func fences(from document: JSON) throws(GeoJSONFault) -> [ImportedFence] {
    try fences(from: document, radiusMetres: nil)
  }

  private static func fences(
    from document: JSON, radiusMetres: Double?
  ) throws(GeoJSONFault) -> [ImportedFence] {
    guard let members = document.members else {
      throw GeoJSONFault(.malformed("the file contains \(document.kind), not a GeoJSON object"))
    }
    guard try type(of: members) == "FeatureCollection" else {
      return [try fence(members, radiusMetres)]
    }
    guard let features = members["features"]?.elements else {
      throw GeoJSONFault(.malformed("the FeatureCollection has no list of features"))
    }
    var file = GeoJSONFile()
    for (index, feature) in features.enumerated() {
      file.add(.success(feature), at: index, radiusMetres: radiusMetres)
    }
    return try all(in: file)
  }

  private static func all(in file: GeoJSONFile) throws(GeoJSONFault) -> [ImportedFence] {
    if let fault = file.fault { throw fault }
    return file.fences
  }

  /// Reads a FeatureCollection, a sequence of features, a Feature, or a bare geometry. Polygons in
  /// a GeometryCollection become one fence; a third coordinate is ignored. Throws if the file as a
  /// whole is not GeoJSON. An invalid feature is rejected individually, because large files from
  /// other sources often contain one.
  ///
  /// - Parameter radiusMetres: of a point that states none; nil for none.
  public static func read(
    _ data: Data, radiusMetres: Double? = nil
  ) throws(GeoJSONFault) -> GeoJSONFile {
    var features = try GeoJSONFeatures(data)
    if features.isSingle, case .success(let document)? = features.next()?.value {
      return GeoJSONFile(fences: try fences(from: document, radiusMetres: radiusMetres))
    }
    var file = GeoJSONFile()
    var index = 0
    while let feature = features.next() {
      file.add(feature.value, at: index, line: feature.line, radiusMetres: radiusMetres)
      index += 1
    }
    return file
  }

  private static func type(of members: [String: JSON]) throws(GeoJSONFault) -> String {
    guard let type = members["type"]?.word else {
      throw GeoJSONFault(.malformed("an object has no type: this is not GeoJSON"))
    }
    return type
  }

  // MARK: Features

  /// Reads a feature of a collection.
  ///
  /// - Parameter radiusMetres: of a point that states none; nil for none.
  public static func fence(
    of feature: JSON, radiusMetres: Double? = nil
  ) throws(GeoJSONFault) -> ImportedFence {
    guard let members = feature.members, try type(of: members) == "Feature" else {
      throw GeoJSONFault(.malformed("it is not a Feature"))
    }
    return try fence(members, radiusMetres)
  }

  /// Reads a Feature, or a bare geometry.
  private static func fence(
    _ members: [String: JSON], _ radiusMetres: Double?
  ) throws(GeoJSONFault) -> ImportedFence {
    var (geometry, properties) = (members, [String: JSON]())
    if try type(of: members) == "Feature" {
      guard let inner = members["geometry"]?.members else {
        throw GeoJSONFault(.malformed("the feature has no geometry"))
      }
      geometry = inner
      switch members["properties"] {
      case .object(let given): properties = given
      case .null, nil: break
      case .some(let other):
        throw GeoJSONFault(.malformed("the properties are \(other.kind), not an object"))
      }
    }
    var isActive: Bool?
    if case .bool(let flag) = properties[Key.isActive] { isActive = flag }
    return ImportedFence(
      name: name(in: properties), kind: properties[Key.kind]?.word, isActive: isActive,
      properties: try otherProperties(properties),
      geometry: try outline(
        geometry, radius: properties[Key.radius] ?? radiusMetres.map(JSON.real)))
  }

  /// Returns the name of a shape, by the keys that programs write: `Name`, `title`, `label`. A
  /// number is a name too.
  static func name(in properties: [String: JSON]) -> String? {
    let named = properties.sorted { $0.key < $1.key }
    for key in [Key.name, "title", "label"] {
      for (other, value) in named where other.lowercased() == key {
        if let text = value.plainText, !text.isEmpty { return text }
      }
    }
    return properties[Key.name]?.word
  }

  private static func otherProperties(
    _ properties: [String: JSON]
  ) throws(GeoJSONFault) -> String? {
    let others = properties.filter { !Key.own.contains($0.key) }
    if others.isEmpty { return nil }
    if let word = JSON.object(others).firstNotNumber {
      throw GeoJSONFault(.malformed("the properties contain \(word), which is not JSON"))
    }
    let text = JSONWriter.compact(.object(others))
    guard text.utf8.count <= Limits.paragraphBytes else {
      throw GeoJSONFault(.propertiesTooLong(text.utf8.count))
    }
    return text
  }

  // MARK: Geometry

  private static func outline(
    _ geometry: [String: JSON], radius: JSON?
  ) throws(GeoJSONFault) -> FenceGeometry {
    if try type(of: geometry) == "Point" { return try circle(geometry, radius: radius) }
    let polygons = try polygons(of: geometry, isInCollection: false)
    do {
      return try FenceGeometry.validated(polygons: polygons)
    } catch {
      throw GeoJSONFault(.geometry(error))
    }
  }

  private static func circle(
    _ geometry: [String: JSON], radius: JSON?
  ) throws(GeoJSONFault) -> FenceGeometry {
    guard let radius else { throw GeoJSONFault(.pointWithoutRadius) }
    guard case .number(let digits) = radius, let metres = Double(digits),
      let centimetres = UInt32(exactly: (metres * 100).rounded())
    else { throw GeoJSONFault(.badRadius(radius.kind)) }
    let place = GeometryFault.Place(polygon: 0, ring: 0, vertex: 0)
    let center = try position(geometry["coordinates"] ?? .null, at: place)
    do {
      return try FenceGeometry.validatedCircle(center: center, radiusCentimetres: centimetres)
    } catch {
      throw GeoJSONFault(.geometry(error))
    }
  }

  private static func polygons(
    of geometry: [String: JSON], isInCollection: Bool
  ) throws(GeoJSONFault) -> [FencePolygon] {
    let type = try type(of: geometry)
    var lists: [[JSON]] = []
    switch type {
    case "Polygon":
      lists = [try list(geometry["coordinates"], "a list of rings")]
    case "MultiPolygon":
      for polygon in try list(geometry["coordinates"], "a list of polygons") {
        lists.append(try list(polygon, "a list of rings"))
      }
    case "GeometryCollection" where !isInCollection:
      var joined: [FencePolygon] = []
      for member in try list(geometry["geometries"], "a list of geometries") {
        guard let members = member.members else {
          throw GeoJSONFault(.malformed("a geometry is expected, not \(member.kind)"))
        }
        joined += try polygons(of: members, isInCollection: true)
      }
      return joined
    default:
      throw GeoJSONFault(.noZone(String(type.prefix(40))))
    }
    var polygons: [FencePolygon] = []
    for (index, rings) in lists.enumerated() {
      polygons += try self.polygons(rings, index: index)
    }
    return polygons
  }

  /// Reads a polygon; several if it crosses 180 degrees of longitude.
  private static func polygons(
    _ lists: [JSON], index: Int
  ) throws(GeoJSONFault) -> [FencePolygon] {
    if lists.count > Limits.ringsPerFence {
      throw GeoJSONFault(.geometry(GeometryFault(reason: .tooManyRings(lists.count), place: nil)))
    }
    var rings: [Ring] = []
    for (number, list) in lists.enumerated() {
      rings.append(try ring(list, at: .init(polygon: index, ring: number, vertex: nil)))
    }
    guard !rings.isEmpty else { throw GeoJSONFault(.malformed("polygon \(index) has no rings")) }
    return Antimeridian.parts(ofPolygon: rings.map(\.vertices)).map { part in
      let rings = part.map { Ring($0) }
      return FencePolygon(outer: rings[0], holes: Array(rings.dropFirst()))
    }
  }

  private static func ring(
    _ value: JSON, at place: GeometryFault.Place
  ) throws(GeoJSONFault) -> Ring {
    let positions = try list(value, "a list of positions")
    // Each vertex may occur twice; longer lists are rejected without further work.
    if positions.count > 2 * Limits.verticesPerRing {
      throw GeoJSONFault(
        .geometry(GeometryFault(reason: .ringTooLong(positions.count), place: place)))
    }
    var vertices: [Coordinate] = []
    for (index, value) in positions.enumerated() {
      let vertex = GeometryFault.Place(polygon: place.polygon, ring: place.ring, vertex: index)
      vertices.append(try position(value, at: vertex))
    }
    guard vertices.count < 2 || vertices.first == vertices.last else {
      throw GeoJSONFault(.unclosed(place))
    }
    return Ring(vertices)
  }

  private static func list(
    _ value: JSON?, _ what: String
  ) throws(GeoJSONFault) -> [JSON] {
    guard let elements = value?.elements else {
      let found = value.map { ", not \($0.kind)" } ?? ", and is missing"
      throw GeoJSONFault(.malformed("\(what) is expected\(found)"))
    }
    return elements
  }

  // MARK: Positions

  private static func position(
    _ value: JSON, at place: GeometryFault.Place
  ) throws(GeoJSONFault) -> Coordinate {
    guard let numbers = value.elements else {
      throw GeoJSONFault(.badPosition(place, "a position is expected, not \(value.kind)"))
    }
    guard numbers.count >= 2 else {
      throw GeoJSONFault(.badPosition(place, "a position needs a longitude and a latitude"))
    }
    // Beyond 180 degrees east is in the west, as some programs write what crosses it.
    let east = try degrees(numbers[0], "longitude", atMost: 360, at: place)
    let longitude = east > 180 ? east - 360 : east < -180 ? east + 360 : east
    let latitude = try degrees(numbers[1], "latitude", atMost: 90, at: place)
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      throw GeoJSONFault(.badPosition(place, "the position is out of range"))
    }
    return coordinate
  }

  private static func degrees(
    _ value: JSON, _ what: String, atMost limit: Double, at place: GeometryFault.Place
  ) throws(GeoJSONFault) -> Double {
    guard case .number(let digits) = value, let degrees = Double(digits) else {
      throw GeoJSONFault(.badPosition(place, "the \(what) is \(value.kind), not a number"))
    }
    guard abs(degrees) <= limit else {
      let order = limit == 90 ? " (longitude comes first)" : ""
      throw GeoJSONFault(
        .badPosition(
          place, "the \(what) is \(value.kind), beyond ±\(Int(limit)) degrees\(order)"))
    }
    return degrees
  }
}

extension JSON {
  /// A text, or the digits of a number, as a text.
  public var plainText: String? {
    switch self {
    case .string(let text), .number(let text): text
    default: nil
    }
  }
}

extension ImportOutcome {
  /// The JSON of the API and of `--json`.
  public var json: JSON {
    .object([
      "used": .count(used), "leftOut": .count(leftOut),
      "omissions": .array(
        omissions.map {
          .object(["place": .string($0.place), "reason": .string($0.reason)])
        }),
    ])
  }
}
