import MusterAttackers
import MusterCrypto
import MusterModel
import MusterSync
import Testing

@testable import MusterReplica

/// Row I9 of the faults: several commanders against each other, with a council.
@Suite("Councils")
struct CouncilTests {
  private func device(_ name: String, in valley: Valley) -> DeviceID {
    valley.laptops[valley.index(name)].credentials.local.device
  }

  /// A founder and two commanders in a council, and a member of the founder's.
  private func valley(seed: UInt64 = 1) throws -> Valley {
    var valley = Valley(seed: seed)
    try valley.found("Ada")
    for name in ["Ben", "Cleo"] { try valley.join(name, invitedBy: "Ada", role: .command) }
    try valley.join("Dan", invitedBy: "Ada")
    try valley.converge()
    try propose(["Ada", "Ben", "Cleo"], by: "Ada", isByRoot: true, in: &valley)
    try valley.converge()
    return valley
  }

  private func propose(
    _ names: [String], by proposer: String, isByRoot: Bool, in valley: inout Valley
  ) throws {
    let devices = names.map { device($0, in: valley) }
    let key = isByRoot ? valley.rootKey : nil
    try valley.at(proposer) { try $0.proposeCouncil(of: devices, by: key, now: $1) }
  }

  private func revoke(_ target: String, by name: String, in valley: inout Valley) throws {
    let device = device(target, in: valley)
    try valley.at(name) { try $0.revoke(device, now: $1) }
  }

  private func revokeByRank(_ target: String, by name: String, in valley: inout Valley) throws {
    let device = device(target, in: valley)
    try valley.at(name) { try MaliciousMember.revokeByRank(&$0, device, now: $1) }
  }

  /// By the names of the laptops: a device without frames that count has no callsign.
  private func revoked(at name: String, in valley: inout Valley) throws -> [String] {
    let revoked = try valley.ask(name) { replica, _ in try replica.queries.devices() }.filter(
      \.isRevoked)
    return valley.names.filter { name in
      revoked.contains { $0.id == device(name, in: valley) }
    }.sorted()
  }

  @Test func `a stolen founder revokes everybody, is voted out, and everything returns`() throws {
    var valley = try valley()
    // When a thief of Ada's laptop revokes both other commanders and a member
    for name in ["Ben", "Cleo", "Dan"] { try revokeByRank(name, by: "Ada", in: &valley) }
    try valley.converge()
    // Then the members of the council stay, and the other is out
    #expect(try revoked(at: "Ben", in: &valley) == ["Dan"])
    // When the two vote
    try revoke("Ada", by: "Ben", in: &valley)
    try valley.run(milliseconds: 20_000)
    #expect(try revoked(at: "Cleo", in: &valley) == ["Dan"])
    let disputed = try valley.ask("Cleo") { replica, _ in try replica.queries.devices() }
      .filter(\.isDisputed)
    #expect(disputed.map(\.callsign) == ["Ada"])
    #expect(disputed.map(\.votes) == [1] && disputed.map(\.quorum) == [2])
    let alerts = try valley.ask("Cleo") { try $0.alerts(now: $1) }
    #expect(alerts.contains { $0.id.kind == .disputed })
    try revoke("Ada", by: "Cleo", in: &valley)
    try valley.run(milliseconds: 20_000)
    // Then Ada is out everywhere, and the device admitted before is in
    for name in ["Ben", "Cleo", "Dan"] {
      #expect(try revoked(at: name, in: &valley) == ["Ada"], "at \(name)")
    }
    try valley.at("Dan") { try $0.write(ReportRequests.add(ReportDraft(title: "Back")), now: $1) }
    try valley.join("Eve", invitedBy: "Ben")
    try valley.run(milliseconds: 30_000)
    for name in ["Ben", "Cleo", "Eve"] {
      let titles = try valley.ask(name) { replica, _ in try replica.queries.reports() }.map(\.title)
      #expect(titles == ["Back"], "at \(name)")
    }
    // over restarts too
    for name in ["Ben", "Cleo", "Dan", "Eve"] { try valley.restart(name) }
    for name in ["Ben", "Cleo", "Dan", "Eve"] {
      #expect(try revoked(at: name, in: &valley) == ["Ada"], "at \(name)")
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  @Test func `a council that arrives after a thief's revocations undoes those of its members`()
    throws
  {
    var valley = Valley(seed: 2)
    try valley.found("Ada")
    for name in ["Ben", "Cleo"] { try valley.join(name, invitedBy: "Ada", role: .command) }
    try valley.join("Dan", invitedBy: "Ada")
    try valley.converge()
    for name in ["Ben", "Cleo", "Dan"] { try revokeByRank(name, by: "Ada", in: &valley) }
    try valley.run(milliseconds: 20_000)
    #expect(try revoked(at: "Dan", in: &valley) == ["Ben", "Cleo", "Dan"])
    // When the founder, who has revoked them, learns of a council that the root key signs elsewhere
    let council = try #require(
      Council(
        operation: valley.laptops[0].credentials.local.operation, parent: .root, serial: 1,
        members: ["Ada", "Ben", "Cleo"].map {
          valley.laptops[valley.index($0)].credentials.local.certificate.hash
        }))
    let endorsement = Endorsement(
      council, by: .root, signedBy: try #require(valley.rootKey).signingKey,
      chains: valley.laptops.map { $0.credentials.local.chain.certificates })
    try valley.at("Ada") { replica, now in
      try replica.transact(now: now) { try $0.core.take(EvidenceItem(endorsement), now: now) }
    }
    try valley.converge()
    // Then the members are back on every node, and continue.
    for name in ["Ada", "Ben", "Cleo", "Dan"] {
      #expect(try revoked(at: name, in: &valley) == ["Dan"], "at \(name)")
    }
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Back")), now: $1) }
    for name in ["Ben", "Cleo"] { try revoke("Ada", by: name, in: &valley) }
    try valley.run(milliseconds: 20_000)
    for name in ["Ben", "Cleo", "Dan"] {
      #expect(try revoked(at: name, in: &valley) == ["Ada"], "at \(name)")
      #expect(
        try valley.ask(name) { replica, _ in try replica.queries.reports() }.map(\.title) == [
          "Back"
        ])
    }
  }

  @Test func `a device that returns reads what was written meanwhile`() throws {
    var valley = try valley()
    // Given a thief who revokes others, and a commander who writes under a key without these
    for name in ["Cleo", "Dan"] { try revokeByRank(name, by: "Ada", in: &valley) }
    try valley.run(milliseconds: 20_000)
    try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Meanwhile")), now: $1)
    }
    try valley.run(milliseconds: 20_000)
    let before = try valley.ask("Dan") { replica, _ in try replica.queries.reports() }.map(\.title)
    #expect(before == [])
    // When the thief is voted out
    try revoke("Ada", by: "Ben", in: &valley)
    try valley.run(milliseconds: 20_000)
    try revoke("Ada", by: "Cleo", in: &valley)
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Later")), now: $1) }
    try valley.run(milliseconds: 60_000)
    let after = try valley.ask("Dan") { replica, _ in try replica.queries.reports() }.map(\.title)
    #expect(after.sorted() == ["Later", "Meanwhile"])
  }

  @Test func `what a revoked commander writes afterwards brings nothing back`() throws {
    var valley = try valley()
    valley.cut(["Ada"], ["Ben", "Cleo", "Dan"])
    try revoke("Ada", by: "Ben", in: &valley)
    try valley.run(milliseconds: 20_000)
    try revoke("Ada", by: "Cleo", in: &valley)
    // The thief votes against both, and revokes by rank.
    for name in ["Ben", "Cleo"] {
      try revoke(name, by: "Ada", in: &valley)
      try revokeByRank(name, by: "Ada", in: &valley)
    }
    try revokeByRank("Dan", by: "Ada", in: &valley)
    valley.heal()
    try valley.run(milliseconds: 60_000)
    for name in ["Ben", "Cleo", "Dan"] {
      #expect(try revoked(at: name, in: &valley) == ["Ada"], "at \(name)")
    }
    let councils = try valley.ask("Ben") { replica, _ in try replica.queries.councils() }
    #expect(councils.count == 1)
    #expect(councils.first?.cases.first { $0.callsign == "Ben" }?.voters == ["Ada"])
    #expect(councils.first?.cases.first { $0.callsign == "Ada" }?.isDecided == true)
  }

  @Test func `a child council counts once a majority endorses it`() throws {
    var valley = try valley()
    try valley.join("Eve", invitedBy: "Ben", role: .command)
    try valley.converge()
    try propose(["Ben", "Cleo", "Eve"], by: "Ben", isByRoot: false, in: &valley)
    try valley.converge()
    var councils = try valley.ask("Cleo") { replica, _ in try replica.queries.councils() }
    #expect(councils.map(\.counts) == [true, false])
    try valley.at("Cleo") { try $0.endorseCouncil(nil, now: $1) }
    try valley.converge()
    for name in ["Ada", "Ben", "Dan", "Eve"] {
      councils = try valley.ask(name) { replica, _ in try replica.queries.councils() }
      #expect(councils.map(\.counts) == [true, true], "at \(name)")
    }
    // Its members are out of reach of ranks: Ben issued Eve's certificate.
    try revokeByRank("Eve", by: "Ada", in: &valley)
    try valley.converge()
    #expect(try revoked(at: "Dan", in: &valley) == [])
    // Only who is in both councils votes in both, and no member endorses twice.
    #expect(throws: Refusal.self) {
      try valley.at("Cleo") { try $0.endorseCouncil(nil, now: $1) }
    }
    #expect(throws: Refusal.self) { try revoke("Eve", by: "Ada", in: &valley) }
  }

  @Test func `the root key replaces a council, and who was voted out stays out`() throws {
    var valley = try valley()
    try revoke("Ada", by: "Ben", in: &valley)
    try valley.run(milliseconds: 20_000)
    try revoke("Ada", by: "Cleo", in: &valley)
    try valley.run(milliseconds: 20_000)
    for name in ["Eve"] { try valley.join(name, invitedBy: "Ben", role: .command) }
    try valley.run(milliseconds: 20_000)
    try propose(["Ben", "Cleo", "Eve"], by: "Ben", isByRoot: true, in: &valley)
    try valley.run(milliseconds: 20_000)
    for name in ["Ben", "Cleo", "Dan", "Eve"] {
      let councils = try valley.ask(name) { replica, _ in try replica.queries.councils() }
      #expect(councils.map(\.serial) == [2], "at \(name)")
      #expect(try revoked(at: name, in: &valley) == ["Ada"], "at \(name)")
    }
  }

  @Test func `a council takes the root key of this operation, and three commanders`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let (ada, ben) = (device("Ada", in: valley), device("Ben", in: valley))
    let key = valley.rootKey
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { try $0.proposeCouncil(of: [ada, ben, ben], by: key, now: $1) }
    }
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { try $0.proposeCouncil(of: [ada], by: nil, now: $1) }
    }
  }

  @Test func `a member proposes the same members once, and at most eight councils`() throws {
    var valley = try valley()
    for name in ["Eve", "Fay", "Gil", "Hal"] {
      try valley.join(name, invitedBy: "Ben", role: .command)
    }
    try valley.converge()
    var pairs = [["Ben", "Eve"], ["Ben", "Fay"], ["Ben", "Gil"], ["Ben", "Hal"]]
    pairs += [
      ["Cleo", "Eve"], ["Cleo", "Fay"], ["Cleo", "Gil"], ["Cleo", "Hal"], ["Eve", "Fay"],
    ]
    try propose(["Ada"] + pairs[0], by: "Ada", isByRoot: false, in: &valley)
    #expect(throws: Refusal("nothing is changed: this council is known already")) {
      try propose(["Ada"] + pairs[0], by: "Ada", isByRoot: false, in: &valley)
    }
    for pair in pairs[1...7] {
      try propose(["Ada"] + pair, by: "Ada", isByRoot: false, in: &valley)
    }
    #expect(throws: Refusal.self) {
      try propose(["Ada"] + pairs[8], by: "Ada", isByRoot: false, in: &valley)
    }
    // None of them counts by one endorsement, and Ben has to name one.
    try valley.converge()
    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.councils() }.count(where: \.counts)
        == 1)
    #expect(throws: Refusal.self) { try valley.at("Ben") { try $0.endorseCouncil(nil, now: $1) } }
  }

  @Test func `a commander outside the council neither votes nor proposes`() throws {
    var valley = try valley()
    try valley.join("Eve", invitedBy: "Ben", role: .command)
    try valley.converge()
    #expect(throws: Refusal.self) { try revoke("Ada", by: "Eve", in: &valley) }
    #expect(throws: Refusal.self) {
      try propose(["Eve", "Ben", "Cleo"], by: "Eve", isByRoot: false, in: &valley)
    }
    #expect(throws: Refusal.self) {
      try propose(["Dan", "Ben", "Cleo"], by: "Ben", isByRoot: false, in: &valley)
    }
  }

  @Test func `the largest vote and the largest council fit an item`() throws {
    let world = try #require(CouncilWorld(size: 15, thieves: [0]))
    let hashes = (0..<Limits.keptCertificates).map {
      var writer = ByteWriter()
      writer.append(UInt64($0))
      return CertificateHash(raw: Blake2b.hash256(writer.bytes))
    }
    let cuts = (0..<Limits.cutsPerVote).map { index in
      Head(
        log: LogID(raw: hashes[index].raw.prefix), sequence: Limits.lastSequence,
        hash: FrameHash(raw: hashes[index].raw))
    }
    let member = world.members[1]
    let vote = SignedVote(
      Vote(
        operation: world.operation, council: world.council.hash, voter: member.certificate.hash,
        revocation: Revocation(device: world.members[0].device, cuts: cuts, keeps: hashes)),
      signedBy: member.key, chain: [member.certificate])
    let item = EvidenceItem(vote)
    // Three certificates more, where the voter is four from the root
    #expect(item.content.count + 3 * 300 <= Limits.evidenceBytes)
    let read = try EvidenceItem(kind: .vote, content: item.content, operation: world.operation)
    #expect(read == item && read.holds(operation: world.operation, rootKey: world.rootKey))
    guard case .endorsement(let endorsement) = world.endorse(world.child, by: 1) else { return }
    #expect(EvidenceItem(endorsement).content.count < Limits.evidenceBytes / 2)
  }

  @Test func `votes that made room for others name no frames any more`() throws {
    let world = try #require(CouncilWorld(size: 3, thieves: [0]))
    let votes = (0..<40).map {
      world.vote(
        by: world.members[0], against: world.members[1], end: UInt64($0 + 1), keeps: [])
    }
    var (set, reversed) = (world.base, world.base)
    var waiting: [CouncilWorld.Item] = []
    world.insert(votes, into: &set, waiting: &waiting)
    world.insert(votes.reversed(), into: &reversed, waiting: &waiting)
    #expect(set == reversed)
    #expect(set.namedFrames.count == Limits.votesPerTarget + 1)
    #expect(set.namedFrames == Set(set.allVotes.flatMap(\.vote.revocation.cuts)))
    #expect(set.namedFrames.allSatisfy { set.names($0) })
  }

  @Test func `the state hash covers which councils count`() throws {
    var valley = try valley()
    let before = try Set(valley.hashes())
    // A child with the members of its parent decides the same, and is another council.
    try propose(["Ada", "Ben", "Cleo"], by: "Ada", isByRoot: false, in: &valley)
    try valley.converge()
    #expect(try Set(valley.hashes()) == before)
    try valley.at("Ben") { try $0.endorseCouncil(nil, now: $1) }
    try valley.converge()
    let after = try Set(valley.hashes())
    #expect(before.count == 1 && after.count == 1 && after != before)
  }

  @Test func `a bundle carries councils and votes`() throws {
    var valley = try valley()
    try valley.join("Eve", invitedBy: "Ben", role: .command)
    try valley.converge()
    valley.air.lossPercent = 100
    try propose(["Ben", "Cleo", "Eve"], by: "Ben", isByRoot: false, in: &valley)
    try valley.carry(from: "Ben", to: "Cleo")
    try valley.at("Cleo") { try $0.endorseCouncil(nil, now: $1) }
    for name in ["Ben", "Cleo"] { try revoke("Ada", by: name, in: &valley) }
    for (from, to) in [("Cleo", "Ben"), ("Ben", "Cleo"), ("Ben", "Dan"), ("Cleo", "Eve")] {
      try valley.carry(from: from, to: to)
    }
    for name in ["Ben", "Cleo", "Dan", "Eve"] {
      let councils = try valley.ask(name) { replica, _ in try replica.queries.councils() }
      #expect(councils.map(\.counts) == [true, true], "at \(name)")
      #expect(try revoked(at: name, in: &valley) == ["Ada"], "at \(name)")
    }
  }

  @Test func `endorsements and votes are read back as they were written`() throws {
    let world = try #require(CouncilWorld(size: 5, thieves: [0]))
    guard case .endorsement(let endorsement) = world.endorse(world.child, by: 1),
      case .vote(let vote) = world.honestVote(by: 1, against: 0)
    else { return }
    #expect(try Endorsement(content: endorsement.content) == endorsement)
    #expect(try SignedVote(content: vote.content) == vote)
    #expect(endorsement.holds(operation: world.operation, rootKey: world.rootKey))
    #expect(vote.holds(operation: world.operation, rootKey: world.rootKey))
    // A byte more or less is refused, and so is every other byte of what is signed.
    for bytes in [endorsement.content + [0], Array(endorsement.content.dropLast())] {
      #expect(throws: WireError.self) { try Endorsement(content: bytes) }
    }
    for index in stride(from: 0, to: vote.identity.count, by: 7) {
      var bytes = vote.content
      bytes[index] ^= 1
      let read = try? SignedVote(content: bytes)
      #expect(read?.holds(operation: world.operation, rootKey: world.rootKey) != true)
    }
    for index in stride(from: 0, to: endorsement.identity.count, by: 7) {
      var bytes = endorsement.content
      bytes[index] ^= 1
      let read = try? Endorsement(content: bytes)
      #expect(read?.holds(operation: world.operation, rootKey: world.rootKey) != true)
    }
  }
}
