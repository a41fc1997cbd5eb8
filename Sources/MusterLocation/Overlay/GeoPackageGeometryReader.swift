internal import MusterModel

/// Reads a geometry as a GeoPackage stores it (OGC 12-128r17, 2.1.3): a header, then well-known
/// binary (OGC 06-103r4, 8.2).
struct GeoPackageGeometryReader {
  private static let depth = 8
  /// Bytes of the bounding box by its code.
  private static let boxBytes = [0, 32, 48, 48, 64]

  private var reader: PlanarReader
  private var shapes: [PlanarShape] = []

  /// Returns the shapes; none of an empty geometry. Throws for damaged bytes and for curves.
  static func shapes(in bytes: [UInt8]) throws(DecodingFault) -> [PlanarShape] {
    guard bytes.count >= 8, bytes.starts(with: Array("GP".utf8)) else {
      throw .invalid("it has no header")
    }
    let flags = bytes[3]
    if flags & 0b0001_0000 != 0 { return [] }
    let box = Int(flags >> 1 & 0b111)
    guard box < boxBytes.count, 8 + boxBytes[box] <= bytes.count else { throw .truncated }
    var reader = Self(reader: PlanarReader(bytes[(8 + boxBytes[box])...]))
    try reader.geometry(depth: 0)
    return reader.shapes
  }

  private mutating func geometry(depth: Int) throws(DecodingFault) {
    guard depth < Self.depth else { throw .invalid("it is nested too deeply") }
    try reader.byteOrder()
    let code = try reader.number()
    // Heights and measures: 1000 to 3000 in ISO, bits in other dialects.
    let more =
      code & 0xC000_0000 != 0
      ? Int(code >> 31 & 1) + Int(code >> 30 & 1) : [0, 1, 1, 2][Int(code / 1000 % 4)]
    if code & 0x2000_0000 != 0 { try reader.skip(4) }
    switch code & 0x0FFF_FFFF % 1000 {
    case 1:
      let point = try self.point(more)
      // Without numbers it is an empty point.
      if !point.x.isNaN || !point.y.isNaN { shapes.append(.points([point])) }
    case 2: shapes.append(.line(try points(more)))
    case 3:
      var rings: [[PlanarShape.Point]] = []
      for _ in 0..<(try reader.count(ofAtLeast: 4)) { rings.append(try points(more)) }
      if !rings.isEmpty { shapes.append(.polygon(rings)) }
    case 4...7, 15, 16:
      for _ in 0..<(try reader.count(ofAtLeast: 5)) { try geometry(depth: depth + 1) }
    case 17:
      throw .invalid("a triangle, which is not read")
    default: throw .invalid("a geometry of type \(code), which is not read: straighten curves")
    }
  }

  private mutating func points(_ more: Int) throws(DecodingFault) -> [PlanarShape.Point] {
    var points: [PlanarShape.Point] = []
    for _ in 0..<(try reader.count(ofAtLeast: 16)) { points.append(try point(more)) }
    return points
  }

  private mutating func point(_ more: Int) throws(DecodingFault) -> PlanarShape.Point {
    let point = try reader.point()
    try reader.skip(8 * more)
    return point
  }
}

extension OverlayShapes {
  /// Adds a feature of a GeoPackage.
  ///
  /// - Parameter geometry: the value of its geometry column; empty if it has none.
  public mutating func add(
    geoPackageGeometry geometry: [UInt8], in system: ReferenceSystem,
    _ properties: [String: String], at place: String
  ) throws(OverlayFault) {
    let shapes: [PlanarShape]
    do throws(DecodingFault) {
      shapes = geometry.isEmpty ? [] : try GeoPackageGeometryReader.shapes(in: geometry)
    } catch {
      if case .invalid(let what) = error { return try leaveOut(place, what) }
      return try leaveOut(place, "its geometry is cut off")
    }
    if shapes.isEmpty { try leaveOut(place, "no coordinates") }
    let (name, details) = Self.texts(in: properties)
    for shape in shapes {
      try add(shape, in: system, name: name, details: details, at: place)
    }
  }
}
