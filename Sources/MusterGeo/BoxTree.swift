internal import MusterModel

/// Finds which of many boxes hold a point: a packed R-tree (Leutenegger, Edgington and Lopez,
/// "STR: a simple and efficient algorithm for R-tree packing", 1997). It is built once and never
/// changed; it copes with boxes of any size spread in any way, which a grid does not.
struct BoxTree: Sendable {
  private static let fanOut = 16
  /// Level 0 has the boxes themselves in packed order; each box of a higher level is the union
  /// of `fanOut` neighbours below it. The last level has at most `fanOut`. All in one array.
  private let boxes: [Box]
  /// Where each level begins in `boxes`, and where the last one ends.
  private let levelStarts: [Int]
  /// The caller's index of each box of level 0.
  private let items: [Int32]

  init(_ given: [Box]) {
    let order = Self.packedOrder(of: given)
    items = order.map { Int32($0) }
    var boxes = order.map { given[$0] }
    var starts = [0, boxes.count]
    while let end = starts.last, end - starts[starts.count - 2] > Self.fanOut {
      for start in stride(from: starts[starts.count - 2], to: end, by: Self.fanOut) {
        boxes.append(
          boxes[start..<min(start + Self.fanOut, end)].reduce(into: Box.empty) { $0.join($1) })
      }
      starts.append(boxes.count)
    }
    self.boxes = boxes
    levelStarts = starts
  }

  /// The index of each box that holds the point, in no useful order.
  func boxes(holding point: Coordinate) -> [Int] {
    var found: [Int] = []
    boxes.withUnsafeBufferPointer { boxes in
      levelStarts.withUnsafeBufferPointer { starts in
        let top = starts.count - 2
        Self.descend(boxes, starts, level: top, starts[top]..<starts[top + 1], point, &found)
      }
    }
    for index in found.indices { found[index] = Int(items[found[index]]) }
    return found
  }

  private static func descend(
    _ boxes: UnsafeBufferPointer<Box>, _ starts: UnsafeBufferPointer<Int>, level: Int,
    _ range: Range<Int>, _ point: Coordinate, _ found: inout [Int]
  ) {
    let (x, y) = (point.longitudeE7, point.latitudeE7)
    for index in range where boxes[index].contains(longitudeE7: x, latitudeE7: y) {
      if level == 0 {
        found.append(index)
      } else {
        let first = starts[level - 1] + (index - starts[level]) * fanOut
        let end = min(first + fanOut, starts[level])
        descend(boxes, starts, level: level - 1, first..<end, point, &found)
      }
    }
  }

  /// Vertical slices from west to east, each from south to north, so that neighbours in the
  /// order are neighbours on the ground.
  private static func packedOrder(of boxes: [Box]) -> [Int] {
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
