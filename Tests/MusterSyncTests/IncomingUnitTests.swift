import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("Units that are being received")
struct IncomingUnitTests {
  private let honest = DeviceID(raw: Bytes16(high: 1, low: 1))
  private let forger = DeviceID(raw: Bytes16(high: 2, low: 2))
  private let listing: BlobListing
  private let units: [BlobUnit]

  init() throws {
    let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let tree = BlobTree(of: content)
    listing = try #require(BlobListing(root: tree.root, length: 100_000, kind: .original))
    units = (0..<tree.shape.units).map { tree.unit($0, of: content) }
  }

  private func leaf(_ index: Int, isForged: Bool = false) -> [UInt8] {
    var bytes = Array(units[2].bytes[1024 * index..<1024 * (index + 1)])
    if isForged { bytes[3] ^= 1 }
    return bytes
  }

  private func incoming() -> IncomingUnit {
    IncomingUnit(listing: listing, number: 2, now: Instant(microseconds: 0))
  }

  private func proof() -> [Bytes32] {
    let proof = units[2].proof()
    return proof.leaves + proof.path
  }

  private func whole(_ result: IncomingUnit.Result) -> BlobUnit? {
    if case .whole(let unit) = result { unit } else { nil }
  }

  @Test func `a unit is verified by its path, without the hashes of its leaves`() {
    var (unit, nodes) = (incoming(), BlobNodes(of: listing))
    // Given the leaves in any order
    for index in (0..<16).reversed() {
      let isTaken = unit.take(leaf(index), index: index, from: honest)
      let early = whole(unit.verify(listing.id, nodes: &nodes))
      #expect(isTaken && early == nil)
    }
    // When the path arrives
    unit.take(siblings: units[2].path, from: honest)
    // Then the unit is as the author made it
    let result = whole(unit.verify(listing.id, nodes: &nodes))
    #expect(result == units[2])
  }

  @Test func `a forged leaf names its only sender, and costs no other leaf`() {
    var (unit, nodes) = (incoming(), BlobNodes(of: listing))
    unit.take(siblings: units[2].path, from: forger)
    for index in 0..<16 {
      _ = unit.take(leaf(index, isForged: index == 5), index: index, from: forger)
    }
    guard case .forged(by: forger) = unit.verify(listing.id, nodes: &nodes) else {
      Issue.record("the sender is not named")
      return
    }
    // When another peer sends the hashes of the leaves
    #expect(unit.want(of: listing.id).wantsProof && unit.want(of: listing.id).leaves == 0)
    let forgers = unit.take(proof: proof(), from: honest)
    #expect(forgers == [forger])
    // Then one leaf is missing, and another forged one is noticed by itself
    #expect(unit.request(of: listing.id, number: 1, hashes: 2).leaves == 1 << 5)
    let takes = [true, false].map { unit.take(leaf(5, isForged: $0), index: 5, from: forger) }
    #expect(takes == [false, true])
    let result = whole(unit.verify(listing.id, nodes: &nodes))
    #expect(result == units[2])
  }

  @Test func `of two senders, the one whose leaf is forged is named after the proof`() {
    var (unit, nodes) = (incoming(), BlobNodes(of: listing))
    unit.take(siblings: units[2].path, from: honest)
    for index in 0..<16 {
      _ = unit.take(
        leaf(index, isForged: index == 9), index: index, from: index < 8 ? honest : forger)
    }
    guard case .forged(by: nil) = unit.verify(listing.id, nodes: &nodes) else {
      Issue.record("a peer is named without a proof")
      return
    }
    let forgers = unit.take(proof: proof(), from: honest)
    #expect(forgers == [forger])
    #expect(unit.missing == 1)
  }

  @Test func `a forged path names its sender, and costs no leaf`() {
    var (unit, nodes) = (incoming(), BlobNodes(of: listing))
    unit.take(siblings: units[3].path, from: forger)
    for index in 0..<16 { _ = unit.take(leaf(index), index: index, from: honest) }
    guard case .forged(by: nil) = unit.verify(listing.id, nodes: &nodes) else {
      Issue.record("a path of another unit was accepted")
      return
    }
    let forgers = unit.take(proof: proof(), from: honest)
    #expect(forgers == [forger])
    let result = whole(unit.verify(listing.id, nodes: &nodes))
    #expect(result == units[2])
  }

  @Test func `leaves of another length or place are refused`() {
    var unit = incoming()
    let takes = [([1, 2], 0), (leaf(0), 16), (leaf(0), -1)].map { bytes, index in
      unit.take(bytes, index: index, from: forger)
    }
    #expect(takes == [false, false, false] && unit.missing == 16)
  }

  @Test func `a leaf in single bytes is refused before it costs memory and time`() {
    var unit = incoming()
    unit.ask(forger, now: Instant(microseconds: 0))
    // When a peer sends a genuine leaf byte by byte
    let taken = (0..<1024).prefix { unit.take([units[2].bytes[$0]], at: $0, from: forger) }
    // Then no more pieces are kept than a leaf of an honest answer has
    #expect(taken.count == 4 && unit.missing == 16)
  }

  @Test(arguments: [BlobShape.partBytes, BlobShape.largestPartBytes])
  func `no honest answer has more than four pieces of one leaf`(most: Int) {
    let shape = listing.shape
    for unit in [2, shape.units - 1] {
      for mask in stride(from: 0, through: UInt16.max, by: 7) {
        var pieces = [Int](repeating: 0, count: BlobShape.leavesPerUnit)
        for part in shape.parts(of: unit, leaves: mask, most: most) {
          for leaf in part.lowerBound / 1024...(part.upperBound - 1) / 1024 { pieces[leaf] += 1 }
        }
        guard pieces.allSatisfy({ $0 <= 4 }) else {
          Issue.record("unit \(unit), leaves \(mask): \(pieces)")
          return
        }
      }
    }
  }
}
