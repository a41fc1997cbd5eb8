internal import MusterCrypto
internal import MusterModel

/// A 16-way Merkle trie over one set. Two devices find the differences of their sets with traffic
/// that grows with the difference and is almost independent of the size of the set.
///
/// The leaves are sorted. The hash of a subtree is 0 if it is empty, the leaf's hash if it has one
/// leaf, and otherwise the hash of its sixteen children. It depends on the leaves alone. Hashes are
/// computed on demand and invalidated when a leaf below them changes.
struct HashTrie: Sendable {
  /// A subtree with more leaves is described by its children's hashes, a smaller one by its leaves.
  static let leavesPerNode = 12

  private var leaves: [LeafHint] = []
  /// The hash of each leaf, in the same order as `leaves`.
  private var leafHashes: [UInt64] = []
  private var hashes: [NibblePrefix: UInt64] = [:]

  var count: Int { leaves.count }

  mutating func set(_ leaf: LeafHint) {
    let index = position(of: leaf.key)
    if index < leaves.count, leaves[index].key == leaf.key {
      guard leaves[index] != leaf else { return }
      leaves[index] = leaf
      leafHashes[index] = Self.hash(of: leaf)
    } else {
      leaves.insert(leaf, at: index)
      leafHashes.insert(Self.hash(of: leaf), at: index)
    }
    // A subtree of one leaf has no cached hash, and neither has anything below it.
    for depth in 0...32 {
      let prefix = NibblePrefix(of: leaf.key, depth: depth)
      guard places(under: prefix).count > 1 else { break }
      #if Canary
        if Canary.staleTrie.isPlanted, depth == 1 { continue }
      #endif
      hashes[prefix] = nil
    }
  }

  mutating func remove(_ key: Bytes16) {
    let index = position(of: key)
    guard index < leaves.count, leaves[index].key == key else { return }
    for depth in 0...32 {
      let prefix = NibblePrefix(of: key, depth: depth)
      guard places(under: prefix).count > 1 else { break }
      hashes[prefix] = nil
    }
    leaves.remove(at: index)
    leafHashes.remove(at: index)
  }

  func leaf(_ key: Bytes16) -> LeafHint? {
    let index = position(of: key)
    return index < leaves.count && leaves[index].key == key ? leaves[index] : nil
  }

  func leaves(under prefix: NibblePrefix) -> ArraySlice<LeafHint> { leaves[places(under: prefix)] }

  private func places(under prefix: NibblePrefix) -> Range<Int> {
    guard prefix.depth > 0 else { return leaves.indices }
    let range = prefix.range
    let first = position(of: range.lowerBound)
    // Most prefixes have few leaves or none, so a linear scan comes first.
    var end = first
    while end < leaves.count, leaves[end].key <= range.upperBound {
      end += 1
      if end - first > Self.leavesPerNode { return first..<position(after: range.upperBound) }
    }
    return first..<end
  }

  mutating func hash(of prefix: NibblePrefix) -> UInt64 {
    let below = places(under: prefix)
    if below.isEmpty { return 0 }
    if below.count == 1 { return leafHashes[below.lowerBound] }
    if let known = hashes[prefix] { return known }
    var writer = ByteWriter()
    for hash in children(of: prefix) { writer.append(hash) }
    let hash = Blake2b.hash128(writer.bytes).high
    hashes[prefix] = hash
    return hash
  }

  mutating func children(of prefix: NibblePrefix) -> [UInt64] {
    var children: [UInt64] = []
    for nibble in 0..<16 { children.append(hash(of: prefix.child(nibble))) }
    return children
  }

  /// Returns the shortest description of the leaves under a prefix.
  mutating func contents(of prefix: NibblePrefix) -> DigestNode.Contents {
    let below = leaves(under: prefix)
    return below.count <= Self.leavesPerNode || prefix.depth >= 31
      ? .leaves(Array(below)) : .children(children(of: prefix))
  }

  private static func hash(of leaf: LeafHint) -> UInt64 {
    Blake2b.hash128(LeafHint.encoded([leaf])).high
  }

  private func position(of key: Bytes16) -> Int {
    var (low, high) = (0, leaves.count)
    while low < high {
      let middle = (low + high) / 2
      if leaves[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func position(after key: Bytes16) -> Int {
    var (low, high) = (0, leaves.count)
    while low < high {
      let middle = (low + high) / 2
      if leaves[middle].key <= key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
