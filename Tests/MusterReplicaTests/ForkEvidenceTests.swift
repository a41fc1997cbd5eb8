import Foundation
import MusterAttackers
import MusterCrypto
import MusterModel
import MusterStore
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// I3: which devices are members must not depend on the order in which the branches of a log
/// arrive.
@Suite("Fork evidence")
struct ForkEvidenceTests {
  private static let thousandths = Volume.orUsual(2)

  /// A valley with a second commander, Mallory, who is switched off.
  private func withMallory(_ others: String..., seed: UInt64 = 1) throws -> Valley {
    var valley = Valley(seed: seed)
    try valley.found("Ada")
    for name in others { try valley.join(name, invitedBy: "Ada") }
    try valley.join("Mallory", invitedBy: "Ada", role: .command)
    try valley.converge()
    try valley.switchOff("Mallory")
    valley.hasForks = true
    return valley
  }

  private func credentials(_ name: String, in valley: Valley) -> Credentials {
    valley.laptops[valley.index(name)].credentials
  }

  private func shown(_ name: String, in valley: inout Valley) throws -> ShownMembership {
    try valley.ask(name) { replica, _ in try replica.shownMembership() }
  }

  private func give(
    _ forked: ForkedLog, _ branches: [[Frame]], to name: String, in valley: inout Valley
  ) throws {
    try valley.at(name) { try $0.receive(forked, through: forked.frames.count - 1, now: $1) }
    for branch in branches {
      try valley.at(name) { try $0.receive(branch: branch, of: forked.opening, now: $1) }
    }
  }

  @Test func `members do not depend on the order in which forks arrive`() throws {
    // Given a commander's control log with 60 certificates, 34 forks and one at sequence 5
    var valley = try withMallory("Ben")
    var forked = ForkedLog(by: credentials("Mallory", in: valley), count: 60, seed: 5)
    let high = (20..<54).map { forked.branch(after: $0) }
    let low = forked.branch(after: 4)
    valley.cut(["Ada"], ["Ben"])
    // When they arrive in another order at Ben's than at Ada's
    try give(forked, high + [low], to: "Ada", in: &valley)
    try give(forked, [low] + high.reversed(), to: "Ben", in: &valley)
    // Then, once the two have met,
    valley.heal()
    try valley.run(milliseconds: 45_000)
    let (ada, ben) = (try shown("Ada", in: &valley), try shown("Ben", in: &valley))
    // both show the same members: theirs, and those of the four frames before the lowest fork.
    #expect(ada.members.count == 3 + 4)
    #expect(ada == ben)
    #expect(try valley.isConverged())
  }

  @Test func `a node that has not met the forks learns of them by the proof`() throws {
    var valley = try withMallory("Ben", "Cleo")
    var forked = ForkedLog(by: credentials("Mallory", in: valley), count: 40, seed: 6)
    let branches = (0..<9).map { forked.branch(after: 10 + $0, length: 1 + $0 * 3) }
    valley.cut(["Ada"], ["Ben"], ["Cleo"])
    try give(forked, branches, to: "Ada", in: &valley)
    // One branch alone, and nothing at all
    try give(forked, [], to: "Ben", in: &valley)
    valley.heal()
    try valley.converge()
    let shown = try ["Ada", "Ben", "Cleo"].map { try self.shown($0, in: &valley) }
    #expect(shown[0].members.count == 4 + 10)
    #expect(Set(shown).count == 1)
    // After a restart too
    try valley.restart("Ben")
    #expect(try self.shown("Ben", in: &valley) == shown[0])
  }

  @Test func `a lower fork that only one node has met becomes everybody's`() throws {
    var valley = try withMallory("Ben")
    var forked = ForkedLog(by: credentials("Mallory", in: valley), count: 40, seed: 7)
    let branches = (0..<9).map { _ in forked.branch(after: 30) }
    let low = forked.branch(after: 7, length: 33)
    valley.cut(["Ada"], ["Ben"])
    try give(forked, branches, to: "Ada", in: &valley)
    // Ben has met the other branch of a lower fork, and nothing else of it.
    try valley.at("Ben") { try $0.receive(forked, through: 7, now: $1) }
    try valley.at("Ben") { try $0.receive(branch: low, of: forked.opening, now: $1) }
    valley.heal()
    try valley.converge()
    let (ada, ben) = (try shown("Ada", in: &valley), try shown("Ben", in: &valley))
    #expect(ada.members.count == 3 + 7)
    #expect(ada == ben)
  }

  @Test func `a proof that does not hold is refused`() throws {
    var valley = try withMallory()
    var forked = ForkedLog(by: credentials("Mallory", in: valley), count: 12, seed: 8)
    try give(forked, (0..<9).map { _ in forked.branch(after: 6) }, to: "Ada", in: &valley)
    let local = credentials("Ada", in: valley).local
    let item = try #require(
      try valley.ask("Ada") { replica, _ in replica.core.control.membership.items }.first)
    #expect(item.holds(operation: local.operation, rootKey: local.rootKey))
    // Every byte counts: what parses has another name, or a signature that does not hold.
    for index in stride(from: 0, to: item.content.count, by: 7) {
      var content = item.content
      content[index] ^= 1
      let other = try? EvidenceItem(
        kind: .forkProof, content: content, operation: local.operation)
      #expect(
        other.map { !$0.holds(operation: local.operation, rootKey: local.rootKey) } ?? true,
        "byte \(index)")
    }
    // Fewer branches than count prove nothing.
    guard case .forkProof(let proof) = item.statement else { return }
    #expect(
      ForkProof(
        opening: proof.opening, chain: proof.chain, witnesses: proof.witnesses.dropLast(),
        operation: local.operation) == nil)
  }

  // MARK: What a fork costs

  /// Frames of a member's state log, each with a write, sealed under the epoch of a replica.
  private func written(
    _ value: String, by credentials: Credentials, row: RowID, after last: Frame?, log: LogID,
    opening: Opening, _ replica: Replica, _ random: inout DeterministicRandom
  ) throws -> Frame {
    let local = credentials.local
    guard let last else {
      return .clear(
        operation: local.operation, log: log, sequence: 0, previous: .none,
        body: opening.encoded(), signedBy: local.signingKey)
    }
    let epoch = try #require(replica.core.currentEpoch)
    var write = Write(row: row, field: .userTeam, value: .text(value))
    write.takesEarlier = true
    let sequence = last.sequence + 1
    return .sealed(
      operation: local.operation, log: log, sequence: sequence, previous: last.hash,
      epoch: epoch.id,
      plaintext: FrameBody(
        writtenAt: Timestamp(milliseconds: 1), contents: .operations([.write(write)])
      ).encoded(
        writesAt: WritePosition(
          operation: local.operation, author: local.author.user, sequence: sequence)),
      key: epoch.key, nonce: random.nonce24(), signedBy: local.signingKey)
  }

  @Test func `I7: a fork costs the rows that it concerns, and the view stays right`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mallory")
    valley.hasForks = true
    for number in 0..<Self.thousandths * 20 {
      try valley.at("Ben") {
        try $0.write(ReportRequests.add(ReportDraft(title: "Report \(number)")), now: $1)
      }
    }
    try valley.converge()
    let mallory = credentials("Mallory", in: valley)
    try valley.switchOff("Mallory")
    try valley.switchOff("Ben")
    var random = DeterministicRandom(seed: [UInt8](repeating: 3, count: 32))
    let opening = Opening(
      certificate: mallory.certificate, incarnation: Incarnation(raw: random.bytes16()),
      generation: 1, lane: .state)
    let log = LogID(operation: mallory.local.operation, opening: opening)
    let row = RowID(raw: mallory.local.author.user.raw)
    let length = 12 + Self.thousandths * 4
    try valley.at("Ada") { replica, now in
      var frames: [Frame] = []
      for number in 0...length {
        frames.append(
          try self.written(
            "trunk \(number)", by: mallory, row: row, after: frames.last, log: log,
            opening: opening, replica, &random))
      }
      var outcome = try replica.transact(now: now) {
        try $0.core.hold(frames, opening: opening, now: now)
        try $0.core.commit(now: now)
        try $0.core.run(
          .attached(log, $0.device, .held(try $0.core.store.strands(of: log))), now: now)
      }
      // Branches from the top of the log downwards: the last of them each lower the proved fork.
      var before = replica.viewRebuilds
      for place in stride(from: length - 1, through: 1, by: -1) {
        let branch = try self.written(
          "branch \(place)", by: mallory, row: row, after: frames[place], log: log,
          opening: opening, replica, &random)
        outcome = try replica.receive(branch: [branch], of: opening, now: now)
        try replica.checkInvariants()
        #expect(try replica.verify().problems == [], "after the fork at \(place + 1)")
      }
      before = replica.viewRebuilds - before
      #expect(before <= 1, "\(before) rebuilds of the view")
      #expect(replica.core.control.forkEnd(of: log) == 1)
      return outcome
    }
    // What Mallory wrote before the lowest fork is all that is left.
    let team = try valley.ask("Ada") { replica, _ in
      try replica.core.store.row(RowKey(kind: .user, id: row))?.text(.userTeam)
    }
    #expect(team == "trunk 1")
  }

  @Test func `forks at ever lower places that arrive over the network leave the view right`()
    throws
  {
    var valley = try Valley.with("Ada", "Mallory")
    valley.hasForks = true
    let length = Limits.branchesPerLog + 6
    let log = try #require(
      try valley.ask("Mallory") {
        try MusterAttackers.ForkedLog.write(length: length, in: &$0, now: $1)
      })
    try valley.converge()
    for sequence in (2...length).reversed() {
      try valley.at("Mallory") { try log.fork(at: sequence, in: &$0, now: $1) }
      try valley.converge()
      // Up to eight branches count; then what is before the lowest fork.
      guard length - sequence + 2 > Limits.branchesPerLog else { continue }
      let teams = try valley.ask("Ada") { try $0.statuses(now: $1).users().map(\.team) }
      #expect(
        teams.contains(MusterAttackers.ForkedLog.team(sequence - 1)),
        "after the fork at \(sequence): \(teams)")
      #expect(try valley.ask("Ada") { replica, _ in try replica.verify().problems } == [])
    }
  }

  // MARK: Drawn orders

  /// Nodes in memory that exchange all that they hold by direct calls, in a drawn order.
  private struct Nodes {
    var replicas: [Replica] = []
    let now: ClockReading
    let opening: Opening

    mutating func meet(_ giver: Int, _ taker: Int, draw: inout SplitMix64) throws {
      let items = replicas[giver].core.control.membership.items
      let log = LogID(operation: replicas[giver].operation, opening: opening)
      let strands = try replicas[giver].core.store.strands(of: log)
      let takesEvidenceFirst = draw.number(below: 2) == 0
      if takesEvidenceFirst { try take(items, at: taker) }
      var order = Array(strands.indices)
      for index in order.indices.dropLast() {
        order.swapAt(index, index + draw.number(below: order.count - index))
      }
      for index in order { try take(strands[index], of: strands, from: giver, at: taker) }
      if !takesEvidenceFirst { try take(items, at: taker) }
    }

    private mutating func take(_ items: [EvidenceItem], at taker: Int) throws {
      let clock = now
      for item in items {
        _ = try replicas[taker].transact(now: now) { try $0.core.take(item, now: clock) }
      }
    }

    /// Frames of a strand with those that it goes on from, up to a signed one.
    private mutating func take(
      _ strand: LogSummary, of strands: [LogSummary], from giver: Int, at taker: Int
    ) throws {
      let frames = try replicas[giver].core.prover.proved(
        try replicas[giver].core.store.frames(
          log: strand.head.log, from: 1, maxBytes: .max, maxFrames: .max), of: strand.head.log)
      guard let last = frames.lastIndex(where: { $0.signature != nil }) else { return }
      _ = try replicas[taker].receive(
        branch: frames[...last].map {
          var frame = $0
          frame.branch = nil
          return frame
        }, of: opening, now: now)
    }
  }

  @Test func `I3: nodes that have reconciled agree, whatever arrived where and when`() throws {
    var valley = try withMallory()
    let ada = valley.laptops[0]
    try valley.switchOff("Ada")
    let orders = max(12, 10_000 * Self.thousandths / 1000)
    for seed in 0..<UInt64(orders) {
      var draw = SplitMix64(seed: seed &+ 901)
      var forked = ForkedLog(
        by: credentials("Mallory", in: valley), count: 6 + draw.number(below: 30),
        seed: UInt8(truncatingIfNeeded: seed))
      // Branches anywhere in the log, more or fewer than count, some of several frames
      var branches: [[Frame]] = []
      for _ in 0..<2 + draw.number(below: 16) {
        branches.append(
          forked.branch(
            after: draw.number(below: forked.frames.count), length: 1 + draw.number(below: 4)))
      }
      var nodes = Nodes(now: valley.clock, opening: forked.opening)
      for number in 0..<2 + draw.number(below: 3) {
        var replica = try Replica(
          store: try ada.store.copiedInMemory(), credentials: ada.credentials, start: .continues,
          seed: [UInt8](repeating: UInt8(number), count: 32), systemBoot: [1], now: valley.clock)
        _ = try replica.receive(
          forked, through: 1 + draw.number(below: forked.frames.count - 1), now: valley.clock)
        // Each meets some of them, in an order of its own
        var mine = branches.filter { _ in draw.number(below: 3) > 0 }
        for index in mine.indices.dropLast() {
          mine.swapAt(index, index + draw.number(below: mine.count - index))
        }
        for branch in mine {
          _ = try replica.receive(branch: branch, of: forked.opening, now: valley.clock)
        }
        nodes.replicas.append(replica)
      }
      // until nothing changes any more
      var shown: [ShownMembership] = []
      for _ in 0..<12 {
        for giver in nodes.replicas.indices {
          for taker in nodes.replicas.indices where taker != giver {
            try nodes.meet(giver, taker, draw: &draw)
          }
        }
        let before = shown
        shown = []
        for index in nodes.replicas.indices {
          shown.append(try nodes.replicas[index].shownMembership())
        }
        if shown == before { break }
      }
      guard Set(shown).count == 1 else {
        Issue.record("seed \(seed): \(shown.map { ($0.members.count, $0.evidence.count) })")
        continue
      }
      if seed < 4 {
        for index in nodes.replicas.indices { try nodes.replicas[index].checkInvariants() }
      }
    }
  }
}
