internal import Foundation
internal import MusterGeo
internal import MusterInterchange
internal import MusterModel

/// The outline of a geofence in the form of the service, and back.
///
/// Rings are closed; the outer one is counter-clockwise. A ring may not meet itself, and no edge
/// may cross the antimeridian: an outline there is a MultiPolygon.
enum GeometryForm {
  /// Metres.
  private static let radii = 0.0...100_000.0
  private static let mostPolygons = 250
  /// With the closing vertex.
  private static let ringVertices = 4...1000
  private static let longestGeobuf = 700_000
  private static let kinds = ["Polygon", "Circle", "MultiPolygon", "Geobuf"]

  // MARK: Reading

  /// Reads the member `Geometry` of an input.
  static func geometry(of input: Input) throws(ServiceFault) -> FenceGeometry {
    let geometry = try input.required("Geometry", input.object("Geometry"))
    let place = input.path(of: "Geometry")
    if let circle = try geometry.object("Circle") {
      try requireOnly("Circle", geometry, place)
      return try self.circle(circle)
    }
    if let rings = try geometry.list("Polygon", count: 1...mostPolygons) {
      try requireOnly("Polygon", geometry, place)
      return try validated([polygon(rings, "\(place).Polygon")], "\(place).Polygon")
    }
    if let lists = try geometry.list("MultiPolygon", count: 1...mostPolygons) {
      try requireOnly("MultiPolygon", geometry, place)
      return try polygons(lists, "\(place).MultiPolygon")
    }
    if let text = try geometry.text("Geobuf", length: 1...longestGeobuf) {
      try requireOnly("Geobuf", geometry, place)
      return try geobuf(text, "\(place).Geobuf")
    }
    throw .invalid(place, "must have one of \(kinds.joined(separator: ", "))")
  }

  /// Reads the member `Polygon` of an input as the area of a filter; nil if it is missing.
  static func area(of input: Input) throws(ServiceFault) -> PreparedFence? {
    guard let rings = try input.list("Polygon", count: 1...mostPolygons) else { return nil }
    let place = input.path(of: "Polygon")
    return PreparedFence(try validated([polygon(rings, place)], place))
  }

  private static func requireOnly(
    _ kind: String, _ geometry: Input, _ place: String
  ) throws(ServiceFault) {
    guard kinds.allSatisfy({ $0 == kind || !geometry.has($0) }) else {
      throw .invalid(place, "must have only one of \(kinds.joined(separator: ", "))")
    }
  }

  private static func circle(_ circle: Input) throws(ServiceFault) -> FenceGeometry {
    let center = try coordinate(circle.position("Center"), circle.path(of: "Center"))
    let metres = try circle.required("Radius", circle.number("Radius", in: radii))
    guard metres > 0 else { throw .invalid(circle.path(of: "Radius"), "must be more than 0") }
    let centimetres = max(1, UInt32((metres * 100).rounded()))
    return .circle(center: center, radiusCentimetres: centimetres)
  }

  private static func polygons(
    _ lists: [JSON], _ place: String
  ) throws(ServiceFault) -> FenceGeometry {
    var polygons: [FencePolygon] = []
    for (index, list) in lists.enumerated() {
      guard let rings = list.elements, !rings.isEmpty else {
        throw .invalid("\(place)[\(index)]", "must be a list of rings")
      }
      polygons.append(try polygon(rings, "\(place)[\(index)]"))
    }
    return try validated(polygons, place)
  }

  private static func polygon(
    _ lists: [JSON], _ place: String
  ) throws(ServiceFault) -> FencePolygon {
    guard lists.count <= mostPolygons else { throw .invalid(place, "has too many rings") }
    var rings: [Ring] = []
    for (index, list) in lists.enumerated() {
      rings.append(try ring(list, "\(place)[\(index)]"))
    }
    guard signedArea(of: rings[0]) > 0 else {
      throw .invalid("\(place)[0]", "must be counter-clockwise, since it is the outer ring")
    }
    return FencePolygon(outer: rings[0], holes: Array(rings.dropFirst()))
  }

  private static func ring(_ list: JSON, _ place: String) throws(ServiceFault) -> Ring {
    guard let positions = list.elements, ringVertices.contains(positions.count) else {
      throw .invalid(
        place,
        "must be a list of \(ringVertices.lowerBound) to \(ringVertices.upperBound) positions")
    }
    var vertices: [Coordinate] = []
    for (index, position) in positions.enumerated() {
      let place = "\(place)[\(index)]"
      guard let numbers = position.elements, numbers.count == 2 else {
        throw .invalid(place, "must be a longitude and a latitude")
      }
      let longitude = try Input.number(numbers[0], place)
      let latitude = try Input.number(numbers[1], place)
      vertices.append(try coordinate((longitude, latitude), place))
    }
    guard vertices.first == vertices.last else {
      throw .invalid(place, "must be closed: its last position must be its first")
    }
    return Ring(vertices)
  }

  /// Converts degrees. Throws if they are out of range.
  static func coordinate(
    _ position: (longitude: Double, latitude: Double), _ place: String
  ) throws(ServiceFault) -> Coordinate {
    guard
      let coordinate = Coordinate(latitude: position.latitude, longitude: position.longitude)
    else {
      throw .invalid(place, "must be a longitude from -180 to 180 and a latitude from -90 to 90")
    }
    return coordinate
  }

  /// Positive if the ring is counter-clockwise. Only the sign counts.
  private static func signedArea(of ring: Ring) -> Double {
    zip(ring.vertices, ring.vertices.dropFirst()).reduce(0) { area, edge in
      let (from, to) = edge
      let width = Double(to.longitudeE7) - Double(from.longitudeE7)
      return area - width * (Double(to.latitudeE7) + Double(from.latitudeE7))
    }
  }

  private static func validated(
    _ polygons: [FencePolygon], _ place: String
  ) throws(ServiceFault) -> FenceGeometry {
    do {
      return try FenceGeometry.validated(polygons: polygons)
    } catch {
      throw .invalid(place, "is no valid outline: \(error)")
    }
  }

  private static func geobuf(_ text: String, _ place: String) throws(ServiceFault) -> FenceGeometry
  {
    guard let data = Data(base64Encoded: text) else { throw .invalid(place, "is not base64") }
    let rings: [[[(longitude: Double, latitude: Double)]]]
    do {
      rings = try Geobuf.polygons(in: Array(data))
    } catch {
      throw .invalid(place, "is not a Polygon or MultiPolygon in Geobuf: \(error.rawValue)")
    }
    // As the JSON forms, so that the same rules apply.
    let lists = rings.map { polygon in
      JSON.array(
        polygon.map { ring in
          JSON.array(
            (ring + ring.prefix(1)).map { .array([.real($0.longitude), .real($0.latitude)]) })
        })
    }
    guard (1...mostPolygons).contains(lists.count) else {
      throw .invalid(place, "must have 1 to \(mostPolygons) polygons")
    }
    return try polygons(lists, place)
  }

  // MARK: Writing

  static func json(of geometry: FenceGeometry) -> JSON {
    switch geometry {
    case .circle(let center, let centimetres):
      return .object([
        "Circle": .object(["Center": json(of: center), "Radius": .real(Double(centimetres) / 100)])
      ])
    case .polygons(let polygons):
      let lists = polygons.map { polygon in
        JSON.array(([polygon.outer] + polygon.holes).map(json))
      }
      return .object(lists.count == 1 ? ["Polygon": lists[0]] : ["MultiPolygon": .array(lists)])
    }
  }

  static func json(of place: Coordinate) -> JSON {
    .array([.real(place.longitude), .real(place.latitude)])
  }

  private static func json(of ring: Ring) -> JSON {
    .array((ring.vertices + ring.vertices.prefix(1)).map(json))
  }
}
