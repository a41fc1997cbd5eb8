/// A decoder of polygons in Geobuf, the Protocol Buffers form of GeoJSON
/// (https://github.com/mapbox/geobuf, `geobuf.proto`): a `Data` message with a `Geometry` of type
/// Polygon or MultiPolygon. Bounded by the length of the input.
enum Geobuf {
  enum Fault: String, Error {
    case truncated
    case malformed
    case noPolygon = "no polygon"
  }

  typealias Position = (longitude: Double, latitude: Double)

  private static let polygonType = 4
  private static let multiPolygonType = 5
  private static let dimensions = 2...4
  private static let precisions = 0...12
  /// Far beyond any coordinate in units of 10^-12 degree.
  private static let mostUnits: Int64 = 1 << 52

  /// Returns the rings of each polygon, without their closing vertices.
  static func polygons(in bytes: [UInt8]) throws(Fault) -> [[[Position]]] {
    var reader = FieldReader(bytes[...])
    var (dimension, precision) = (2, 6)
    var geometry: ArraySlice<UInt8>?
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (2, .varint(let value)): dimension = Int(clamping: value)
      case (3, .varint(let value)): precision = Int(clamping: value)
      case (6, .bytes(let content)): geometry = content
      default: break
      }
    }
    guard dimensions.contains(dimension), precisions.contains(precision) else { throw .malformed }
    guard let geometry else { throw .noPolygon }
    return try polygons(ofGeometry: geometry, dimension: dimension, precision: precision)
  }

  private static func polygons(
    ofGeometry bytes: ArraySlice<UInt8>, dimension: Int, precision: Int
  ) throws(Fault) -> [[[Position]]] {
    var reader = FieldReader(bytes)
    var (type, lengths, coordinates) = (0, [Int](), [Int64]())
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (1, .varint(let value)): type = Int(clamping: value)
      case (2, .varint(let value)): lengths.append(Int(clamping: value))
      case (2, .bytes(let content)):
        lengths += try FieldReader.varints(content).map { Int(clamping: $0) }
      case (3, .varint(let value)): coordinates.append(zigzag(value))
      case (3, .bytes(let content)): coordinates += try FieldReader.varints(content).map(zigzag)
      default: break
      }
    }
    var points = PointReader(
      coordinates: coordinates[...], dimension: dimension, unit: power(of: 10, precision))
    switch type {
    case polygonType:
      let counts = lengths.isEmpty ? [coordinates.count / dimension] : lengths
      return [try points.rings(counts)]
    case multiPolygonType:
      return try points.polygons(lengths)
    default: throw .noPolygon
    }
  }

  private static func zigzag(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  private static func power(of base: Double, _ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { value, _ in value * base }
  }

  /// Reads delta-encoded positions.
  private struct PointReader {
    var coordinates: ArraySlice<Int64>
    let dimension: Int
    let unit: Double

    /// Without lengths there is one polygon with one ring.
    mutating func polygons(_ lengths: [Int]) throws(Fault) -> [[[Position]]] {
      guard let count = lengths.first else {
        return [try rings([coordinates.count / dimension])]
      }
      var rest = lengths.dropFirst()
      var polygons: [[[Position]]] = []
      guard count <= rest.count else { throw .truncated }
      for _ in 0..<max(0, count) {
        guard let ringCount = rest.popFirst(), (0...rest.count).contains(ringCount) else {
          throw .truncated
        }
        polygons.append(try rings(Array(rest.prefix(ringCount))))
        rest = rest.dropFirst(ringCount)
      }
      return polygons
    }

    mutating func rings(_ counts: [Int]) throws(Fault) -> [[Position]] {
      var rings: [[Position]] = []
      for count in counts { rings.append(try ring(count)) }
      return rings
    }

    private mutating func ring(_ count: Int) throws(Fault) -> [Position] {
      guard (0...coordinates.count / dimension).contains(count) else { throw .truncated }
      var sums = [Int64](repeating: 0, count: dimension)
      var ring: [Position] = []
      for _ in 0..<count {
        for index in 0..<dimension {
          guard let step = coordinates.popFirst() else { throw .truncated }
          let (sum, overflow) = sums[index].addingReportingOverflow(step)
          guard !overflow, abs(sum.clamped) < mostUnits else { throw .malformed }
          sums[index] = sum
        }
        ring.append((Double(sums[0]) / unit, Double(sums[1]) / unit))
      }
      return ring
    }
  }
}

extension Int64 {
  /// `Int64.min` has no absolute value.
  fileprivate var clamped: Int64 { Swift.max(self, -Int64.max) }
}

/// Reads the fields of a Protocol Buffers message.
private struct FieldReader {
  enum Value {
    case varint(UInt64)
    case bytes(ArraySlice<UInt8>)
    case other
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() throws(Geobuf.Fault) -> (number: UInt64, value: Value)? {
    guard !rest.isEmpty else { return nil }
    let key = try varint()
    switch key & 7 {
    case 0: return (key >> 3, .varint(try varint()))
    case 1: try skip(8)
    case 2:
      let length = try varint()
      guard length <= UInt64(rest.count) else { throw .truncated }
      let content = rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
      return (key >> 3, .bytes(content))
    case 5: try skip(4)
    default: throw .malformed
    }
    return (key >> 3, .other)
  }

  static func varints(_ bytes: ArraySlice<UInt8>) throws(Geobuf.Fault) -> [UInt64] {
    var reader = FieldReader(bytes)
    var values: [UInt64] = []
    while !reader.rest.isEmpty { values.append(try reader.varint()) }
    return values
  }

  private mutating func varint() throws(Geobuf.Fault) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = rest.popFirst() else { throw .truncated }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw .malformed
  }

  private mutating func skip(_ count: Int) throws(Geobuf.Fault) {
    guard rest.count >= count else { throw .truncated }
    rest = rest.dropFirst(count)
  }
}
