import MusterAttackers
import MusterModel
import MusterStore
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// Law 1 of insiders (decision 0105): a key is taken, used and passed on under one condition, a
/// fulfilled announcement that this node holds. All nodes that hold the same frames show the same.
@Suite("One condition for keys")
struct KeyConditionTests {
  /// Ada is of command, Ben and Mia are members.
  private static func valley() throws -> Valley {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Mia", invitedBy: "Ada")
    try valley.converge()
    return valley
  }

  private static func team(
    of name: String, at other: String, in valley: inout Valley
  ) throws -> String? {
    try valley.ask(other) { try $0.statuses(now: $1).users() }.first { $0.callsign == name }?.team
  }

  private static func team(_ words: String, of name: String, in valley: Valley) -> Write {
    let row = RowID(raw: valley.laptops[valley.index(name)].credentials.user.raw)
    return Write(row: row, field: .userTeam, value: .text(words))
  }

  private static func expectEqual(_ valley: inout Valley, _ moment: Comment) throws {
    let hashes = try ["Ada", "Ben"].map { name in
      try valley.ask(name) { replica, _ in try replica.stateHash() }
    }
    #expect(hashes[0] == hashes[1], moment)
    let waiting = try ["Ada", "Ben"].map { name in
      try valley.ask(name) { try $0.status(now: $1) }.waitingFrames
    }
    #expect(waiting[0] == waiting[1], moment)
  }

  @Test(arguments: [
    MaliciousMember.Announcing.never, .excludingNothing, .buildingOnNothing,
  ])
  func `who is given a key that may not be passed on shows nothing under it`(
    announcing: MaliciousMember.Announcing
  ) throws {
    // Given Mia, who writes under a key of her own and gives it to Ada's node alone,
    var valley = try Self.valley()
    let write = Self.team("North", of: "Mia", in: valley)
    let key = try valley.at("Mia") {
      try MaliciousMember.write(write, by: &$0, announcing: announcing, now: $1)
    }
    try valley.run(milliseconds: 10_000)
    try valley.at("Ada") { replica, now in
      try ModifiedProgram.change(&replica, now: now) {
        try ModifiedProgram.learn(key, in: &$0, now: now)
      }
    }
    // When they meet, Mia leaves, they start again, and Mia is revoked,
    try valley.run(milliseconds: 45_000)
    try Self.expectEqual(&valley, "while Mia is there")
    #expect(try Self.team(of: "Mia", at: "Ada", in: &valley) != "North")
    try valley.switchOff("Mia")
    try valley.run(milliseconds: 45_000)
    for name in ["Ada", "Ben"] { try valley.restart(name) }
    try valley.run(milliseconds: 45_000)
    try Self.expectEqual(&valley, "after a restart")
    let mia = valley.laptops[valley.index("Mia")].credentials.device
    try valley.at("Ada") { try $0.revoke(mia, now: $1) }
    try valley.run(milliseconds: 45_000)
    // then both show the same at each time.
    try Self.expectEqual(&valley, "after the revocation")
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify() }.problems == [])
  }

  @Test
  func `the epoch of a commander that names what does not exist is read, and not written under`()
    throws
  {
    // Given Cleo of command, whose epoch excludes a revocation that will never arrive,
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Cleo", invitedBy: "Ada", role: .command)
    try valley.converge()
    let write = Self.team("North", of: "Cleo", in: valley)
    let key = try valley.at("Cleo") {
      try MaliciousMember.write(write, by: &$0, announcing: .excludingNothing, now: $1)
    }
    for name in ["Ada", "Ben"] {
      try valley.at(name) { replica, now in
        try ModifiedProgram.change(&replica, now: now) {
          try ModifiedProgram.learn(key, in: &$0, now: now)
        }
      }
    }
    try valley.run(milliseconds: 30_000)
    // then what she wrote is shown, and others seal what they write under another epoch.
    for name in ["Ada", "Ben"] {
      #expect(try Self.team(of: "Cleo", at: name, in: &valley) == "North")
      let epoch = try valley.ask(name) { replica, _ in replica.core.currentEpoch?.id }
      #expect(epoch != nil && epoch != key.id)
    }
    try Self.expectEqual(&valley, "with the key")
  }

  @Test func `a key that came before its announcement is used and passed on once that is here`()
    throws
  {
    var valley = try Self.valley()
    // Given Ada with a key and a frame under it, and its announcement at Mia alone
    valley.cut(["Ada", "Ben"], ["Mia"])
    let write = Self.team("North", of: "Mia", in: valley)
    let key = try valley.at("Mia") {
      try MaliciousMember.write(write, by: &$0, announcing: .plainly, now: $1)
    }
    try valley.at("Ada") { replica, now in
      try ModifiedProgram.change(&replica, now: now) {
        try ModifiedProgram.learn(key, in: &$0, now: now)
      }
    }
    try valley.run(milliseconds: 10_000)
    // When Mia is in reach of Ada, then both show what she wrote.
    valley.cut(["Ada", "Mia"], ["Ben"])
    let shown = try valley.wait(upTo: 60_000) {
      try Self.team(of: "Mia", at: "Ada", in: &$0) == "North"
    }
    #expect(shown != nil)
    try valley.switchOff("Mia")
    valley.heal()
    try valley.converge()
    #expect(try Self.team(of: "Mia", at: "Ben", in: &valley) == "North")
  }

  @Test(arguments: [false, true])
  func `what others wrote under the epoch of a revoked device stays, also for newcomers`(
    losesCertificate: Bool
  ) throws {
    // Given Mia of command, admitted by Bo, who makes the epoch under which Ben writes,
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Bo", invitedBy: "Ada", role: .command)
    try valley.join("Mia", invitedBy: "Bo", role: .command)
    try valley.converge()
    try valley.at("Mia") { try $0.rotateEpoch(now: $1) }
    try valley.converge()
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    let epochs = try ["Mia", "Ben"].map { name in
      try valley.ask(name) { replica, _ in replica.core.currentEpoch?.id }
    }
    #expect(epochs[0] == epochs[1])
    // When Ada revokes her, or Bo, who admitted her, from the beginning on,
    let revoked = valley.laptops[valley.index(losesCertificate ? "Bo" : "Mia")].credentials.device
    try valley.at("Ada") { replica, now in
      try MaliciousMember.author(
        &replica, unchecked: [.revocation(Revocation(device: revoked, cuts: []))], lane: .control,
        now: now)
    }
    try valley.switchOff("Mia")
    try valley.switchOff("Bo")
    try valley.run(milliseconds: 60_000)
    // then Ben's report stays with those who hold it, after restarts,
    for name in ["Ada", "Ben"] { try valley.restart(name) }
    try valley.run(milliseconds: 30_000)
    try Self.expectEqual(&valley, "after restarts")
    for name in ["Ada", "Ben"] {
      #expect(
        try valley.ask(name) { replica, _ in try replica.queries.report(id) }.title == "Smoke")
    }
    // and a newcomer shows it too, if it may know Mia.
    guard !losesCertificate else { return }
    try valley.join("Cleo", invitedBy: "Ada")
    try valley.converge()
    #expect(
      try valley.ask("Cleo") { replica, _ in try replica.queries.report(id) }.title == "Smoke")
  }

  @Test func `the key of a frame that counts only once it is released is requested then`() throws {
    // Given Ben's late report, under the epoch of Bo, whose frames do not count any more,
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Bo", invitedBy: "Ada", role: .command)
    try valley.converge()
    try valley.at("Bo") { try $0.rotateEpoch(now: $1) }
    try valley.converge()
    valley.cut(["Ada", "Bo"], ["Ben"])
    let devices = ["Ben", "Bo"].map { valley.laptops[valley.index($0)].credentials.device }
    try valley.at("Ada") { try $0.revoke(devices[0], now: $1) }
    let revocation = Revocation(device: devices[1], cuts: [])
    try valley.at("Ada") {
      try MaliciousMember.author(
        &$0, unchecked: [.revocation(revocation)], lane: .control, now: $1)
    }
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Late")), now: $1)
    }
    try valley.switchOff("Bo")
    valley.heal()
    // and Cleo, who joined after that.
    try valley.join("Cleo", invitedBy: "Ada")
    let held = try valley.wait(upTo: 60_000) {
      try $0.ask("Cleo") { replica, _ in try replica.queries.quarantine() }
        .contains { $0.callsign == "Ben" }
    }
    try #require(held != nil)
    // When Ada releases it, Cleo shows it.
    try valley.at("Ada") { try $0.release(devices[0].description, now: $1) }
    let shown = try valley.wait(upTo: 60_000) {
      try $0.ask("Cleo") { replica, _ in try replica.queries.reports() }.map(\.id) == [id]
    }
    #expect(shown != nil)
  }

  @Test func `a call for help under an epoch of a second ago is shown two hops away in 2 s`() throws
  {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Cleo", invitedBy: "Ada", role: .command)
    try valley.converge()
    valley.lineUp("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: 30_000)
    try valley.at("Cleo") { try $0.rotateEpoch(now: $1) }
    try valley.run(milliseconds: 1_000)
    try valley.claim(.needsHelp, by: "Cleo")
    let shown = try valley.wait(upTo: 2_000) {
      try $0.ask("Ada") { try $0.statuses(now: $1).users() }.first { $0.callsign == "Cleo" }?
        .selfReport != nil
    }
    #expect(shown != nil)
  }
}
