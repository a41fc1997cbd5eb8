internal import MusterModel

/// The active fences of an operation, prepared for `CrossingDetector`. Create a new one when a
/// fence changes; many detectors can share it. A class, so that passing it counts one reference.
///
/// The cost of a fix grows with the number of fences near it, and with the logarithm of all.
public final class FenceIndex: Sendable {
  /// The active fences in the order of their ids.
  let fences: [FenceUnderWatch]
  /// Their rules.
  let rules: [CrossingRule]
  /// Their ids. Detectors keep a reference to this array rather than a state for each fence.
  let ids: [RowID]

  /// The polygons of all fences, in the order of their tree.
  private let polygons: BandedPolygons
  private let polygonTree: BoxTree
  /// The index in `fences` of each polygon's fence.
  private let polygonFences: [Int]

  private struct Circle {
    let fence: Int
    let center: Coordinate
    let radiusCentimetres: UInt32
  }
  /// In the order of their tree.
  private let circles: [Circle]
  private let circleTree: BoxTree

  /// Inactive fences are left out. The ids MUST differ.
  public init(_ fences: [FenceUnderWatch]) {
    let active = fences.filter(\.isActive).sorted { $0.id < $1.id }
    for (left, right) in zip(active, active.dropFirst()) {
      precondition(left.id != right.id, "fence \(left.id) occurs twice")
    }
    self.fences = active
    rules = active.map(\.rule)
    ids = active.map(\.id)
    var drawn: [(fence: Int, polygon: FencePolygon, box: Box)] = []
    var circles: [(circle: Circle, box: Box)] = []
    for (index, fence) in active.enumerated() {
      let outline = fence.fence.outline
      switch outline.geometry {
      case .polygons(let polygons):
        for (polygon, box) in zip(polygons, outline.boxes) { drawn.append((index, polygon, box)) }
      case .circle(let center, let radius):
        let circle = Circle(fence: index, center: center, radiusCentimetres: radius)
        circles.append((circle, outline.boxes[0]))
      }
    }
    drawn = BoxTree.packedOrder(of: drawn.map(\.box)).map { drawn[$0] }
    polygonTree = BoxTree(drawn.map(\.box))
    polygonFences = drawn.map(\.fence)
    polygons = BandedPolygons(drawn.map(\.polygon))
    circles = BoxTree.packedOrder(of: circles.map(\.box)).map { circles[$0] }
    circleTree = BoxTree(circles.map(\.box))
    self.circles = circles.map(\.circle)
  }

  /// Returns the indices in `fences` of those that contain the point, in order.
  func positions(containing point: Coordinate) -> [Int] {
    var found: [Int] = []
    collect(point, into: &found)
    if let other = point.acrossAntimeridian { collect(other, into: &found) }
    guard found.count > 1 else { return found }
    found.sort()
    return found.enumerated().filter { $0 == 0 || found[$0 - 1] != $1 }.map(\.element)
  }

  /// Appends a fence's index for each of its polygons that contains the point, and for its circle.
  private func collect(_ point: Coordinate, into found: inout [Int]) {
    var kept = found.count
    polygonTree.collect(holding: point, into: &found)
    for index in kept..<found.count where polygons.contains(point, in: found[index]) {
      found[kept] = polygonFences[found[index]]
      kept += 1
    }
    found.removeSubrange(kept...)
    guard !circles.isEmpty else { return }
    circleTree.collect(holding: point, into: &found)
    for index in kept..<found.count {
      let circle = circles[found[index]]
      if Geodesic.isWithin(
        radiusCentimetres: circle.radiusCentimetres, of: circle.center, point)
      {
        found[kept] = circle.fence
        kept += 1
      }
    }
    found.removeSubrange(kept...)
  }

  /// Returns the index of a fence in `fences`; nil if it is not active.
  func position(of id: RowID) -> Int? { ids.sortedPosition(of: id) }
}

extension [RowID] {
  /// Binary search in sorted ids.
  func sortedPosition(of id: RowID) -> Int? {
    let position = firstPosition { $0 >= id }
    return position < count && self[position] == id ? position : nil
  }
}

extension Array {
  /// Returns the first index from which on the condition holds, by bisection; the end if there is
  /// none.
  func firstPosition(where isReached: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isReached(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
