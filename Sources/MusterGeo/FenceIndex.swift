public import MusterModel

/// The active fences of an operation, ready for `CrossingDetector`. Make a new one when a fence
/// changes; many detectors can share it, and copies share their storage.
public struct FenceIndex: Sendable {
  /// The active fences in the order of their ids.
  let fences: [FenceUnderWatch]
  /// Their ids. Detectors keep a reference to this array rather than a state for each fence.
  let ids: [RowID]
  /// Their outlines.
  private let outlines: [PreparedOutline]
  private let tree: BoxTree

  /// Inactive fences are left out. The ids MUST differ.
  public init(_ fences: [FenceUnderWatch]) {
    let active = fences.filter(\.isActive).sorted { $0.id < $1.id }
    for (left, right) in zip(active, active.dropFirst()) {
      precondition(left.id != right.id, "fence \(left.id) is under watch twice")
    }
    self.fences = active
    ids = active.map(\.id)
    outlines = active.map(\.fence.outline)
    tree = BoxTree(outlines.map(\.box))
  }

  /// The ids of the active fences that hold the point, in order.
  public func fencesContaining(_ point: Coordinate) -> [RowID] {
    positions(containing: point).map { ids[$0] }
  }

  /// Places in `fences` of those that hold the point, in order.
  func positions(containing point: Coordinate) -> [Int] {
    var found = tree.boxes(holding: point)
    if let other = point.acrossAntimeridian { found += tree.boxes(holding: other) }
    found.removeAll { !outlines[$0].contains(point) }
    guard found.count > 1 else { return found }
    found.sort()
    return found.enumerated().filter { $0 == 0 || found[$0 - 1] != $1 }.map(\.element)
  }

  /// The place of a fence in `fences`; nil when it is not an active one.
  func position(of id: RowID) -> Int? { ids.sortedPosition(of: id) }
}

extension [RowID] {
  /// Binary search in ids that are in order.
  func sortedPosition(of id: RowID) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == id ? low : nil
  }
}
