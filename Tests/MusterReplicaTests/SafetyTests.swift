import MusterModel
import MusterReplica
import MusterStore
import Testing

@Suite("Which statement decides")
struct SafetyTests {
  private func user(
    _ callsign: String, by name: String, in valley: inout Valley
  ) throws -> UserSummary {
    let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
    return try #require(users.first { $0.callsign == callsign })
  }

  private func expect(
    _ words: String, of callsign: String, in valley: inout Valley,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    for name in valley.names {
      let seen = try user(callsign, by: name, in: &valley)
      #expect("\(seen.safety): \(seen.reason)" == words, "by \(name)", sourceLocation: location)
    }
  }

  @Test func `command overrides seen claims, and the next claim supersedes that`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
    try valley.converge()
    try expect("unsafe: asked for help: leg", of: "Ben", in: &valley)

    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .safe, note: "in the tent"), now: $1)
    }
    try valley.converge()
    try expect("safe: accounted for by Ada: in the tent", of: "Ben", in: &valley)
    // Both statements are shown, with author and time.
    let seen = try user("Ben", by: "Ben", in: &valley)
    #expect(seen.selfReport?.claim == .needsHelp && seen.selfReport?.callsign == "Ben")
    #expect(seen.override?.claim == .safe && seen.override?.callsign == "Ada")

    // The same claim again is a new claim, and counts.
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
    try valley.converge()
    try expect("unsafe: asked for help: leg", of: "Ben", in: &valley)
    let later = try user("Ben", by: "Ada", in: &valley)
    #expect(later.override == nil)
  }

  @Test func `a help claim that command has not received is never hidden by its override`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
    try valley.converge()
    // Given a partition between them
    valley.cut(["Ada"], ["Ben"])
    try valley.at("Ben") {
      try $0.write(PersonRequests.claim(.needsHelp, note: "trapped"), now: $1)
    }
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .safe, note: ""), now: $1)
    }
    valley.heal()
    try valley.converge()
    try expect("unsafe: asked for help: trapped", of: "Ben", in: &valley)
    // Once received, it can be answered
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .safe, note: "freed"), now: $1)
    }
    try valley.converge()
    try expect("safe: accounted for by Ada: freed", of: "Ben", in: &valley)
    // And withdrawn
    try valley.at("Ada") { try $0.write(PersonRequests.withdrawOverride(of: ben), now: $1) }
    try valley.converge()
    try expect("unsafe: asked for help: trapped", of: "Ben", in: &valley)
  }

  @Test func `command's override that a person needs help wins over their concurrent claim`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    valley.cut(["Ada"], ["Ben"])
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .needsHelp, note: "seen fall"), now: $1)
    }
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
    valley.heal()
    try valley.converge()
    try expect("unsafe: needs help, reported by Ada: seen fall", of: "Ben", in: &valley)
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
    try valley.converge()
    try expect("safe: reported safe", of: "Ben", in: &valley)
  }

  @Test func `a call for help overtakes a backlog on a narrow link`() throws {
    // Given an hour's reports that wait for a link of two kilobytes a second
    var valley = try Valley.with("Ada", "Ben")
    valley.cut(["Ada"], ["Ben"])
    for number in 0..<300 {
      try valley.at("Ben") {
        try $0.write(
          ReportRequests.add(
            ReportDraft(title: "Report \(number)", details: String(repeating: "word ", count: 60))),
          now: $1)
      }
    }
    let rate = try #require(LinkRate(bytesPerSecond: 2000))
    for name in valley.names {
      try valley.at(name) {
        try $0.limitLinks(to: rate, now: $1)
      }
    }
    valley.heal()
    try valley.run(milliseconds: 10_000)
    let before = try valley.ask("Ada") { try $0.status(now: $1) }.reports
    #expect(before < 300)

    // When Ben calls for help
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    let received = try valley.wait(upTo: 10_000) {
      try user("Ben", by: "Ada", in: &$0).status == .mayday
    }
    // Then Ada receives it within two seconds, long before the rest
    let milliseconds = try #require(received)
    #expect(milliseconds <= 2000)
    #expect(try valley.ask("Ada") { try $0.status(now: $1) }.reports < 300)
  }

  @Test func `command writes settings for all or for one, and they count everywhere`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let ben = valley.laptops[1].credentials.user
    var close = LocationProfile.foreground
    close.readingSeconds = 2
    var closer = close
    closer.sharesTrack = true
    try valley.at("Ada") {
      try $0.write(SettingRequests.setLocationProfile(close, of: nil, inForeground: true), now: $1)
    }
    try valley.at("Ada") {
      try $0.write(SettingRequests.setLocationProfile(closer, of: ben, inForeground: true), now: $1)
    }
    try valley.at("Ada") { try $0.write(SettingRequests.setSilence(seconds: 30, of: nil), now: $1) }
    try valley.converge()
    let profiles = try valley.names.map { name in
      try valley.ask(name) { replica, _ in try replica.queries.locationProfile(inForeground: true) }
    }
    #expect(profiles == [close, closer, close])
    let background = try valley.ask("Ben") { replica, _ in
      try replica.queries.locationProfile(inForeground: false)
    }
    #expect(background == .background)
    #expect(throws: Refusal.self) {
      try valley.at("Cleo") {
        try $0.write(SettingRequests.setSilence(seconds: 1, of: nil), now: $1)
      }
    }
    // After thirty seconds without contact the status is unknown
    try valley.at("Cleo") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 31_000)
    try expect("unknown: in contact", of: "Cleo", in: &valley)
    try valley.switchOff("Cleo")
    try valley.run(milliseconds: 31_000)
    for name in valley.names {
      let cleo = try #require(
        try valley.ask(name) { try $0.statuses(now: $1).users() }.first { $0.callsign == "Cleo" })
      #expect(cleo.status == .noContact, "\(cleo.reason) by \(name)")
    }
  }
}
