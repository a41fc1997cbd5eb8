public import Foundation
internal import MusterModel

/// A Shapefile (ESRI Shapefile Technical Description, 1998): shapes, a table of their attributes,
/// and their reference system, in a file each.
public struct Shapefile: Sendable {
  private static let headerBytes = 100
  private static let fileCode: [UInt8] = [0, 0, 0x27, 0x0A]

  private let shapes: [UInt8]
  private let table: AttributeTable?
  private let system: ReferenceSystem

  /// Whether a file has the shapes of a Shapefile.
  public static func isShapefile(_ data: Data) -> Bool { data.starts(with: fileCode) }

  /// - Parameters:
  ///   - shapes: the file `.shp`.
  ///   - table: the file `.dbf`, if there is one.
  ///   - projection: the text of the file `.prj`; without one, the numbers are degrees.
  ///   - encoding: the text of the file `.cpg`, which names the encoding of the table.
  /// - Throws: for a reference system that is not known.
  public init(
    shapes: [UInt8], table: [UInt8]?, projection: String?, encoding: String?
  ) throws(OverlayFault) {
    guard shapes.count >= Self.headerBytes, shapes.starts(with: Self.fileCode) else {
      throw OverlayFault("it is not a Shapefile, or it is cut off: copy the file again")
    }
    if let projection {
      guard let known = ReferenceSystem(wellKnownText: projection) else {
        let name = projection.prefix(200).split(separator: "\"").dropFirst().first ?? "unknown"
        throw OverlayFault(
          "its reference system is \(GPXFault.quote(String(name))): \(ReferenceSystem.remedy)")
      }
      system = known
    } else {
      system = .degrees
    }
    self.shapes = shapes
    self.table = table.flatMap { AttributeTable($0, encoding: encoding) }
  }

  /// Adds the shapes. Throws if there are too many positions.
  public func add(to result: inout OverlayShapes, of file: String) throws(OverlayFault) {
    var offset = Self.headerBytes
    var index = 0
    while offset < shapes.count {
      let place = "\(file) record \(index + 1)"
      guard offset + 8 <= shapes.count else { return try result.leaveOut(place, "it is cut off") }
      let words = shapes[(offset + 4)..<(offset + 8)].reduce(0) { $0 << 8 | Int($1) }
      let (start, end) = (offset + 8, offset + 8 + 2 * words)
      guard end <= shapes.count, words > 1 else {
        return try result.leaveOut(place, "it is cut off, with what is after it")
      }
      let record = shapes[start..<end]
      (offset, index) = (end, index + 1)
      let found: [PlanarShape]
      do throws(DecodingFault) {
        found = try Self.shapes(in: record)
      } catch {
        if case .invalid(let what) = error {
          try result.leaveOut(place, what)
        } else {
          try result.leaveOut(place, "it is cut off")
        }
        continue
      }
      if found.isEmpty { try result.leaveOut(place, "no coordinates") }
      let (name, details) = OverlayShapes.texts(in: table?.row(index - 1) ?? [:])
      for shape in found {
        try result.add(shape, in: system, name: name, details: details, at: place)
      }
    }
  }

  // MARK: Records

  private static func shapes(in record: ArraySlice<UInt8>) throws(DecodingFault) -> [PlanarShape] {
    var reader = PlanarReader(record)
    let type = try reader.number()
    // With heights and measures, which follow the positions, types are 10 and 20 more.
    switch type {
    case 0: return []
    case 1, 11, 21: return [.points([try reader.point()])]
    case 8, 18, 28:
      try reader.skip(32)
      var points: [PlanarShape.Point] = []
      for _ in 0..<(try reader.count(ofAtLeast: 16)) { points.append(try reader.point()) }
      return points.isEmpty ? [] : [.points(points)]
    case 3, 13, 23: return try parts(&reader).map { .line($0) }
    case 5, 15, 25: return areas(try parts(&reader))
    default: throw .invalid("a shape of type \(type), which is not read")
    }
  }

  private static func parts(
    _ reader: inout PlanarReader
  ) throws(DecodingFault) -> [[PlanarShape.Point]] {
    try reader.skip(32)
    let partCount = try reader.count(ofAtLeast: 4)
    let pointCount = try reader.count(ofAtLeast: 16)
    var starts: [Int] = []
    for _ in 0..<partCount { starts.append(Int(try reader.number())) }
    guard pointCount <= reader.remaining / 16 else { throw .truncated }
    var points: [PlanarShape.Point] = []
    for _ in 0..<pointCount { points.append(try reader.point()) }
    var parts: [[PlanarShape.Point]] = []
    for (start, end) in zip(starts, starts.dropFirst() + [pointCount]) {
      guard start <= end, end <= pointCount else { throw .invalid("its parts overlap") }
      if start < end { parts.append(Array(points[start..<end])) }
    }
    return parts
  }

  // MARK: Areas

  /// Returns the areas of rings: outlines are clockwise, and holes the other way.
  private static func areas(_ rings: [[PlanarShape.Point]]) -> [PlanarShape] {
    var areas = rings.filter { doubleArea($0) <= 0 }.map { [$0] }
    // One ring the wrong way is an outline that another program wrote.
    if areas.isEmpty { return rings.map { .polygon([$0]) } }
    for hole in rings where doubleArea(hole) > 0 {
      let place = areas.firstIndex { contains($0[0], hole[0]) } ?? areas.count - 1
      areas[place].append(hole)
    }
    return areas.map { .polygon($0) }
  }

  /// Returns twice the area, positive if the ring is counter-clockwise.
  private static func doubleArea(_ ring: [PlanarShape.Point]) -> Double {
    zip(ring, ring.dropFirst()).reduce(0) { sum, edge in
      sum + edge.0.x * edge.1.y - edge.1.x * edge.0.y
    }
  }

  private static func contains(_ ring: [PlanarShape.Point], _ point: PlanarShape.Point) -> Bool {
    zip(ring, ring.dropFirst()).reduce(false) { isInside, edge in
      let (from, to) = edge
      guard (from.y > point.y) != (to.y > point.y) else { return isInside }
      let x = from.x + (point.y - from.y) / (to.y - from.y) * (to.x - from.x)
      return x > point.x ? !isInside : isInside
    }
  }
}

/// The attributes of a Shapefile, in the format of dBASE III.
private struct AttributeTable {
  private static let mostFields = 255

  private let bytes: [UInt8]
  private let encoding: String.Encoding
  private let fields: [(name: String, offset: Int, length: Int)]
  private let start: Int
  private let rowBytes: Int

  /// Returns nil for a damaged table: shapes are shown without names then.
  init?(_ bytes: [UInt8], encoding name: String?) {
    guard bytes.count > 32 else { return nil }
    func number(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    (start, rowBytes) = (number(8), number(10))
    guard start > 32, start <= bytes.count, rowBytes > 1 else { return nil }
    var fields: [(name: String, offset: Int, length: Int)] = []
    // A mark of deletion is before each row.
    var offset = 1
    var place = 32
    while place + 32 <= start, bytes[place] != 0x0D, fields.count < Self.mostFields {
      let length = Int(bytes[place + 16])
      guard offset + length <= rowBytes else { break }
      let name = bytes[place..<(place + 11)].prefix { $0 != 0 }
      fields.append((String(decoding: name, as: UTF8.self), offset, length))
      offset += length
      place += 32
    }
    (self.bytes, self.fields) = (bytes, fields)
    encoding =
      name.map { $0.uppercased().contains("UTF") } == true
      ? .utf8
      : name?.contains("1251") == true
        ? .windowsCP1251
        : name?.contains("1250") == true ? .windowsCP1250 : .windowsCP1252
  }

  /// Returns the texts of a row, by the names of their fields; nil if the table is shorter.
  func row(_ index: Int) -> [String: String]? {
    let begin = start + index * rowBytes
    guard begin + rowBytes <= bytes.count else { return nil }
    let pairs = fields.map { field in
      let value = bytes[(begin + field.offset)..<(begin + field.offset + field.length)]
      return (field.name, XMLText.trimmed(text(value.prefix { $0 != 0 })))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String {
    // Some programs write UTF-8 without a `.cpg`.
    String(validating: bytes, as: UTF8.self) ?? String(data: Data(bytes), encoding: encoding)
      ?? String(decoding: bytes, as: UTF8.self)
  }
}
