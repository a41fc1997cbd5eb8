internal import MusterModel

/// Finds which of many boxes contain a point: a packed R-tree (Leutenegger, Edgington and Lopez,
/// "STR: a simple and efficient algorithm for R-tree packing", 1997). Immutable. Unlike a grid, it
/// handles any sizes and distributions of boxes.
struct BoxTree: Sendable {
  private static let fanOut = 16
  /// Level 0 has the boxes themselves; each box of a higher level is the union of `fanOut`
  /// neighbours of the level below. The last level has at most `fanOut`. All in one array.
  private let boxes: [PairedBox]
  /// The start of each level in `boxes`, and the end of the last one.
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

  /// Appends the index of each box that contains the point, in order; also of some that the point
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
    // One bit per box: branches would be mispredicted too often.
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

  /// Returns the indices of boxes in vertical slices from west to east, each from south to north,
  /// so that neighbours in the order are neighbours on the ground. Data of the boxes is best stored
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

/// A box whose longitude and latitude are compared at once, without a branch: both are 31 bits of
/// one word, each below a guard bit that a borrow of the subtraction clears. Longitudes lose their
/// last bit, so a box may include what is 1e-7 degree beside it.
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
    // An empty box is east of itself, so it contains no point.
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
