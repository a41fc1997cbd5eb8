import MusterModel
import MusterReplica
import MusterTestKit
import Testing

/// Contact is not position, and no fix is younger than its evidence (decision 0095).
@Suite("Contacts and fixes of phones")
struct PhoneContactTests {
  /// Ada commands; Ben records the phone Kim.
  private func valley() throws -> Valley {
    var valley = try Valley.with("Ada", "Ben")
    // Ada bounds the age of Ben's records once they have exchanged anchors.
    for name in valley.names {
      try valley.at(name) { try $0.ingest(fix(metresNorth: 9000, second: 0), now: $1) }
    }
    try valley.run(milliseconds: 90_000)
    return valley
  }

  private func report(
    _ metresNorth: Int64, _ second: Int64, age: SampleAge = .exactly(milliseconds: 0),
    in valley: inout Valley
  ) throws {
    let fix = TrackedFix(fix(metresNorth: metresNorth, second: second), of: "Kim", age: age)
    try valley.at("Ben") { try $0.ingest([fix], now: $1).outcome }
    try valley.run(milliseconds: 500)
  }

  private func contact(in valley: inout Valley) throws {
    try valley.at("Ben") { try $0.recordContact(ofTracker: "Kim", now: $1) }
    try valley.run(milliseconds: 500)
  }

  private func kim(by name: String, in valley: inout Valley) throws -> UserSummary {
    let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
    return try #require(users.first { $0.callsign == "Kim" })
  }

  private func crossings(in valley: inout Valley) throws -> Int {
    try valley.ask("Ada") { replica, _ in
      try replica.queries.crossings(after: nil, limit: 100)
    }.count
  }

  @Test func `A stored fix of three hours ago shows its age, and answers no later order`() throws {
    var valley = try valley()
    try valley.draw("Camp", .muster)
    for minutes: Int64 in [180, 175, 170] {
      let age = SampleAge.atLeast(milliseconds: minutes * 60_000)
      try report(0, -minutes * 60, age: age, in: &valley)
    }
    try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .muster)), now: $1).outcome
    }
    try report(10, -165 * 60, age: .atLeast(milliseconds: 9_900_000), in: &valley)
    try valley.converge()
    for name in valley.names {
      let seen = try kim(by: name, in: &valley)
      #expect(seen.status == .ordered, "by \(name)")
      #expect(seen.has(.oldPosition) && !seen.has(.atAssembly) && !seen.has(.noContact))
      #expect((9_900...9_990).contains(seen.fixAgeSeconds ?? 0), "\(seen.fixAgeSeconds ?? -1) s")
      #expect(seen.fix?.position == place(metresNorth: 10))
    }
    #expect(try crossings(in: &valley) == 0, "an old fix raises no ENTER of now")

    // A fix of now answers the order.
    try report(10, 60, age: .about(milliseconds: 200), in: &valley)
    try valley.run(milliseconds: 10_000)
    try report(10, 70, age: .about(milliseconds: 200), in: &valley)
    try valley.converge()
    for name in valley.names {
      let seen = try kim(by: name, in: &valley)
      #expect(seen.status == .atAssembly, "by \(name)")
      #expect((seen.fixAgeSeconds ?? 99) < 60)
    }
  }

  @Test func `A phone that only signals stays in contact, with its old position`() throws {
    var valley = try valley()
    try valley.draw("Camp", .muster)
    try report(0, 0, in: &valley)
    var sent: Int64 = 0
    while sent < 1_500_000 {
      try valley.run(milliseconds: 9500)
      try contact(in: &valley)
      sent += 10_000
      guard sent % 250_000 == 0 else { continue }
      for name in valley.names {
        let seen = try kim(by: name, in: &valley)
        #expect(!seen.has(.noContact), "by \(name) after \(sent / 1000) s")
        #expect(seen.has(.oldPosition) == (sent > 600_000), "by \(name) after \(sent / 1000) s")
        #expect(seen.has(.atAssembly) == (sent <= 600_000), "by \(name) after \(sent / 1000) s")
        let age = try #require(seen.fixAgeSeconds)
        #expect(abs(age - sent / 1000) <= 15, "\(age) s after \(sent / 1000) s")
      }
    }
    // Silence is noticed after the setting, and not a minute later than that.
    let last = valley.now
    try valley.run(milliseconds: 595_000)
    for name in valley.names {
      #expect(try !kim(by: name, in: &valley).has(.noContact), "by \(name)")
    }
    try valley.run(milliseconds: 666_000 - valley.now.milliseconds(since: last))
    for name in valley.names {
      #expect(try kim(by: name, in: &valley).has(.noContact), "by \(name)")
    }
  }

  @Test func `A phone without any position is a person in contact`() throws {
    var valley = try valley()
    try contact(in: &valley)
    try valley.converge()
    for name in valley.names {
      let seen = try kim(by: name, in: &valley)
      #expect(seen.status == .noPosition && seen.fix == nil, "by \(name)")
      #expect(seen.fixAgeSeconds == nil)
    }
    // It satisfies no roll call.
    try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1).outcome
    }
    try contact(in: &valley)
    try valley.converge()
    #expect(try kim(by: "Ada", in: &valley).status == .ordered)
  }

  @Test func `An old fix outside ends no danger, a contact neither, and a new fix does`() throws {
    var valley = try valley()
    try valley.draw("Fire", .hazard)
    try report(0, 0, in: &valley)
    try report(5000, 10, age: .atLeast(milliseconds: 7_200_000), in: &valley)
    try report(5100, 20, age: .unknown, in: &valley)
    try valley.run(milliseconds: 120_000)
    try contact(in: &valley)
    // A node that has only the newest record shows the same.
    try valley.join("Cleo", invitedBy: "Ada")
    try valley.converge()
    for name in valley.names {
      #expect(try kim(by: name, in: &valley).has(.inHazard), "by \(name)")
    }
    try report(5000, 300, in: &valley)
    try valley.run(milliseconds: 120_000)
    try contact(in: &valley)
    try valley.converge()
    for name in valley.names {
      #expect(try !kim(by: name, in: &valley).has(.inHazard), "by \(name)")
    }
  }

  @Test func `A contact without a new fix ends no accounting`() throws {
    var valley = try valley()
    try valley.draw("Fire", .hazard)
    try report(0, 0, in: &valley)
    try valley.converge()
    let user = try kim(by: "Ada", in: &valley).id
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: user, .safe, note: "by radio"), now: $1)
    }
    try valley.converge()
    #expect(try kim(by: "Ada", in: &valley).status == .accountedFor)
    for _ in 0..<3 {
      try valley.run(milliseconds: 70_000)
      try contact(in: &valley)
    }
    try valley.converge()
    for name in valley.names {
      #expect(try kim(by: name, in: &valley).status == .accountedFor, "by \(name)")
    }
    try report(10, 300, in: &valley)
    try valley.converge()
    #expect(try kim(by: "Ada", in: &valley).status == .inHazard)
  }

  @Test func `Contacts are published at most once in the spacing, and survive a restart`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try report(0, 0, in: &valley)
    func counter() throws -> UInt64 {
      try valley.ask("Ada") { replica, _ in
        try replica.queries.latestRecords().filter { $0.kind == .trackerPosition }
          .map(\.order.counter).max() ?? 0
      }
    }
    var published: Set<UInt64> = [try counter()]
    for _ in 0..<60 {
      try valley.run(milliseconds: 4500)
      try contact(in: &valley)
      published.insert(try counter())
    }
    #expect((5...6).contains(published.count), "\(published.count) records in five minutes")
    try valley.restart("Ben")
    try contact(in: &valley)
    try valley.converge()
    let age = try #require(try kim(by: "Ada", in: &valley).fixAgeSeconds)
    #expect((295...400).contains(age), "\(age) s")
  }

  @Test func `A heartbeat's battery is published with the contact, not with each heartbeat`()
    throws
  {
    var valley = try valley()
    func heartbeat(_ percent: UInt8) throws -> UInt8? {
      try valley.at("Ben") {
        try $0.recordContact(ofTracker: "Kim", batteryPercent: percent, now: $1)
      }
      try valley.run(milliseconds: 1000)
      return try kim(by: "Ada", in: &valley).batteryPercent
    }
    #expect(try heartbeat(55) == 55, "the first message of a phone is published at once")
    #expect(try heartbeat(54) == 55, "the next one within the spacing is not")
    try valley.run(milliseconds: 60_000)
    #expect(try heartbeat(53) == 53)
  }

  @Test func `The silence setting of one phone decides when it is out of contact`() throws {
    var valley = try valley()
    try report(0, 0, in: &valley)
    try valley.converge()
    let user = try kim(by: "Ada", in: &valley).id
    try valley.at("Ada") {
      try $0.write(SettingRequests.setSilence(seconds: 1800, of: user), now: $1)
    }
    try valley.run(milliseconds: 1_500_000)
    for name in valley.names {
      #expect(try !kim(by: name, in: &valley).has(.noContact), "by \(name)")
    }
    try valley.run(milliseconds: 400_000)
    for name in valley.names {
      #expect(try kim(by: name, in: &valley).has(.noContact), "by \(name)")
    }
  }
}
