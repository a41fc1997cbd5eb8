import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("The hash trie")
struct HashTrieTests {
  /// A reference implementation of a subtree's hash, as simple as possible.
  private func naive(_ leaves: [LeafHint], under prefix: NibblePrefix) -> UInt64 {
    let below = leaves.filter { prefix.range.contains($0.key) }
    if below.isEmpty { return 0 }
    if below.count == 1 { return Blake2b.hash128(LeafHint.encoded(below)).high }
    var writer = ByteWriter()
    for nibble in 0..<16 { writer.append(naive(below, under: prefix.child(nibble))) }
    return Blake2b.hash128(writer.bytes).high
  }

  private func leaf(_ random: inout DeterministicRandom, crowded: Bool) -> LeafHint {
    let key =
      crowded
      ? Bytes16(high: random.uint64() & 0x3 << 60, low: random.uint64() & 0x0F0F) : random.bytes16()
    return LeafHint(
      key: key, number: UInt32(random.uniform(below: 100)), hash: random.uint64())
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `hashes what a naive recomputation hashes, after every change`(seed: UInt64) {
    var random = DeterministicRandom(seed: Cast.seed(seed))
    var trie = HashTrie()
    var leaves: [Bytes16: LeafHint] = [:]
    for _ in 0..<40 {
      let leaf = leaf(&random, crowded: seed.isMultiple(of: 2))
      trie.set(leaf)
      leaves[leaf.key] = leaf
      let prefix = NibblePrefix(of: leaf.key, depth: Int(random.uniform(below: 33)))
      for place in [.root, prefix] {
        let all = Array(leaves.values)
        #expect(trie.hash(of: place) == naive(all.sorted { $0.key < $1.key }, under: place))
      }
      #expect(trie.leaf(leaf.key) == leaf)
      #expect(trie.count == leaves.count)
    }
  }

  @Test func `does not depend on the order in which leaves came`() {
    var random = DeterministicRandom(seed: Cast.seed(1))
    let leaves = (0..<200).map { _ in leaf(&random, crowded: false) }
    var (first, second) = (HashTrie(), HashTrie())
    for leaf in leaves { first.set(leaf) }
    for leaf in leaves.shuffled(using: &random) { second.set(leaf) }
    #expect(first.hash(of: .root) == second.hash(of: .root))
  }

  @Test func `a prefix of any depth packs, unpacks and contains its children`() {
    var random = DeterministicRandom(seed: Cast.seed(2))
    for depth in 0...32 {
      let key = random.bytes16()
      let prefix = NibblePrefix(of: key, depth: depth)
      #expect(NibblePrefix(packed: prefix.packed, depth: depth) == prefix)
      #expect(prefix.range.contains(key))
      #expect(NibblePrefix(packed: prefix.packed + [0], depth: depth) == nil)
      guard depth < 32 else { continue }
      let children = (0..<16).map { prefix.child($0) }
      #expect(children.count { $0.range.contains(key) } == 1)
      #expect(children[0].range.lowerBound == prefix.range.lowerBound)
      #expect(children[15].range.upperBound == prefix.range.upperBound)
    }
    #expect(NibblePrefix(packed: [0x12], depth: 1) == nil)
    #expect(NibblePrefix(packed: [], depth: 33) == nil)
    #expect(NibblePrefix(packed: [], depth: -1) == nil)
  }

  @Test(arguments: [0, 1, 10, 100])
  func `two that differ in a few leaves find them in a few bytes`(differences: Int) {
    // Given two devices with a thousand records each, of which some differ
    let cast = Cast(seed: 3)
    var shelves = [LogIndex(), LogIndex()]
    for index in 0..<1000 {
      for side in 0...1 {
        let isNewer = index < differences && side == index % 2
        shelves[side].set(
          summary(index, sequence: isNewer ? 9 : 8, cast: cast), counted: .all,
          dropsRest: false)
      }
    }
    // When digests are exchanged until neither side has anything to send
    var learned: [Set<Bytes16>] = [[], []]
    var waiting = SetID.allCases.map {
      (to: 1, node: shelves[0].node(of: $0, prefix: .root, answers: false))
    }
    var (bytes, rounds) = (0, 0)
    while let (side, node) = waiting.popLast() {
      rounds += 1
      var packet = Packet()
      packet.digest = [node]
      bytes += packet.encoded().count
      switch node.contents {
      case .children(let hashes):
        for (nibble, hash) in hashes.enumerated() {
          let child = node.prefix.child(nibble)
          guard shelves[side].hash(of: node.set, prefix: child) != hash else { continue }
          waiting.append(
            (1 - side, shelves[side].node(of: node.set, prefix: child, answers: false)))
        }
      case .leaves(let leaves):
        for leaf in leaves
        where leaf.number > shelves[side].hint(of: node.set, key: leaf.key)?.number ?? 0 {
          learned[side].insert(leaf.key)
        }
        if !node.answers {
          waiting.append(
            (1 - side, shelves[side].node(of: node.set, prefix: node.prefix, answers: true)))
        }
      }
    }
    // Then each knows everything that it lacks, for a price that grows with the difference
    #expect(learned[0].count == differences / 2)
    #expect(learned[1].count == (differences + 1) / 2)
    #expect(bytes < 1500 + 1500 * differences)
  }

  private func summary(_ index: Int, sequence: UInt64, cast: Cast) -> LogSummary {
    let incarnation = Incarnation(raw: Bytes16(high: 0, low: UInt64(index)))
    let opening = Opening(
      certificate: .root, incarnation: incarnation, generation: 1, lane: .control)
    let log = LogID(operation: cast.operation, opening: opening)
    let hash = FrameHash(raw: Blake2b.hash256(log.bytes + [UInt8(sequence)]))
    return LogSummary(
      opening: opening, head: Head(log: log, sequence: sequence, hash: hash))
  }
}
