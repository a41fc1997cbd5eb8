import MusterModel
import MusterReplica
import Testing

/// Defects of the status picture that a trial found, with their numbers in the issue.
@Suite("The status picture")
struct StatusPictureTests {
  private func user(
    _ callsign: String, by name: String, in valley: inout Valley
  ) throws -> UserSummary? {
    try valley.ask(name) { try $0.statuses(now: $1).users() }.first { $0.callsign == callsign }
  }

  @Test(arguments: [false, true])
  func `22.1: a person stays when their device is revoked`(needsHelp: Bool) throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    if needsHelp {
      try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
    }
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    let before = try valley.ask("Ada") { try $0.statuses(now: $1).directive(call) }.people.count

    // When command revokes Ben's device
    let ben = valley.laptops[valley.index("Ben")].credentials.device
    try valley.at("Ada") { try $0.revoke(ben, now: $1) }
    try valley.run(milliseconds: 30_000)

    // Then Ben is listed with the last position, and the roll call still names them
    for name in ["Ada", "Cleo"] {
      let seen = try user("Ben", by: name, in: &valley)
      #expect(seen?.fix?.position == place(metresNorth: 0), "by \(name)")
      #expect(
        seen?.reason == (needsHelp ? "asked for help: leg" : "device revoked, no contact"),
        "by \(name)")
      #expect(seen?.safety == (needsHelp ? .unsafe : .unknown))
      let people = try valley.ask(name) { try $0.statuses(now: $1).directive(call) }.people
      #expect(people.count == before && people.contains { $0.callsign == "Ben" })
    }
    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    #expect(alerts.contains { $0.id.kind == .help } == needsHelp)

    // Also after the view was rebuilt
    try valley.restart("Ada")
    #expect(try user("Ben", by: "Ada", in: &valley)?.fix?.position == place(metresNorth: 0))
  }

  @Test func `22.3: command is alerted when a person enters a hazard zone`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "Ridge", kind: .hazard, geometry: circle(metres: 100))),
        now: $1)
    }
    try valley.converge()
    func alerts(_ name: String) throws -> [String] {
      try valley.ask(name) { try $0.alerts(now: $1) }.map { "\($0.level.name): \($0.text)" }
    }
    #expect(try alerts("Ada").isEmpty)

    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.converge()

    #expect(try alerts("Ada") == ["danger: Ben: inside hazard zone Ridge"])
    #expect(try alerts("Ben") == ["danger: you are inside hazard zone Ridge"])
    #expect(try alerts("Cleo").isEmpty, "elsewhere, and not command")

    // A person in the same zone is alerted about the other
    try valley.at("Cleo") { try $0.ingest(fix(metresNorth: 10, second: 2), now: $1) }
    try valley.converge()
    #expect(try alerts("Cleo").contains("danger: Ben: inside hazard zone Ridge"))

    // When Ben leaves, the alert ends
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 900, second: 60), now: $1) }
    try valley.converge()
    #expect(try alerts("Ada") == ["danger: Cleo: inside hazard zone Ridge"])
  }

  @Test func `22.7: a peer whose logs are equal is not behind while positions differ`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    for number in 0..<30 {
      try valley.at("Cleo") {
        try $0.write(ReportRequests.add(ReportDraft(title: "Smoke \(number)")), now: $1)
      }
    }
    try valley.converge()
    try valley.restart("Ada")
    try valley.converge()
    try valley.run(milliseconds: 20_000)
    func behind() throws -> UInt64 {
      let peers = try valley.ask("Ada") { try $0.status(now: $1) }.peers
      return try #require(peers.first { $0.callsign == "Ben" }).behindFrames
    }

    // When a position of Ada does not reach Ben
    valley.cut(["Ada"], ["Ben", "Cleo"])
    try valley.at("Ada") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    #expect(try behind() == 0)

    // Then Ben is behind by the frames that Ada writes from here on, and by no others
    let before = try valley.ask("Ada") { try $0.status(now: $1) }.frames
    try valley.at("Ada") { try $0.write(ReportRequests.add(ReportDraft(title: "Fire")), now: $1) }
    let after = try valley.ask("Ada") { try $0.status(now: $1) }.frames
    #expect(try behind() == after - before)
  }

  @Test func `22.13: a device whose clock is a day ahead becomes silent like any other`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))),
        now: $1)
    }
    valley.setClock("Ben", aheadMilliseconds: 86_400_000)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.converge()
    #expect(try user("Ben", by: "Ada", in: &valley)?.safety == .safe)

    valley.cut(["Ada"], ["Ben"])
    try valley.run(milliseconds: 11 * 60_000)
    let seen = try user("Ben", by: "Ada", in: &valley)
    #expect(seen?.status == .noContact && seen?.safety == .unknown)
  }

  @Test func `22.2: the only command device cannot revoke itself`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ada = valley.laptops[valley.index("Ada")].credentials.device
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { try $0.revoke(ada, now: $1) }
    }
    #expect(try valley.ask("Ada") { try $0.status(now: $1) }.isRevoked == false)
  }

  @Test func `22.12: status counts the frames that the quarantine lists`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    // Given Ben, who is revoked while out of reach, and continues to write, in a new lane too
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1) }
    try valley.converge()
    valley.cut(["Ada"], ["Ben", "Cleo"])
    let ben = valley.laptops[valley.index("Ben")].credentials.device
    try valley.at("Ada") { try $0.revoke(ben, now: $1) }
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Fire")), now: $1) }
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
    try valley.run(milliseconds: 30_000)
    valley.heal()
    try valley.run(milliseconds: 120_000)

    func counts() throws -> (status: Int, listed: Int) {
      let listed = try valley.ask("Ada") { replica, _ in try replica.queries.quarantine() }.count
      return (try valley.ask("Ada") { try $0.status(now: $1) }.quarantinedFrames, listed)
    }
    let before = try counts()
    #expect(before.listed > 1 && before.status == before.listed)
    let one = try valley.ask("Ada") { replica, _ in try replica.queries.quarantine() }[0]
    _ = try valley.at("Ada") { replica, now in
      try replica.release("\(one.hash)", now: now).outcome
    }
    let after = try counts()
    #expect(after.listed < before.listed && after.status == after.listed)
  }
}
