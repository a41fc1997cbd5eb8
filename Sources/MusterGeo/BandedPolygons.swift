internal import MusterModel

/// Polygons cut into horizontal bands that each list the edges that reach into them, so that a
/// point is compared with a few edges rather than with all.
///
/// All lie one after the other in one array of words, each with what is asked of it first in front,
/// so that a point costs a few neighbouring lines of memory and counts no references:
///
///     west south east north │ shift │ where each band's edges begin, and the last's end │ edges
///
/// An edge is four words and stands in each band that it enters.
struct BandedPolygons: Sendable {
  private var words: [Int32] = []
  /// Where each polygon begins in `words`.
  private var starts: [Int] = []

  private static let headerWords = 5
  private static let edgeWords = 4
  private static let mostBands = 64
  /// Bands are made taller until the copies of edges are at most this many times the edges.
  private static let mostCopies = 4

  /// In this order.
  init(_ polygons: [FencePolygon]) {
    starts.reserveCapacity(polygons.count)
    for polygon in polygons { append(polygon) }
  }

  /// Whether the point is inside the outer ring and in no hole, or on any edge. Where rings cross,
  /// which validated geometry never does, the even-odd rule decides.
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
    // The bands are followed by where the last one ends.
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
    // How many edges each band lists, then where the next of each goes.
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
  /// The bands of 2^`shift` units, from `south` on, that it reaches into.
  fileprivate func bands(south: Int32, shift: Int64) -> ClosedRange<Int> {
    let low = (Int64(lowY) - Int64(south)) >> shift
    let high = (Int64(highY) - Int64(south)) >> shift
    return Int(low)...Int(high)
  }
}
