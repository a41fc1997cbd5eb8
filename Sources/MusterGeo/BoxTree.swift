internal import MusterModel

/// Finds which of many boxes hold a point: a packed R-tree (Leutenegger, Edgington and Lopez,
/// "STR: a simple and efficient algorithm for R-tree packing", 1997). It is built once and never
/// changed; it copes with boxes of any size spread in any way, which a grid does not.
struct BoxTree: Sendable {
  private static let fanOut = 16
  /// Level 0 has the boxes themselves in packed order; each box of a higher level is the union
  /// of `fanOut` neighbours below it. The last level has at most `fanOut`.
  private let levels: [[Box]]
  /// The caller's index of each box of level 0.
  private let items: [Int32]

  init(_ boxes: [Box]) {
    let order = Self.packedOrder(of: boxes)
    items = order.map { Int32($0) }
    var levels = [order.map { boxes[$0] }]
    while let top = levels.last, top.count > Self.fanOut {
      levels.append(
        stride(from: 0, to: top.count, by: Self.fanOut).map { start in
          top[start..<min(start + Self.fanOut, top.count)]
            .reduce(into: Box.empty) { $0.join($1) }
        })
    }
    self.levels = levels
  }

  /// Calls `visit` with the index of each box that holds the point, in no useful order.
  func visitBoxes(holding point: Coordinate, _ visit: (Int) -> Void) {
    let top = levels.count - 1
    descend(level: top, range: 0..<levels[top].count, point, visit)
  }

  private func descend(
    level: Int, range: Range<Int>, _ point: Coordinate, _ visit: (Int) -> Void
  ) {
    let (x, y) = (point.longitudeE7, point.latitudeE7)
    for index in range where levels[level][index].contains(longitudeE7: x, latitudeE7: y) {
      if level == 0 {
        visit(Int(items[index]))
      } else {
        let first = index * Self.fanOut
        let end = min(first + Self.fanOut, levels[level - 1].count)
        descend(level: level - 1, range: first..<end, point, visit)
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
