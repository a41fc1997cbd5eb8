import MusterModel
import Testing

@testable import MusterReplica

@Suite("Revocation")
struct RevocationTests {
  private func device(_ name: String, in valley: Valley) -> DeviceID {
    valley.laptops[valley.index(name)].credentials.local.device
  }

  private func titles(_ name: String, in valley: inout Valley) throws -> [String] {
    try valley.ask(name) { replica, _ in try replica.queries.reports() }.map(\.title).sorted()
  }

  private func report(_ title: String, at name: String, in valley: inout Valley) throws {
    try valley.at(name) { try $0.write(ReportRequests.add(ReportDraft(title: title)), now: $1) }
  }

  private func revoke(_ target: String, by name: String, in valley: inout Valley) throws {
    let device = device(target, in: valley)
    try valley.at(name) { try $0.revoke(device, now: $1) }
  }

  @Test func `what a stolen device writes after its revocation is shown nowhere`() throws {
    // Given a device that is stolen while half of the mesh is out of reach
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    valley.cut(["Ada"], ["Ben", "Cleo"])
    // When Ada revokes it, and the thief continues near Cleo, who has not received that
    try revoke("Ben", by: "Ada", in: &valley)
    try report("By the thief", at: "Ben", in: &valley)
    try report("By Cleo", at: "Cleo", in: &valley)
    try valley.run(milliseconds: 20_000)
    #expect(try titles("Cleo", in: &valley) == ["Before", "By Cleo", "By the thief"])

    // Then, when the partition heals, all others agree that it has no effect
    valley.heal()
    try valley.converge()
    for name in ["Ada", "Cleo"] {
      #expect(try titles(name, in: &valley) == ["Before", "By Cleo"], "at \(name)")
      let status = try valley.ask(name) { try $0.status(now: $1) }
      #expect(status.quarantinedFrames > 0)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    // and the thief's device knows it, and can write no more
    #expect(throws: Refusal.self) { try report("Again", at: "Ben", in: &valley) }
    for (name, isPutOut) in [("Ada", false), ("Ben", true), ("Cleo", false)] {
      #expect(try valley.ask(name) { try $0.status(now: $1) }.isRevoked == isPutOut)
      let alerts = try valley.ask(name) { try $0.alerts(now: $1) }
      #expect(alerts.contains { $0.id.kind == .revoked && $0.level == .danger } == isPutOut)
    }
    // over restarts too
    let hashes = try valley.hashes()
    for name in valley.names { try valley.restart(name) }
    #expect(try valley.hashes() == hashes)
  }

  @Test func `a device is found by callsign, as long as it is unique`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    func named(_ reference: String) throws -> DeviceID {
      try valley.ask("Ada") { replica, _ in try replica.queries.device(named: reference) }
    }
    let ben = device("Ben", in: valley)
    #expect(try named("Ben") == ben)
    #expect(try named(String("\(ben)".prefix(6)).uppercased()) == ben)
    #expect(try named("ben") == ben)
    #expect(throws: Refusal.self) { try named("Dora") }
    // Cleo takes the same callsign
    try valley.at("Cleo") { try $0.write(PersonRequests.setCallsign("Ben"), now: $1) }
    try valley.converge()
    #expect(throws: Refusal.self) { try named("Ben") }
    // until only one of both is left
    try valley.at("Ada") { try $0.revoke(ben, now: $1) }
    try valley.converge()
    let cleo = device("Cleo", in: valley)
    #expect(try named("Ben") == cleo)
    // or none
    try valley.at("Ada") { try $0.revoke(cleo, now: $1) }
    #expect(throws: Refusal.self) { try named("Ben") }
    #expect(try named(cleo.short) == cleo)
  }

  @Test func `a revoked device does not receive the new key, and every other does`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try revoke("Ben", by: "Ada", in: &valley)
    try valley.run(milliseconds: 30_000)
    try report("Secret", at: "Ada", in: &valley)
    try report("Answer", at: "Cleo", in: &valley)
    try valley.run(milliseconds: 60_000)

    #expect(try titles("Ada", in: &valley) == ["Answer", "Secret"])
    #expect(try titles("Cleo", in: &valley) == ["Answer", "Secret"])
    #expect(try titles("Ben", in: &valley) == [])
    let ben = try valley.ask("Ben") { try $0.status(now: $1) }
    #expect(ben.stateIsIncomplete, "he holds and forwards what he cannot read")
  }

  @Test func `a device that was away during three rotations reads everything again`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dan", "Eve")
    valley.cut(["Ada", "Ben", "Cleo", "Dan"], ["Eve"])
    try report("While away", at: "Eve", in: &valley)
    for target in ["Ben", "Cleo", "Dan"] {
      try revoke(target, by: "Ada", in: &valley)
      try report("Without \(target)", at: "Ada", in: &valley)
    }
    valley.cut(["Ada", "Eve"], ["Ben", "Cleo", "Dan"])
    let all = ["While away", "Without Ben", "Without Cleo", "Without Dan"]
    let back = try valley.wait(upTo: 60_000) { valley in
      try ["Ada", "Eve"].allSatisfy { try titles($0, in: &valley) == all }
    }
    #expect(back != nil)
  }

  @Test func `commanders who revoke each other are both revoked, and the root admits again`()
    throws
  {
    var valley = try Valley.with("Ada")
    for name in ["Ben", "Cleo"] {
      try valley.join(name, invitedBy: "Ada", role: .command)
    }
    try valley.join("Dan", invitedBy: "Ada")
    try valley.converge()
    valley.cut(["Ben"], ["Cleo"], ["Ada", "Dan"])
    try revoke("Cleo", by: "Ben", in: &valley)
    try revoke("Ben", by: "Cleo", in: &valley)
    try report("Ben's", at: "Dan", in: &valley)
    valley.heal()
    try valley.run(milliseconds: 60_000)

    for name in ["Ada", "Dan"] {
      let devices = try valley.ask(name) { replica, _ in try replica.queries.devices() }
      #expect(devices.filter(\.isRevoked).count == 2, "at \(name)")
    }
    #expect(
      try valley.ask("Ada") { replica, _ in try replica.stateHash() }
        == valley.ask("Dan") { replica, _ in try replica.stateHash() })
  }

  @Test func `a junior cannot revoke a senior, nor a member any device`() throws {
    var valley = try Valley.with("Ada", "Dan")
    try valley.join("Ben", invitedBy: "Ada", role: .command)
    try valley.converge()
    #expect(throws: Refusal.self) { try revoke("Ada", by: "Ben", in: &valley) }
    #expect(throws: Refusal.self) { try revoke("Ben", by: "Dan", in: &valley) }
    #expect(
      try valley.ask("Ada") { replica, _ in try replica.queries.devices() }.allSatisfy {
        !$0.isRevoked
      })
  }

  @Test func `a device readmitted with a new key is a member as before`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    try revoke("Ben", by: "Ada", in: &valley)
    try valley.join("Ben again", invitedBy: "Ada")
    try report("After", at: "Ben again", in: &valley)
    let back = try valley.wait(upTo: 60_000) {
      try titles("Ada", in: &$0) == ["After", "Before"]
    }
    #expect(back != nil)
  }

  @Test func `honest late work is found in quarantine, and counts everywhere once released`() throws
  {
    // Given a device that was revoked while it was away, and continued to work
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    valley.cut(["Ada", "Cleo"], ["Ben"])
    try revoke("Ben", by: "Ada", in: &valley)
    let long = String(repeating: "A long outline. ", count: 200)
    try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Late", details: long)), now: $1)
    }
    try report("Spite", at: "Ben", in: &valley)
    valley.heal()
    try valley.run(milliseconds: 60_000)

    // Then command finds it, without effect and in no state hash
    #expect(try titles("Ada", in: &valley) == ["Before"])
    let listed = try valley.ask("Ada") { replica, _ in try replica.queries.quarantine() }
    #expect(listed.contains { $0.contents.contains { $0.hasPrefix("part 2 of") } })
    #expect(listed.contains { $0.contents.contains("title: Spite") })
    #expect(listed.allSatisfy { $0.callsign == "Ben" })
    #expect(throws: Refusal.self) {
      try valley.at("Cleo") { replica, now in try replica.release("0000", now: now) }
    }
    // When its title and, by the first part, its description are released
    let title = try #require(listed.first { $0.contents.contains("title: Late") })
    try valley.at("Ada") { replica, now in
      try replica.release(title.hash.description, now: now)
    }
    let part = try #require(listed.first { $0.contents.contains { $0.hasPrefix("part") } })
    let count = try valley.at("Ada") { replica, now in
      try replica.release(part.hash.description, now: now)
    }
    #expect(count > 1, "the other parts go along")
    let shown = try valley.wait(upTo: 60_000) {
      try titles("Cleo", in: &$0) == ["Before", "Late"]
    }
    #expect(shown != nil)
    let reports = try valley.ask("Cleo") { replica, _ in try replica.queries.reports() }
    #expect(reports.first { $0.title == "Late" }?.ownerCallsign == "Ben")
    // repeating it changes nothing
    let hash = try valley.ask("Cleo") { replica, _ in try replica.stateHash() }
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { replica, now in
        try replica.release(part.hash.description, now: now)
      }
    }
    // and the rest can follow, by the device's id
    let device = device("Ben", in: valley)
    try valley.at("Ada") { replica, now in try replica.release(device.description, now: now) }
    let all = try valley.wait(upTo: 60_000) {
      try titles("Cleo", in: &$0) == ["Before", "Late", "Spite"]
    }
    #expect(all != nil)
    #expect(try valley.ask("Cleo") { replica, _ in try replica.stateHash() } != hash)
    for name in ["Ada", "Cleo"] {
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
      try valley.restart(name)
      #expect(try titles(name, in: &valley) == ["Before", "Late", "Spite"])
    }
  }

  @Test func `data that becomes valid when its revoker is revoked is shown again`() throws {
    var valley = try Valley.with("Ada", "Dan")
    for name in ["Ben", "Cleo"] { try valley.join(name, invitedBy: "Ada", role: .command) }
    try valley.converge()
    // Given a malicious commander: what he writes from now on must not count
    valley.cut(["Ada", "Cleo"], ["Ben", "Dan"])
    try revoke("Dan", by: "Ben", in: &valley)
    try report("By Dan", at: "Dan", in: &valley)
    try valley.run(milliseconds: 20_000)
    try revoke("Ben", by: "Ada", in: &valley)
    // When the partition heals
    valley.heal()
    let shown = try valley.wait(upTo: 90_000) { valley in
      try ["Ada", "Cleo", "Dan"].allSatisfy { try titles($0, in: &valley) == ["By Dan"] }
    }
    // Then his revocation, after his own cut-off, has no effect.
    #expect(shown != nil)
    let devices = try valley.ask("Cleo") { replica, _ in try replica.queries.devices() }
    #expect(devices.filter(\.isRevoked).map(\.callsign) == ["Ben"])
  }

  @Test func `a relay holds and forwards what it cannot read, the quarantine too`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Relay", invitedBy: "Ada", role: .relay)
    try valley.join("Cleo", invitedBy: "Ada")
    try valley.converge()
    valley.cut(["Ada", "Cleo"], ["Ben", "Relay"])
    try revoke("Ben", by: "Ada", in: &valley)
    try report("Late", at: "Ben", in: &valley)
    try valley.run(milliseconds: 20_000)
    try valley.switchOff("Ben")
    valley.heal()
    // What Ben wrote reaches command by the relay, which reads nothing.
    let listed = try valley.wait(upTo: 60_000) {
      try $0.ask("Ada") { replica, _ in try replica.queries.quarantine() }.contains {
        $0.contents.contains("title: Late")
      }
    }
    #expect(listed != nil)
    let status = try valley.ask("Relay") { try $0.status(now: $1) }
    #expect(status.reports == 0 && status.stateIsIncomplete)
  }
}
