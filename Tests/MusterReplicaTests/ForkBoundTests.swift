import MusterCrypto
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// How much evidence of forks one certificate can fill, and what follows from it.
@Suite("The bound of fork proofs")
struct ForkBoundTests {
  /// Proofs that logs of one certificate have too many branches, two of each log.
  private func proofs(ofLogs count: Int) throws -> [EvidenceItem] {
    var valley = Valley(seed: 3)
    try valley.found("Ada")
    try valley.join("Mallory", invitedBy: "Ada")
    let mallory = valley.laptops[valley.index("Mallory")].credentials
    var items: [EvidenceItem] = []
    for number in 0..<count {
      var forked = ForkedLog(by: mallory, count: 5, seed: UInt8(number))
      for fork in [1 + number % 3, 4] {
        let witnesses = (0...Limits.branchesPerLog).compactMap { _ in
          ForkProof.Witness(forked.branch(after: fork))
        }
        let proof = try #require(
          ForkProof(
            opening: forked.opening, chain: mallory.local.chain.certificates,
            witnesses: witnesses, operation: mallory.local.operation))
        #expect(proof.lowestFork == UInt64(fork + 1))
        items.append(EvidenceItem(proof, operation: mallory.local.operation))
      }
    }
    return items
  }

  @Test func `every order of proofs leaves the same, within the bound`() throws {
    var draw = SplitMix64(seed: 12)
    let items = try proofs(ofLogs: Limits.overforkedLogs + 5)
    var outcomes: Set<[EvidenceID]> = []
    for _ in 0..<40 {
      var set = EvidenceSet()
      var known: Set<EvidenceID> = []
      for item in items.shuffled(using: &draw) {
        let change = set.insert(item)
        if let added = change.added { known.insert(added.id) }
        known.subtract(change.removed)
        // What the changes add up to is what is held.
        #expect(known == Set(set.items.map(\.id)))
        #expect(set.items.count <= Limits.overforkedLogs + 1)
      }
      outcomes.insert(set.items.map(\.id))
      #expect(set.forkEnds.values.allSatisfy { (1...3).contains($0) }, "the lower forks")
      #expect(set.overflowed.count == 1)
    }
    #expect(outcomes.count == 1)
  }

  @Test func `with as many logs as the bound allows, each has its own end`() throws {
    var set = EvidenceSet()
    for item in try proofs(ofLogs: Limits.overforkedLogs) { _ = set.insert(item) }
    #expect(set.forkEnds.count == Limits.overforkedLogs)
    #expect(set.overflowed.isEmpty)
  }

  @Test func `items of one batch of datagrams are evaluated once`() throws {
    var valley = Valley(seed: 3)
    try valley.found("Ada")
    try valley.join("Mallory", invitedBy: "Ada")
    try valley.converge()
    let items = try proofs(ofLogs: 6)
    try valley.at("Ada") { replica, now in
      let before = replica.core.control.completeEvaluations
      let outcome = try replica.transact(now: now) { for item in items { $0.core.note(item) } }
      #expect(replica.core.control.completeEvaluations <= before + 1)
      #expect(replica.core.control.membership.items.count == 6)
      #expect(try replica.core.store.evidence().count == 6, "replaced items are not stored")
      return outcome
    }
    try valley.run(milliseconds: 20_000)
    let shown = try ["Ada", "Mallory"].map { name in
      try valley.ask(name) { replica, _ in try replica.shownMembership() }
    }
    #expect(shown[0] == shown[1])
    try valley.restart("Ada")
    #expect(try valley.ask("Ada") { replica, _ in try replica.shownMembership() } == shown[0])
  }
}
