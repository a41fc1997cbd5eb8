internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel
internal import MusterStore

/// The hash over the canonical merged state (`docs/wire.md`): equal on all nodes with the same
/// frames and keys.
///
/// A hash tree of two levels: rows and crossings with the same id prefix share a leaf. A change
/// costs the hash of its leaves only, not of everything.
///
///     state hash ─┬ outcome of the control plane
///                 └ leaf (user, 000) … leaf (report, 3f9) ── the reports with this id prefix
struct StateTree {
  private struct Leaf: Hashable, Comparable {
    /// 0 for crossings.
    let kind: UInt8
    /// The first bits of the ids.
    let prefix: UInt16

    static let prefixBits = 12

    init(_ kind: UInt8, _ id: Bytes16) {
      self.kind = kind
      prefix = UInt16(id.high >> UInt64(UInt64.bitWidth - Self.prefixBits))
    }

    static func < (left: Leaf, right: Leaf) -> Bool {
      (left.kind, left.prefix) < (right.kind, right.prefix)
    }

    /// All ids with this prefix.
    var ids: ClosedRange<Bytes16> {
      let low = UInt64(prefix) << UInt64(UInt64.bitWidth - Self.prefixBits)
      return Bytes16(high: low, low: 0)...Bytes16(high: low | .max >> Self.prefixBits, low: .max)
    }
  }

  /// The hash of every non-empty leaf.
  private var leaves: [Leaf: [UInt8]] = [:]
  /// Leaves with changes.
  private var stale: Set<Leaf> = []
  /// Over the leaves and the outcome of the control plane; nil while a leaf is stale.
  private var root: (control: Bytes32, hash: StateHash)?

  /// Reads everything once.
  init(of store: Store) throws {
    var filling = Filling()
    try store.forEachCrossing { filling.add($0) }
    try store.forEachRow { filling.add($0) }
    leaves = filling.finish()
  }

  /// Computes the hash once, without keeping the tree.
  static func hash(of store: Store, control: Bytes32) throws -> StateHash {
    var tree = try StateTree(of: store)
    return try tree.hash(of: store, control: control)
  }

  /// Records the changes of a commit.
  mutating func note(_ outcome: CommitOutcome) {
    for row in outcome.changedRows { stale.insert(Leaf(row.kind.rawValue, row.id.raw)) }
    for crossing in outcome.newCrossings { stale.insert(Leaf(0, crossing.recorded.id.raw)) }
    for id in outcome.rederivedCrossings { stale.insert(Leaf(0, id.raw)) }
    if !stale.isEmpty { root = nil }
  }

  /// Reads what has changed since the last call.
  ///
  /// - Parameter control: the hash of the outcome of the control plane.
  mutating func hash(of store: Store, control: Bytes32) throws -> StateHash {
    if let root, root.control == control { return root.hash }
    try refresh(from: store)
    var hasher = Blake2bHasher(outputBytes: 32)
    hasher.update(Array("muster state 3".utf8))
    hasher.update(control.bytes)
    for leaf in leaves.keys.sorted() {
      var writer = ByteWriter()
      writer.append(leaf.kind)
      writer.append(leaf.prefix)
      hasher.update(writer.bytes + (leaves[leaf] ?? []))
    }
    guard let raw = Bytes32(hasher.finalize()) else {
      preconditionFailure("BLAKE2b-256 did not give 32 bytes")
    }
    let hash = StateHash(raw: raw)
    root = (control, hash)
    return hash
  }

  private mutating func refresh(from store: Store) throws {
    guard !stale.isEmpty else { return }
    let (crossings, rows) = (stale.filter { $0.kind == 0 }, stale.filter { $0.kind != 0 })
    var filling = Filling()
    try store.forEachCrossing(
      in: crossings.sorted().map {
        CrossingID(raw: $0.ids.lowerBound)...CrossingID(raw: $0.ids.upperBound)
      }
    ) { filling.add($0) }
    try store.forEachRow(
      in: rows.sorted().compactMap { leaf in
        EntityKind(rawValue: leaf.kind).map { kind in
          let (first, last) = (RowID(raw: leaf.ids.lowerBound), RowID(raw: leaf.ids.upperBound))
          return (kind, first...last)
        }
      }
    ) { filling.add($0) }
    let fresh = filling.finish()
    for leaf in stale { leaves[leaf] = fresh[leaf] }
    stale = []
  }

  /// Hashes the entries of each leaf in order.
  private struct Filling {
    private var leaves: [Leaf: [UInt8]] = [:]
    private var current: (leaf: Leaf, hasher: Blake2bHasher)?

    mutating func add(_ row: RowState) {
      guard !row.isEmpty else { return }
      add(row.canonical, to: Leaf(row.key.kind.rawValue, row.key.id.raw))
    }

    mutating func add(_ recorded: RecordedCrossing) {
      add(recorded.canonical, to: Leaf(0, recorded.id.raw))
    }

    private mutating func add(_ entry: [UInt8], to leaf: Leaf) {
      if current?.leaf != leaf {
        close()
        current = (leaf, Blake2bHasher(outputBytes: 32))
        current?.hasher.update(Array("muster leaf 1".utf8))
      }
      var writer = ByteWriter()
      writer.append(lengthPrefixed: entry)
      current?.hasher.update(writer.bytes)
    }

    private mutating func close() {
      if let current { leaves[current.leaf] = current.hasher.finalize() }
      current = nil
    }

    mutating func finish() -> [Leaf: [UInt8]] {
      close()
      return leaves
    }
  }
}

extension RecordedCrossing {
  fileprivate var canonical: [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt8(0))
    writer.append(id)
    writer.append(crossing.type.rawValue)
    writer.append(crossing.fence)
    writer.append(crossing.fenceVersion)
    writer.append(crossing.subject)
    writer.append(crossing.transition)
    crossing.fix.position.append(to: &writer)
    writer.append(UInt8(crossing.fix.accuracyDecimetres == nil ? 0 : 1))
    writer.append(crossing.fix.accuracyDecimetres ?? 0)
    writer.append(crossing.fix.sampleTime.milliseconds)
    writer.append(UInt8(crossing.isBaseline ? 1 : 0))
    return writer.bytes
  }
}
