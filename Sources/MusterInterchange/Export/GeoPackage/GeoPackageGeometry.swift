internal import MusterModel

/// A geometry as a GeoPackage stores it: a header, a bounding box and well-known binary
/// (OGC 12-128r17, 2.1.3; OGC 06-103r4, 8.2). Everything is least significant byte first.
enum GeoPackageGeometry {
  case point(Coordinate)
  /// The parts of a line, of at least two positions each.
  case lines([[Coordinate]])
  case polygons([FencePolygon])

  /// The name of a type of geometry.
  enum Kind: String {
    case point = "POINT"
    case lines = "MULTILINESTRING"
    case polygons = "MULTIPOLYGON"
  }

  /// A box in degrees.
  struct Bounds: Hashable {
    let west, south, east, north: Double
  }

  private var places: [Coordinate] {
    switch self {
    case .point(let place): [place]
    case .lines(let parts): parts.flatMap(\.self)
    case .polygons(let polygons): polygons.flatMap(\.outer.vertices)
    }
  }

  /// Returns the box around geometries; nil without any.
  static func bounds(of geometries: [GeoPackageGeometry]) -> Bounds? {
    let places = geometries.flatMap(\.places)
    guard let first = places.first else { return nil }
    return places.dropFirst().reduce(
      Bounds(
        west: first.longitude, south: first.latitude, east: first.longitude, north: first.latitude)
    ) { box, place in
      Bounds(
        west: min(box.west, place.longitude), south: min(box.south, place.latitude),
        east: max(box.east, place.longitude), north: max(box.north, place.latitude))
    }
  }

  func encoded(srs: Int32) -> [UInt8] {
    // Version 1; flags: little-endian, and for all but points a box without height.
    var isPoint = false
    if case .point = self { isPoint = true }
    var bytes = Bytes(Array("GP".utf8) + [0, isPoint ? 0b0000_0001 : 0b0000_0011])
    bytes.append(srs)
    if !isPoint, let box = Self.bounds(of: [self]) {
      for edge in [box.west, box.east, box.south, box.north] { bytes.append(edge) }
    }
    bytes.append(self)
    return bytes.content
  }

  /// Collects well-known binary.
  private struct Bytes {
    private(set) var content: [UInt8]

    init(_ header: [UInt8]) { content = header }

    mutating func append(_ number: Int32) {
      withUnsafeBytes(of: number.littleEndian) { content.append(contentsOf: $0) }
    }

    mutating func append(_ number: Double) {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { content.append(contentsOf: $0) }
    }

    mutating func append(_ geometry: GeoPackageGeometry) {
      switch geometry {
      case .point(let place):
        begin(1)
        append(place)
      case .lines(let parts):
        begin(5)
        append(Int32(parts.count))
        for part in parts {
          begin(2)
          append(Int32(part.count))
          for place in part { append(place) }
        }
      case .polygons(let polygons):
        begin(6)
        append(Int32(polygons.count))
        for polygon in polygons { append(polygon) }
      }
    }

    /// The byte order and the type.
    private mutating func begin(_ type: Int32) {
      content.append(1)
      append(type)
    }

    private mutating func append(_ place: Coordinate) {
      append(place.longitude)
      append(place.latitude)
    }

    private mutating func append(_ polygon: FencePolygon) {
      begin(3)
      let rings = [polygon.outer] + polygon.holes
      append(Int32(rings.count))
      for ring in rings {
        // The first vertex closes the ring.
        let places = ring.vertices + ring.vertices.prefix(1)
        append(Int32(places.count))
        for place in places { append(place) }
      }
    }
  }
}
