public import MusterModel

/// The verified nodes of a blob's tree, from the nodes of its units up to the root.
///
/// A unit is proved by its node and the siblings up to the first node that is verified already.
/// Units after the first therefore need one or two hashes instead of a whole path.
///
/// Invariant: with a node its sibling is verified, and so are all nodes above both.
public struct BlobNodes: Sendable {
  private let shape: BlobShape
  /// By level, the nodes of the units first.
  private var levels: [[Int: Bytes32]]

  /// Begins with the root of a listed blob.
  public init(of blob: BlobListing) {
    shape = blob.shape
    var (width, levels) = (blob.shape.units, [[Int: Bytes32]()])
    while width > 1 {
      levels.append([:])
      width = (width + 1) / 2
    }
    levels[levels.count - 1][0] = blob.root
    self.levels = levels
  }

  /// Returns how many hashes of a unit's path are missing, from the lowest one on.
  public func missing(of unit: Int) -> Int {
    var (index, width, count) = (unit, shape.units, 0)
    for level in levels {
      if level[index] != nil { break }
      if index ^ 1 < width { count += 1 }
      (index, width) = (index >> 1, (width + 1) / 2)
    }
    return count
  }

  /// Verifies a unit and its siblings, and keeps their nodes.
  ///
  /// - Parameters:
  ///   - leaves: the hashes of the unit's leaves.
  ///   - siblings: its path, lowest first, at least as far as it is missing.
  /// - Returns: the whole path; nil if they do not lead to the root.
  public mutating func verify(
    _ unit: Int, leaves: [Bytes32], siblings: [Bytes32]
  ) -> [Bytes32]? {
    guard (0..<shape.units).contains(unit), leaves.count == shape.leaves(of: unit).count else {
      return nil
    }
    var (index, width, hash) = (unit, shape.units, BlobTree.root(of: leaves[...]))
    var rest = siblings[...]
    var new: [(level: Int, index: Int, hash: Bytes32)] = []
    for (number, level) in levels.enumerated() {
      if let known = level[index] {
        guard known == hash else { return nil }
        break
      }
      new.append((number, index, hash))
      if index ^ 1 < width {
        guard let sibling = rest.popFirst() else { return nil }
        new.append((number, index ^ 1, sibling))
        hash =
          index & 1 == 0 ? BlobTree.nodeHash(hash, sibling) : BlobTree.nodeHash(sibling, hash)
      }
      (index, width) = (index >> 1, (width + 1) / 2)
    }
    for node in new { levels[node.level][node.index] = node.hash }
    return path(of: unit)
  }

  private func path(of unit: Int) -> [Bytes32] {
    levels.enumerated().compactMap { number, level in level[unit >> number ^ 1] }
  }
}
