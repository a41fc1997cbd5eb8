/// What proves the leaves of a unit: their hashes, and the siblings of the unit's node on the way
/// up to the root.
public struct BlobProof: Hashable, Sendable {
  /// The hashes of the unit's leaves.
  public let leaves: [Bytes32]
  /// Lowest first; levels at which the node has no sibling have none.
  public let path: [Bytes32]

  /// Creates a proof, which is a claim until it is verified against the root.
  public init(leaves: [Bytes32], path: [Bytes32]) {
    self.leaves = leaves
    self.path = path
  }
}

/// A unit of a blob with the path that proves it: what one peer sends and a store keeps.
public struct BlobUnit: Hashable, Sendable {
  /// The blob.
  public let blob: BlobID
  /// Bytes of the whole blob.
  public let length: Int
  /// The number of the unit in it.
  public let number: Int
  /// As in `BlobProof`.
  public let path: [Bytes32]
  /// The ciphertext of all its leaves.
  public let bytes: [UInt8]

  /// Creates a unit. The caller MUST have verified it, or read it from the store.
  public init(blob: BlobID, length: Int, number: Int, path: [Bytes32], bytes: [UInt8]) {
    self.blob = blob
    self.length = length
    self.number = number
    self.path = path
    self.bytes = bytes
  }
}
