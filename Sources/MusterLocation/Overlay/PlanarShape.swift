internal import MusterModel

/// A shape in the numbers of its file.
enum PlanarShape: Hashable {
  typealias Point = SIMD2<Double>

  case points([Point])
  case line([Point])
  /// The outline, then its holes.
  case polygon([[Point]])
}

extension OverlayShapes {
  /// Adds a shape. A position that cannot be used is left out of its line, and its area with it,
  /// since that would be another area.
  mutating func add(
    _ shape: PlanarShape, in system: ReferenceSystem, name: String, details: String,
    at place: String
  ) throws(OverlayFault) {
    var bad: PlanarShape.Point?
    func places(_ points: [PlanarShape.Point]) -> [Coordinate] {
      points.compactMap { point in
        let place = system.place(x: point.x, y: point.y)
        if place == nil { bad = bad ?? point }
        return place
      }
    }
    var found: [OverlayFeature.Shape] = []
    switch shape {
    case .points(let points): found = places(points).map { .point($0) }
    case .line(let points): found = [.line(places(points))]
    case .polygon(let rings):
      let outlines = rings.map(places)
      if bad == nil { found = [.polygon(outlines)] }
    }
    for one in found { try add(one, name: name, details: details, at: place) }
    if let bad {
      try leaveOut(place, "\(bad.x) \(bad.y) is not a position of its reference system")
    }
  }
}

/// Reads numbers that are least significant byte first, or most, from bytes that are not trusted.
struct PlanarReader {
  private var reader: ByteReader
  private var isLittle = true

  init(_ bytes: ArraySlice<UInt8>) { reader = ByteReader(bytes) }

  var remaining: Int { reader.remaining }

  /// Reads whether the numbers that follow are least significant byte first: 1, or 0.
  mutating func byteOrder() throws(DecodingFault) {
    isLittle = try reader.integer(UInt8.self) == 1
  }

  mutating func skip(_ count: Int) throws(DecodingFault) { _ = try reader.fixed(count) }

  mutating func number() throws(DecodingFault) -> UInt32 {
    let number = try reader.integer(UInt32.self)
    return isLittle ? number.byteSwapped : number
  }

  mutating func real() throws(DecodingFault) -> Double {
    let bits = try reader.integer(UInt64.self)
    return Double(bitPattern: isLittle ? bits.byteSwapped : bits)
  }

  mutating func point() throws(DecodingFault) -> PlanarShape.Point {
    PlanarShape.Point(try real(), try real())
  }

  /// Reads how many elements follow, and rejects more than could remain.
  ///
  /// - Parameter width: the least bytes of an element.
  mutating func count(ofAtLeast width: Int) throws(DecodingFault) -> Int {
    let count = Int(try number())
    guard count <= remaining / width else { throw .truncated }
    return count
  }
}
