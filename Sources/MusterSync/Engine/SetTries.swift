internal import MusterCrypto
internal import MusterModel

/// The trie of each set that is reconciled.
struct SetTries: Sendable {
  private var tries: [SetID: HashTrie] = [:]
  /// Nil after a change. Cached, since every received announce compares them.
  private var knownRoots: Roots?

  /// The number of leaves in all tries.
  var leafCount: Int { tries.values.reduce(0) { $0 + $1.count } }

  mutating func set(_ leaf: LeafHint, in set: SetID) {
    knownRoots = nil
    tries[set, default: HashTrie()].set(leaf)
  }

  mutating func remove(_ key: Bytes16, from set: SetID) {
    knownRoots = nil
    tries[set]?.remove(key)
  }

  func leaf(_ key: Bytes16, of set: SetID) -> LeafHint? { tries[set]?.leaf(key) }

  func leaves(of set: SetID, under prefix: NibblePrefix) -> ArraySlice<LeafHint> {
    tries[set]?.leaves(under: prefix) ?? []
  }

  mutating func roots() -> Roots {
    if let knownRoots { return knownRoots }
    let roots = Roots(hashes: SetID.allCases.map { tries[$0, default: HashTrie()].hash(of: .root) })
    knownRoots = roots
    return roots
  }

  mutating func hash(of set: SetID, prefix: NibblePrefix) -> UInt64 {
    tries[set, default: HashTrie()].hash(of: prefix)
  }

  mutating func contents(of set: SetID, prefix: NibblePrefix) -> DigestNode.Contents {
    tries[set, default: HashTrie()].contents(of: prefix)
  }
}

extension LeafHint {
  init(_ head: Head) {
    self.init(
      key: head.log.raw, number: UInt32(head.sequence), hash: head.hash.raw.prefix.high)
  }

  init(_ evidence: EvidenceID) {
    self.init(key: evidence.raw.prefix, number: 0, hash: evidence.raw.suffix.high)
  }

  init(_ certificate: CertificateHash) {
    self.init(
      key: certificate.raw.prefix, number: 0, hash: certificate.raw.suffix.high)
  }

  init(_ record: LatestRecord) {
    var writer = ByteWriter()
    writer.append(record.order)
    writer.append(record.epoch)
    self.init(
      key: record.topic.raw, number: UInt32(truncatingIfNeeded: record.order.counter),
      hash: Blake2b.hash128(writer.bytes, record.body).high)
  }
}
