internal import MusterModel

/// Polygons divided into horizontal bands, each with a list of the edges that reach into it, so
/// that a point is compared with a few edges instead of all.
///
/// All polygons are stored consecutively in one array of words, with the most frequently read words
/// first, so that a query reads a few adjacent cache lines and counts no references:
///
///     west south east north │ shift │ start of each band's edges, and the end of the last │ edges
///
/// An edge has four words and is stored in each band that it enters.
struct BandedPolygons: Sendable {
  private var words: [Int32] = []
  /// The start of each polygon in `words`.
  private var starts: [Int] = []

  private static let headerWords = 5
  private static let edgeWords = 4
  private static let mostBands = 64
  /// The band height is doubled until the copies of edges are at most this many times the edges.
  private static let mostCopies = 4

  /// Stores the polygons in this order.
  init(_ polygons: [FencePolygon]) {
    starts.reserveCapacity(polygons.count)
    for polygon in polygons { append(polygon) }
  }

  /// Returns whether the point is inside the outer ring and in no hole, or on any edge. For
  /// crossing rings, which validated geometry never has, the even-odd rule decides.
  func contains(_ point: Coordinate, in polygon: Int) -> Bool {
    words.withUnsafeBufferPointer { Self.contains(point, $0, from: starts[polygon]) }
  }

  private static func contains(
    _ point: Coordinate, _ words: UnsafeBufferPointer<Int32>, from start: Int
  ) -> Bool {
    let box = Box(
      west: words[start], south: words[start + 1], east: words[start + 2], north: words[start + 3])
    guard box.contains(point) else { return false }
    #if Canary
      if Canary.boxIsOutline.isPlanted { return true }
    #endif
    let (x, y) = (Int64(point.longitudeE7), Int64(point.latitudeE7))
    let shift = Int64(words[start + 4])
    let bands = start + headerWords
    let band = bands + Int((y - Int64(box.south)) >> shift)
    // The end of the last band follows the bands.
    let edges = bands + Int((Int64(box.north) - Int64(box.south)) >> shift) + 2
    var place = edges + Int(words[band]) * edgeWords
    let end = edges + Int(words[band + 1]) * edgeWords
    var isInside = false
    while place < end {
      let edge = Edge(
        lowX: words[place], lowY: words[place + 1], highX: words[place + 2],
        highY: words[place + 3])
      switch edge.sight(x: x, y: y) {
      case .touch: return true
      case .crossing: isInside.toggle()
      case .nothing: break
      }
      place += edgeWords
    }
    return isInside
  }

  // MARK: Building

  private mutating func append(_ polygon: FencePolygon) {
    starts.append(words.count)
    let (box, edges) = (polygon.box, polygon.edges)
    let height = edges.isEmpty ? 0 : Int64(box.north) - Int64(box.south)
    let wanted = Int64(min(max(edges.count / 4, 1), Self.mostBands))
    var shift: Int64 = 0
    while (height >> shift) >= wanted { shift += 1 }
    while Self.copies(of: edges, south: box.south, shift: shift) > edges.count * Self.mostCopies {
      shift += 1
    }
    let bands = Int(height >> shift) + 1
    // First the number of edges in each band, then the position of the next one.
    var places = [Int](repeating: 0, count: bands + 1)
    for edge in edges {
      for band in edge.bands(south: box.south, shift: shift) { places[band + 1] += 1 }
    }
    for band in 0..<bands { places[band + 1] += places[band] }
    for word in [box.west, box.south, box.east, box.north, Int32(shift)] { words.append(word) }
    for place in places { words.append(Int32(place)) }
    let first = words.count
    words.append(contentsOf: repeatElement(0, count: places[bands] * Self.edgeWords))
    for edge in edges {
      for band in edge.bands(south: box.south, shift: shift) {
        let word = first + places[band] * Self.edgeWords
        places[band] += 1
        words[word] = edge.lowX
        words[word + 1] = edge.lowY
        words[word + 2] = edge.highX
        words[word + 3] = edge.highY
      }
    }
  }

  private static func copies(of edges: [Edge], south: Int32, shift: Int64) -> Int {
    edges.reduce(0) { $0 + $1.bands(south: south, shift: shift).count }
  }
}

extension Edge {
  /// Returns the bands of 2^`shift` units, starting at `south`, that the edge enters.
  fileprivate func bands(south: Int32, shift: Int64) -> ClosedRange<Int> {
    let low = (Int64(lowY) - Int64(south)) >> shift
    let high = (Int64(highY) - Int64(south)) >> shift
    return Int(low)...Int(high)
  }
}
