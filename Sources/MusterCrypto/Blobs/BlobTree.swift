public import MusterModel

/// The Merkle tree over the ciphertext of a blob (docs/decisions/0051-photos.md).
///
///     root ── … ── node of a unit ─┬─ … ─┬─ leaf 0
///                                  │     └─ leaf 1
///                                  └─ …
///
/// Leaves and nodes are hashed with different tags, so that no node can be presented as a leaf. The
/// last node of an odd level moves up unchanged; since the length is part of the address, the shape
/// of the tree is fixed.
public struct BlobTree: Sendable {
  /// The division into leaves and units.
  public let shape: BlobShape
  /// The hash of each leaf.
  private let leaves: [Bytes32]
  /// From the nodes of the units up to the root.
  private let levels: [[Bytes32]]

  /// Hashes a blob. It MUST have at least one byte.
  public init(of ciphertext: [UInt8]) {
    shape = BlobShape(length: ciphertext.count)
    let shape = shape
    leaves = ciphertext.withUnsafeBytes { bytes in
      (0..<shape.leaves).map { leaf in
        let range = shape.bytes(ofLeaf: leaf)
        return Self.leafHash(UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
    }
    var level = [Bytes32]()
    for unit in 0..<shape.units { level.append(Self.root(of: leaves[shape.leaves(of: unit)])) }
    var levels = [level]
    while level.count > 1 {
      level = Self.parents(of: level[...])
      levels.append(level)
    }
    self.levels = levels
  }

  /// The root of the tree.
  public var root: Bytes32 { levels[levels.count - 1][0] }

  /// Returns what proves the leaves of a unit.
  public func proof(of unit: Int) -> BlobProof {
    var (path, index) = ([Bytes32](), unit)
    for level in levels where level.count > 1 {
      if index ^ 1 < level.count { path.append(level[index ^ 1]) }
      index >>= 1
    }
    return BlobProof(leaves: Array(leaves[shape.leaves(of: unit)]), path: path)
  }

  // MARK: Hashes

  private static let leafTag = Array("muster blob leaf 1".utf8)
  private static let nodeTag = Array("muster blob node 1".utf8)

  static func leafHash(_ bytes: UnsafeRawBufferPointer) -> Bytes32 {
    Blake2bState.withTemporary(digestBytes: 32) { state in
      leafTag.withUnsafeBytes { state.update($0) }
      state.update(bytes)
      return state.finish(digestBytes: 32) { Bytes32(reading: $0) }
    }
  }

  static func nodeHash(_ left: Bytes32, _ right: Bytes32) -> Bytes32 {
    Blake2b.hash256(nodeTag, left.bytes, right.bytes)
  }

  private static func parents(of level: ArraySlice<Bytes32>) -> [Bytes32] {
    stride(from: level.startIndex, to: level.endIndex, by: 2).map { index in
      index + 1 < level.endIndex ? nodeHash(level[index], level[index + 1]) : level[index]
    }
  }

  static func root(of leaves: ArraySlice<Bytes32>) -> Bytes32 {
    var level = Array(leaves)
    while level.count > 1 { level = parents(of: level[...]) }
    return level[0]
  }
}

extension BlobProof {
  /// Returns whether the leaves and the path lead to the root of a blob.
  public func isValid(for unit: Int, of blob: BlobListing) -> Bool {
    let shape = blob.shape
    guard (0..<shape.units).contains(unit), leaves.count == shape.leaves(of: unit).count,
      path.count == shape.pathCount(of: unit)
    else { return false }
    var (hash, index, width) = (BlobTree.root(of: leaves[...]), unit, shape.units)
    var siblings = path[...]
    while width > 1 {
      if index ^ 1 < width {
        let sibling = siblings.removeFirst()
        hash =
          index & 1 == 0 ? BlobTree.nodeHash(hash, sibling) : BlobTree.nodeHash(sibling, hash)
      }
      index >>= 1
      width = (width + 1) / 2
    }
    return hash == blob.root
  }

  /// Returns whether bytes are those of a leaf of this unit, counted from its first.
  public func isLeaf(_ bytes: [UInt8], at index: Int) -> Bool {
    leaves.indices.contains(index)
      && bytes.withUnsafeBytes { BlobTree.leafHash($0) } == leaves[index]
  }
}

extension BlobUnit {
  /// Returns the proof of the unit, with hashes computed from its bytes.
  public func proof() -> BlobProof {
    let hashes = bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: BlobShape.leafBytes).map { start in
        let end = min(start + BlobShape.leafBytes, bytes.count)
        return BlobTree.leafHash(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      }
    }
    return BlobProof(leaves: hashes, path: path)
  }

  /// Returns whether the unit is that of a listed blob.
  public func isValid(for blob: BlobListing) -> Bool {
    guard length == Int(blob.length), (0..<blob.shape.units).contains(number),
      bytes.count == blob.shape.bytes(of: number).count
    else { return false }
    return proof().isValid(for: number, of: blob)
  }
}

extension BlobTree {
  /// Returns a unit of the blob that was hashed.
  public func unit(_ number: Int, of ciphertext: [UInt8]) -> BlobUnit {
    let length = UInt32(shape.length)
    return BlobUnit(
      blob: BlobID(root: root, length: length), length: shape.length, number: number,
      path: proof(of: number).path, bytes: Array(ciphertext[shape.bytes(of: number)]))
  }
}

extension BlobListing {
  /// The hash of a frame's blob list for its header; zeros for an empty list.
  public static func hash(_ list: [BlobListing]) -> Bytes32 {
    list.isEmpty ? .zero : Blake2b.hash256(encoded(list))
  }

  /// The address of the blob.
  public var id: BlobID { BlobID(root: root, length: length) }
}

extension BlobReference {
  /// The address of the blob.
  public var id: BlobID { BlobID(root: root, length: length) }
}

extension BlobID {
  /// Derives an address.
  public init(root: Bytes32, length: UInt32) {
    var writer = ByteWriter()
    writer.append(fixed: Array("muster blob 1".utf8))
    writer.append(length)
    writer.append(root)
    self.init(raw: Blake2b.hash128(writer.bytes))
  }
}
