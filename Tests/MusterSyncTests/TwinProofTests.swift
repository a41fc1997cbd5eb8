import MusterModel
import Testing

@testable import MusterSync

@Suite("Proofs that a key signed two records with one order")
struct TwinProofTests {
  private let order = RecordOrder(
    generation: 3, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), counter: 9)

  /// A record about another incarnation, by the author's own hand.
  private func record(
    _ number: UInt64, by local: LocalDevice, order: RecordOrder? = nil
  ) -> LatestRecord {
    let name = IncarnationName(
      generation: 2, incarnation: Incarnation(raw: Bytes16(high: 7, low: number)))
    return .otherIncarnations(
      [name], operation: local.operation, certificate: local.certificate.hash,
      order: order ?? self.order, signedBy: local.signingKey)
  }

  @Test func `two contents of one order prove it, whichever came first, and survive the wire`()
    throws
  {
    var cast = Cast(seed: 31)
    let local = cast.enrol(.member)
    let twins = [record(1, by: local), record(2, by: local)]
    let chain = local.chain.certificates
    let proof = try #require(TwinProof(twins, chain: chain))
    #expect(TwinProof(twins.reversed(), chain: chain) == proof)
    let item = EvidenceItem(proof, operation: local.operation)
    #expect(item.holds(operation: local.operation, rootKey: local.rootKey))
    let read = try EvidenceItem(kind: .twins, content: item.content, operation: local.operation)
    #expect(read == item)
    // Of one certificate all proofs prove the same.
    let other = try #require(
      TwinProof([record(1, by: local), record(3, by: local)], chain: chain))
    #expect(EvidenceItem(other, operation: local.operation).id == item.id)
    #expect(EvidenceItem(other, operation: local.operation).content != item.content)
  }

  @Test func `records of an honest program prove nothing`() throws {
    var cast = Cast(seed: 32)
    let (local, other) = (cast.enrol(.member), cast.enrol(.member))
    let chain = local.chain.certificates
    var next = order
    next.counter += 1
    let first = record(1, by: local)
    #expect(TwinProof([first, first], chain: chain) == nil)
    #expect(TwinProof([first, record(2, by: local, order: next)], chain: chain) == nil)
    #expect(TwinProof([first, record(2, by: other)], chain: chain) == nil)
    #expect(TwinProof([first, record(2, by: local)], chain: other.chain.certificates) == nil)
    #expect(TwinProof([first], chain: chain) == nil)
    // Someone else cannot sign the second one.
    let forged = record(2, by: local).signed(by: other.signingKey, operation: local.operation)
    let claim = try #require(TwinProof([first, forged], chain: chain))
    #expect(
      !EvidenceItem(claim, operation: local.operation)
        .holds(operation: local.operation, rootKey: local.rootKey))
  }

  @Test func `every byte counts`() throws {
    var cast = Cast(seed: 33)
    let local = cast.enrol(.member)
    let proof = try #require(
      TwinProof([record(1, by: local), record(2, by: local)], chain: local.chain.certificates))
    let content = EvidenceItem(proof, operation: local.operation).content
    for index in content.indices {
      var changed = content
      changed[index] ^= 1
      let read = try? EvidenceItem(kind: .twins, content: changed, operation: local.operation)
      #expect(
        read.map { !$0.holds(operation: local.operation, rootKey: local.rootKey) } ?? true,
        "byte \(index)")
    }
    for length in content.indices {
      #expect(throws: WireError.self) {
        try EvidenceItem(
          kind: .twins, content: Array(content.prefix(length)), operation: local.operation)
      }
    }
    #expect(throws: WireError.self) {
      try EvidenceItem(kind: .twins, content: content + [0], operation: local.operation)
    }
  }
}
