import Foundation
import MusterAttackers
import MusterModel
import MusterStore
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// The insider rows of the fault matrix at full volume: `MUSTER_VOLUME=1000` for all of it, in
/// thousandths of the matrix's volume.
@Suite("Insiders at volume")
struct InsiderVolumeTests {
  private static let thousandths = Volume.orUsual(2)

  private static func volume(_ whole: Int, atLeast least: Int = 1) -> Int {
    max(least, whole * thousandths / 1000)
  }

  @Test func `I1: random schedules of a revoked device's joins, with rotations`() throws {
    for seed in 0..<UInt64(Self.volume(100)) {
      var draw = SplitMix64(seed: seed &+ 77)
      var valley = try Valley.with("Ada", "Ben", seed: seed &+ 1)
      let invitation = try valley.invitation(
        by: "Ada", uses: 1 + draw.number(below: 3), validMilliseconds: 120_000)
      let secret = valley.seed32()
      var first = Enrolment(seed: secret)
      guard
        case .joined(let credentials, _) = try valley.attempt(
          &first, invitation: invitation, upTo: 60_000, from: Valley.endpoint(9))
      else {
        Issue.record("seed \(seed): no first join")
        continue
      }
      try valley.at("Ada") { try $0.revoke(credentials.device, now: $1) }
      for attempt in 0..<4 {
        if draw.number(below: 2) == 0 { try valley.at("Ada") { try $0.rotateEpoch(now: $1) } }
        if draw.number(below: 3) == 0 { try valley.restart("Ada") }
        if draw.number(below: 3) == 0 { try valley.run(milliseconds: 90_000) }
        // With the old keys, or with new ones and the remaining uses of the invite.
        var again = Enrolment(seed: draw.number(below: 2) == 0 ? secret : valley.seed32())
        let outcome = try valley.attempt(
          &again, invitation: invitation, upTo: 20_000, from: Valley.endpoint(10 + attempt))
        if case .joined = outcome { Issue.record("seed \(seed): joined again") }
      }
    }
  }

  @Test func `I2: random chains of hops, loss and authors whose issuer is gone`() throws {
    for seed in 0..<UInt64(Self.volume(1000)) {
      var draw = SplitMix64(seed: seed &+ 78)
      let names = (0..<2 + draw.number(below: 5)).map { "Hop\($0)" }
      var valley = try Valley.with("Ada", names[0], seed: seed &+ 1)
      valley.checksInvariants = false
      for name in names.dropFirst() { try valley.join(name, invitedBy: "Ada") }
      try valley.converge()
      for name in names { try valley.switchOff(name) }
      try valley.join("Xena", invitedBy: "Ada")
      try valley.switchOff("Ada")
      for name in names { try valley.switchOn(name) }
      valley.lineUp(names + ["Xena"])
      valley.air.lossPercent = draw.number(below: 3) * 10
      valley.hasMulticast = draw.number(below: 2) == 0
      let neighbour = valley.laptops[valley.index(try #require(names.last))].endpoint
      try valley.at("Xena") { try $0.contact([neighbour], now: $1) }
      let id = try valley.at("Xena") {
        try $0.write(ReportRequests.add(ReportDraft(title: "Trapped", toEvacuate: true)), now: $1)
      }
      let took = try valley.wait(upTo: 60_000) { valley in
        try valley.ask(names[0]) { replica, _ in try replica.queries.reports() }.contains {
          $0.id == id
        }
      }
      #expect(took != nil, "seed \(seed): it does not pass \(names.count) hops")
    }
  }

  @Test func `I2: many authors whose issuer is gone are known two hops away`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.checksInvariants = false
    let authors = (0..<Self.volume(300, atLeast: 8)).map { "Author\($0)" }
    for name in ["Ben", "Cleo"] { try valley.switchOff(name) }
    for name in authors {
      try valley.join(name, invitedBy: "Ada")
      try valley.at(name) {
        try $0.write(ReportRequests.add(ReportDraft(title: name, toEvacuate: true)), now: $1)
      }
      try valley.switchOff(name)
    }
    try valley.switchOff("Ada")
    for name in ["Ben", "Cleo"] { try valley.switchOn(name) }
    // Each meets only Ben, for a while.
    for name in authors {
      try valley.switchOn(name)
      valley.lineUp([name, "Ben", "Cleo"])
      let took = try valley.wait(upTo: 30_000) { valley in
        try valley.ask("Cleo") { replica, _ in try replica.queries.reports() }.contains {
          $0.title == name
        }
      }
      if took == nil { print(try valley.describe()) }
      #expect(took != nil, "\(name) is not seen two hops away")
      try valley.switchOff(name)
    }
    #expect(
      try valley.ask("Cleo") { replica, _ in try replica.queries.reports() }.count == authors.count)
  }

  /// Lets Mallory act in portions that fit a peer's queue, and all others process them.
  private func repeated(
    _ count: Int, in valley: inout Valley,
    _ deed: (inout Replica, Int, ClockReading) throws -> Replica.Outcome
  ) throws {
    var left = count
    while left > 0 {
      let piece = min(left, 500)
      try valley.at("Mallory") { try deed(&$0, piece, $1) }
      try valley.run(milliseconds: 2000)
      left -= piece
    }
  }

  /// Checks that the writes of others are shown everywhere in time.
  private func expectUnharmed(_ valley: inout Valley) throws {
    try valley.join("Nora", invitedBy: "Ada")
    for (author, title) in [("Ada", "Flood"), ("Ben", "Gas"), ("Nora", "Fire")] {
      let id = try valley.at(author) {
        try $0.write(ReportRequests.add(ReportDraft(title: title, toEvacuate: true)), now: $1)
      }
      for reader in ["Ada", "Ben", "Nora"] {
        let took = try valley.wait(upTo: 10_000) { valley in
          try valley.ask(reader) { replica, _ in try replica.queries.reports() }.contains {
            $0.id == id
          }
        }
        #expect(took != nil, "\(reader) does not see what \(author) wrote")
      }
    }
  }

  @Test func `I4: endless openings`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mallory")
    valley.checksInvariants = false
    for lane in [Lane.urgent, .control] {
      try repeated(Self.volume(500_000), in: &valley) {
        try MaliciousMember.floodLogs(&$0, $1, lane: lane, now: $2)
      }
      let store = valley.laptops[valley.index("Ben")].store
      let mallory = valley.laptops[valley.index("Mallory")].credentials
      let held = try store.logs().count {
        $0.opening.certificate == mallory.certificate && $0.opening.lane == lane
      }
      #expect((Limits.logsPerLane - 1...Limits.logsPerLane).contains(held))
    }
    try expectUnharmed(&valley)
    try valley.restart("Ada")
    let device = valley.laptops[valley.index("Mallory")].credentials.device
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    #expect(try valley.ask("Ada") { replica, _ in replica.core.control.isRevoked(device) })
  }

  @Test func `I5: receipts and trackers, ten times their bounds`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Mallory", invitedBy: "Ada", role: .command)
    valley.checksInvariants = false
    let place = try #require(Coordinate(latitudeE7: 1, longitudeE7: 1))
    try repeated(Self.volume(Limits.receiptsPerDevice * 10), in: &valley) {
      try MaliciousMember.receiptMadeUpLogs(&$0, $1, now: $2)
    }
    try repeated(Self.volume(Limits.trackersPerDevice * 10, atLeast: 600), in: &valley) {
      try MaliciousMember.trackMadeUpPhones(&$0, $1, at: place, now: $2)
    }
    let mallory = valley.laptops[valley.index("Mallory")].credentials
    let records = try valley.ask("Ben") { replica, _ in try replica.queries.latestRecords() }
      .filter { $0.certificate == mallory.certificate }
    #expect(records.count { $0.kind == .trackerPosition } == Limits.trackersPerDevice)
    #expect(records.count { $0.kind == .receipt } <= Limits.receiptsPerDevice)
    try expectUnharmed(&valley)
    // A first record of another device is accepted.
    try valley.at("Ben") { replica, now in
      try replica.publish(
        PositionReport(fix: Fix(position: place, sampleTime: now.wall), reportedAt: now.wall),
        now: now)
    }
    let took = try valley.wait(upTo: 10_000) { valley in
      try valley.ask("Ada") { try $0.statuses(now: $1).users() }.contains {
        $0.callsign == "Ben" && $0.fix != nil
      }
    }
    #expect(took != nil)
  }

  @Test func `I8: frames under invented epochs`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mallory")
    valley.checksInvariants = false
    try repeated(Self.volume(100_000), in: &valley) {
      try MaliciousMember.sealUnderMadeUpEpochs(&$0, $1, now: $2)
    }
    for turn in 0..<3 {
      try valley.at("Ada") { try $0.rotateEpoch(now: $1) }
      let id = try valley.at("Ada") {
        try $0.write(ReportRequests.add(ReportDraft(title: "\(turn)")), now: $1)
      }
      let took = try valley.wait(upTo: 5_000) { valley in
        try valley.ask("Ben") { replica, _ in try replica.queries.reports() }.contains {
          $0.id == id
        }
      }
      #expect(took != nil, "the key of rotation \(turn) does not come")
    }
  }
}
