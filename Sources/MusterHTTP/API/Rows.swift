internal import MusterInterchange
internal import MusterModel
internal import NIOCore

/// A prepared list of one data set, whole or in pages, as JSON or as GeoJSON.
struct Rows: Sendable {
  struct Row: Sendable {
    let id: String
    let json: String
    /// As a GeoJSON feature; empty without a position.
    let feature: String
    let box: Box?
    /// When it was so; nil if it has no time.
    var time: ClosedRange<Timestamp>?
  }

  static let page: Int64 = 1000
  static let mostPerPage: Int64 = 10_000

  /// Sorted by id, so that a page continues the previous one in spite of new rows.
  private let rows: [Row]

  init(_ rows: [Row]) { self.rows = rows.sorted { $0.id < $1.id } }

  /// Returns the rows after an id, with the start of the next page.
  func page(after cursor: String?, limit: Int64) -> ByteBuffer {
    let shown = rows(after: cursor).prefix(Int(limit))
    var text = ByteBuffer(string: "{\"items\":[")
    for (index, row) in shown.enumerated() {
      if index > 0 { text.writeString(",") }
      text.writeString(row.json)
    }
    let next = shown.endIndex < rows.endIndex ? "\"\(shown.last?.id ?? "")\"" : "null"
    text.writeString("],\"next\":\(next)}")
    return text
  }

  /// Returns the rows that intersect a box, or all, as a FeatureCollection.
  func features(in box: Box?) -> ByteBuffer {
    var text = ByteBuffer(string: "{\"type\":\"FeatureCollection\",\"features\":[")
    var isFirst = true
    for row in rows where !row.feature.isEmpty {
      if let box, row.box?.meets(box) != true { continue }
      if !isFirst { text.writeString(",") }
      isFirst = false
      text.writeString(row.feature)
    }
    text.writeString("]}")
    return text
  }

  /// The rows after an id; with nil, all.
  func rows(after cursor: String?) -> ArraySlice<Row> {
    guard let cursor else { return rows[...] }
    return rows[firstIndex { $0 > cursor }...]
  }

  /// Returns the row with an id; nil if there is none.
  subscript(id: String) -> Row? {
    let index = firstIndex { $0 >= id }
    return index < rows.endIndex && rows[index].id == id ? rows[index] : nil
  }

  /// Returns the index of the first row whose id is far enough in the order.
  private func firstIndex(where isReached: (String) -> Bool) -> Int {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if isReached(rows[middle].id) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// A rectangle in degrees. Its west is less than its east unless it crosses the antimeridian.
struct Box: Hashable, Sendable {
  var west: Int32
  var south: Int32
  var east: Int32
  var north: Int32

  init(_ place: Coordinate) {
    (west, east) = (place.longitudeE7, place.longitudeE7)
    (south, north) = (place.latitudeE7, place.latitudeE7)
  }

  /// The smallest box around lines or outlines, which take the short way between positions.
  init(around shapes: [[Coordinate]]) {
    let latitudes = shapes.flatMap { $0.map(\.latitudeE7) }
    let extent = Antimeridian.extent(of: shapes) ?? (0, 0)
    self.init(
      west: extent.west, south: latitudes.min() ?? 0, east: extent.east,
      north: latitudes.max() ?? 0)
  }

  init(west: Int32, south: Int32, east: Int32, north: Int32) {
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  /// Parses `west,south,east,north` in degrees, as in RFC 7946; with heights, which are not used,
  /// `west,south,lowest,east,north,highest`.
  init(parsing text: String) throws(Problem) {
    let numbers = try Self.check(text, at: "bbox")
    guard let first = Coordinate(latitude: numbers[1], longitude: numbers[0]),
      let second = Coordinate(latitude: numbers[3], longitude: numbers[2]),
      first.latitudeE7 <= second.latitudeE7
    else { throw Problem(.unprocessableContent, "the box is out of range", at: "bbox") }
    self.init(
      west: first.longitudeE7, south: first.latitudeE7, east: second.longitudeE7,
      north: second.latitudeE7)
  }

  private static let number = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
  static let pattern = "^\(number)(,\(number)){3}((,\(number)){2})?$"

  /// Parses four or six numbers, as `pattern` describes. Returns the four without heights.
  @discardableResult
  static func check(_ text: String, at place: String) throws(Problem) -> [Double] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } ? Double(part) : nil
    }
    guard [4, 6].contains(parts.count), numbers.count == parts.count else {
      throw Problem(.badRequest, "write west,south,east,north in degrees", at: place)
    }
    return numbers.count == 4 ? numbers : [0, 1, 3, 4].map { numbers[$0] }
  }

  /// The bounding box of an outline. That of a circle is slightly too large, never too small.
  init(_ geometry: FenceGeometry) {
    switch geometry {
    case .circle(let center, let radius):
      let reach = Int64(radius) * 91 / 100 + 10
      let south = max(-900_000_000, Int64(center.latitudeE7) - reach)
      let north = min(900_000_000, Int64(center.latitudeE7) + reach)
      // Beyond these latitudes a degree of longitude is too short for a useful bound.
      let isFar = max(abs(south), abs(north)) > 800_000_000
      let wide = isFar ? 1_800_000_000 : reach * 6
      let (west, east) = (Int64(center.longitudeE7) - wide, Int64(center.longitudeE7) + wide)
      let isAround = west < -1_800_000_000 || east > 1_800_000_000
      self.init(
        west: isAround ? -1_800_000_000 : Int32(west), south: Int32(south),
        east: isAround ? 1_800_000_000 : Int32(east), north: Int32(north))
    case .polygons(let polygons):
      self.init(around: polygons.map(\.outer.vertices))
    }
  }

  func meets(_ other: Box) -> Bool {
    guard south <= other.north, other.south <= north else { return false }
    return spans.contains { own in
      other.spans.contains { own.lowerBound <= $0.upperBound && $0.lowerBound <= own.upperBound }
    }
  }

  /// The ranges of longitude: two across the antimeridian.
  private var spans: [ClosedRange<Int32>] {
    west <= east ? [west...east] : [west...1_800_000_000, -1_800_000_000...east]
  }
}
