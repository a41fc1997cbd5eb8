internal import MusterModel

/// Finds which of many boxes hold a point: a packed R-tree (Leutenegger, Edgington and Lopez,
/// "STR: a simple and efficient algorithm for R-tree packing", 1997). It is built once and never
/// changed; it copes with boxes of any size spread in any way, which a grid does not.
struct BoxTree: Sendable {
  private static let fanOut = 16
  /// Level 0 has the boxes themselves; each box of a higher level is the union
  /// of `fanOut` neighbours below it. The last level has at most `fanOut`. All in one array.
  private let boxes: [PairedBox]
  /// Where each level begins in `boxes`, and where the last one ends.
  private let levelStarts: [Int]

  /// The boxes MUST be in packed order.
  init(_ packed: [Box]) {
    var level = packed
    var boxes = level.map { PairedBox($0) }
    var starts = [0, boxes.count]
    while level.count > Self.fanOut {
      level = stride(from: 0, to: level.count, by: Self.fanOut).map { start in
        level[start..<min(start + Self.fanOut, level.count)]
          .reduce(into: Box.empty) { $0.join($1) }
      }
      boxes += level.map { PairedBox($0) }
      starts.append(boxes.count)
    }
    self.boxes = boxes
    levelStarts = starts
  }

  /// Appends the place of each box that holds the point, in order; also of some that the point
  /// misses by 1e-7 degree.
  func collect(holding point: Coordinate, into found: inout [Int]) {
    boxes.withUnsafeBufferPointer { boxes in
      levelStarts.withUnsafeBufferPointer { starts in
        let top = starts.count - 2
        Self.descend(
          boxes, starts, level: top, starts[top]..<starts[top + 1], PairedBox.Point(point), &found)
      }
    }
  }

  private static func descend(
    _ boxes: UnsafeBufferPointer<PairedBox>, _ starts: UnsafeBufferPointer<Int>, level: Int,
    _ range: Range<Int>, _ point: PairedBox.Point, _ found: inout [Int]
  ) {
    // One bit a box: a branch for each would be guessed wrong too often.
    var holding: UInt32 = 0
    for (lane, index) in range.enumerated() {
      holding |= (boxes[index].holds(point) ? 1 : 0) &<< UInt32(truncatingIfNeeded: lane)
    }
    while holding != 0 {
      let index = range.lowerBound + holding.trailingZeroBitCount
      holding &= holding - 1
      if level == 0 {
        found.append(index)
      } else {
        let first = starts[level - 1] + (index - starts[level]) * fanOut
        let end = min(first + fanOut, starts[level])
        descend(boxes, starts, level: level - 1, first..<end, point, &found)
      }
    }
  }

  /// The places of boxes in vertical slices from west to east, each from south to north, so that
  /// neighbours in the order are neighbours on the ground. What belongs to the boxes is best kept
  /// in the same order.
  static func packedOrder(of boxes: [Box]) -> [Int] {
    let leaves = (boxes.count + fanOut - 1) / fanOut
    let slices = Int(Double(leaves).squareRoot().rounded(.up))
    let sliceSize = max(slices * fanOut, 1)
    let eastward = boxes.indices.sorted {
      let (left, right) = (boxes[$0], boxes[$1])
      return (Int64(left.west) + Int64(left.east), $0) < (Int64(right.west) + Int64(right.east), $1)
    }
    return stride(from: 0, to: eastward.count, by: sliceSize).flatMap { start in
      eastward[start..<min(start + sliceSize, eastward.count)].sorted {
        let (left, right) = (boxes[$0], boxes[$1])
        return (Int64(left.south) + Int64(left.north), $0)
          < (Int64(right.south) + Int64(right.north), $1)
      }
    }
  }
}

/// A box whose longitude and latitude are compared at once, without a branch: both are 31 bits in
/// one word, and each has a bit above it that a subtraction takes away where it goes below zero.
/// Longitudes lose their last bit for it, so a box may hold what is 1e-7 degree beside it.
private struct PairedBox: Sendable {
  private let low: UInt64
  private let high: UInt64

  private static let carries: UInt64 = 0x8000_0000_8000_0000

  struct Point: Sendable {
    fileprivate let bare: UInt64
    fileprivate let carrying: UInt64

    init(_ point: Coordinate) {
      bare = PairedBox.pair(longitudeE7: point.longitudeE7, latitudeE7: point.latitudeE7)
      carrying = bare | PairedBox.carries
    }
  }

  init(_ box: Box) {
    // An empty box is east of itself, which no point is.
    let isEmpty = box.west > box.east
    low = isEmpty ? ~Self.carries : Self.pair(longitudeE7: box.west, latitudeE7: box.south)
    high =
      Self.carries
      | (isEmpty ? 0 : Self.pair(longitudeE7: box.east, latitudeE7: box.north))
  }

  @inline(__always)
  func holds(_ point: Point) -> Bool {
    (point.carrying &- low) & (high &- point.bare) & Self.carries == Self.carries
  }

  private static func pair(longitudeE7 x: Int32, latitudeE7 y: Int32) -> UInt64 {
    UInt64((Int64(x) + 1_800_000_000) >> 1) << 32 | UInt64(Int64(y) + 900_000_000)
  }
}
