import MusterGeo
import MusterModel
import MusterReplica
import MusterTestKit
import Testing

@Suite("Phones that a node records, and fixes of different importance")
struct TrackerTests {
  private struct Event: Hashable {
    let type: CrossingType
    let callsign: String
    let second: Int64
  }

  private func events(_ name: String, in valley: inout Valley) throws -> [Event] {
    try valley.ask(name) { replica, _ in try replica.queries.crossings(after: nil, limit: 100) }.map
    {
      Event(
        type: $0.type, callsign: $0.callsign,
        second: ($0.sampleTime.milliseconds - 1_600_000_000_000) / 1000)
    }
  }

  private func withFence() throws -> Valley {
    var valley = try Valley.with("Ada", "Ben")
    try valley.draw("School", .muster)
    return valley
  }

  private func report(
    _ tracker: String, at metres: Int64, second: Int64, by name: String, in valley: inout Valley
  ) throws {
    try valley.at(name) {
      try $0.ingest(
        fix(metresNorth: metres, second: second), ofTracker: tracker, now: $1)
    }
    try valley.run(milliseconds: 500)
  }

  @Test func `a position without a key to seal it is published once there is one`() throws {
    // Given Ben, who learns by a relay that Cleo is revoked, and has no key that excludes her
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try valley.join("Relay", invitedBy: "Ada", role: .relay)
    try report("truck", at: 0, second: 0, by: "Ben", in: &valley)
    try valley.converge()
    valley.cut(["Ada", "Relay"], ["Ben"], ["Cleo"])
    let cleo = try valley.ask("Cleo") { replica, _ in replica.device }
    try valley.at("Ada") { try $0.revoke(cleo, now: $1) }
    try valley.run(milliseconds: 20_000)
    valley.cut(["Ada"], ["Ben", "Relay"], ["Cleo"])
    let known = try valley.wait(upTo: 60_000) {
      try $0.ask("Ben") { replica, _ in try replica.queries.devices() }.contains { $0.isRevoked }
    }
    try #require(known != nil)

    // When his phone and he himself report a position once, and his device restarts
    try valley.at("Ben") {
      try $0.ingest(fix(metresNorth: 70, second: 9), ofTracker: "truck", now: $1)
    }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 30, second: 9), now: $1) }
    try valley.restart("Ben")
    valley.cut(["Ada", "Ben", "Relay"], ["Cleo"])

    // Then all receive it
    let expected = ["Ben": place(metresNorth: 30), "truck": place(metresNorth: 70)]
    let reported = try valley.wait(upTo: 60_000) { valley in
      let users = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
      return expected.allSatisfy { callsign, place in
        users.first { $0.callsign == callsign }?.fix?.position == place
      }
    }
    #expect(reported != nil)
  }

  @Test func `phones have their own positions and crossings, on every node`() throws {
    var valley = try withFence()
    for (second, metres) in [(0, 300), (10, 50), (20, 300)] as [(Int64, Int64)] {
      try report("truck", at: metres, second: second, by: "Ben", in: &valley)
      try report("drone", at: 0, second: second, by: "Ben", in: &valley)
    }
    try valley.converge()
    let expected: Set = [
      Event(type: .enter, callsign: "truck", second: 10),
      Event(type: .exit, callsign: "truck", second: 20),
      Event(type: .enter, callsign: "drone", second: 0),
    ]
    for name in valley.names {
      #expect(Set(try events(name, in: &valley)) == expected)
      let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
      let truck = users.first { $0.callsign == "truck" }
      #expect(truck?.fix?.position == place(metresNorth: 300))
      #expect(truck?.isTracker == true)
      #expect(users.count == 4)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.trackerNames() } == [
        "drone", "truck",
      ])
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.trackerNames() } == [])
  }

  @Test func `phones of one name at two nodes are two, and a late fix changes no state`() throws {
    var valley = try withFence()
    try report("truck", at: 50, second: 10, by: "Ben", in: &valley)
    try report("truck", at: 300, second: 10, by: "Ada", in: &valley)
    try report("truck", at: 300, second: 5, by: "Ben", in: &valley)
    try valley.converge()
    let users = try valley.ask("Ada") { try $0.statuses(now: $1).users() }.filter {
      $0.callsign == "truck"
    }
    #expect(Set(users.map(\.id)).count == 2)
    #expect(
      Set(users.map(\.fix?.position)) == [place(metresNorth: 50), place(metresNorth: 300)])
    #expect(try events("Ada", in: &valley).map(\.type) == [.enter])
  }

  @Test func `a late or repeated report of a phone is in its track once`() throws {
    var valley = try withFence()
    let reported: [(second: Int64, metres: Int64)] = [
      (10, 300), (40, 320), (20, 0), (30, 50), (20, 0), (40, 320),
    ]
    for (second, metres) in reported {
      try report("truck", at: metres, second: second, by: "Ben", in: &valley)
    }
    try valley.converge()
    let truck = try #require(
      try valley.ask("Ben") { try $0.statuses(now: $1).users() }.first { $0.callsign == "truck" })
    let way = try valley.ask("Ben") { replica, _ in
      try replica.queries.track(ofTracker: RowID(raw: truck.id.raw), limit: 10)
    }
    #expect(
      way == [(10, 300), (20, 0), (30, 50), (40, 320)].map { fix(metresNorth: $1, second: $0) })
    // It was inside in between, which is past.
    #expect(try events("Ada", in: &valley) == [])
    #expect(truck.fix?.position == place(metresNorth: 320))
  }

  @Test func `an excluded fence has no events of that phone until it is evaluated again`() throws {
    var valley = try withFence()
    let school = try #require(
      try valley.ask("Ben") { replica, _ in try replica.queries.fences() }.first)
    for (metres, second, isExcluded) in [
      (300, 10, true), (0, 20, true), (0, 30, false), (300, 40, true), (0, 50, true),
    ] {
      let fix = fix(metresNorth: Int64(metres), second: Int64(second))
      try valley.at("Ben") {
        try $0.ingest(
          fix, ofTracker: "truck", without: isExcluded ? [school.id] : [], now: $1)
      }
      try valley.run(milliseconds: 500)
    }
    try valley.converge()
    #expect(
      try events("Ada", in: &valley) == [Event(type: .enter, callsign: "truck", second: 30)])
  }

  @Test func `a cleared track is empty, and the newest position stays`() throws {
    var valley = try withFence()
    for second in [10, 20] as [Int64] {
      try report("truck", at: 300, second: second, by: "Ben", in: &valley)
      try report("van", at: 300, second: second, by: "Ben", in: &valley)
    }
    try valley.at("Ben") { try $0.clearTrack(ofTracker: "truck", now: $1) }
    let trackers = try valley.ask("Ben") { replica, _ in try replica.queries.trackers() }
    #expect(Set(trackers.keys) == ["truck", "van"])
    for (name, count) in [("truck", 0), ("van", 2)] {
      let user = try #require(trackers[name])
      let track = try valley.ask("Ben") { replica, _ in
        try replica.queries.track(of: user, limit: 10)
      }
      #expect(track.count == count)
      let person = try valley.ask("Ben") { try $0.statuses(now: $1).users() }
        .first { $0.id == user }
      #expect(person?.fix?.position == place(metresNorth: 300))
    }
  }

  @Test func `the people inside a fence are listed by name, phones too`() throws {
    var valley = try withFence()
    try report("truck", at: 0, second: 0, by: "Ben", in: &valley)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 20, second: 0), now: $1) }
    try valley.converge()
    for name in valley.names {
      let inside = try valley.ask(name) { replica, _ in try replica.queries.fences() }.map(\.inside)
      #expect(inside == [["Ben", "truck"]])
    }
  }

  @Test func `fixes of several phones share a commit, and each crosses as if it were alone`()
    throws
  {
    var valley = try withFence()
    let frames = try valley.ask("Ben") { replica, _ in try replica.queries.framesHeld() }
    let fixes = [(0, 300), (10, 50), (20, 300)].flatMap { second, metres in
      ["truck", "drone"].map {
        TrackedFix(fix(metresNorth: metres, second: second), of: $0, isMoving: nil)
      }
    }
    let refusals = try valley.at("Ben") { try $0.ingest(fixes, now: $1) }
    #expect(refusals == [Refusal?](repeating: nil, count: 6))
    // Alone they were six, besides the opening of the log.
    let after = try valley.ask("Ben") { replica, _ in try replica.queries.framesHeld() }
    #expect(after - frames <= 3)
    try valley.converge()
    for name in valley.names {
      let seen = try events(name, in: &valley)
      for callsign in ["truck", "drone"] {
        let own = seen.filter { $0.callsign == callsign }
        #expect(own.map(\.type) == [.enter, .exit] && own.map(\.second) == [10, 20])
      }
    }
    let track = try valley.ask("Ben") { replica, _ in
      try replica.queries.track(
        ofTracker: replica.queries.trackerRow(named: "truck"), limit: 9)
    }
    #expect(track.count == 3)
  }

  @Test func `a team can be left, by a phone too`() throws {
    var valley = try withFence()
    try report("truck", at: 0, second: 0, by: "Ben", in: &valley)
    try valley.converge()
    func teams() throws -> [String] {
      try valley.ask("Ben") { try $0.statuses(now: $1).users() }.map(\.team).sorted()
    }
    let people = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    for team in ["North", ""] {
      for person in people where person.callsign != "Ada" {
        try valley.at("Ada") { try $0.write(PersonRequests.setTeam(team, of: person.id), now: $1) }
      }
      try valley.converge()
      #expect(try teams() == ["", team, team])
    }
    // Leaving none changes nothing.
    let frames = try valley.ask("Ada") { replica, _ in try replica.queries.framesHeld() }
    try valley.at("Ada") { try $0.write(PersonRequests.setTeam("", of: nil), now: $1) }
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.framesHeld() } == frames)
  }

  // MARK: The device's own fixes

  @Test func `a fix that is only evaluated costs nothing unless it shows a crossing`() throws {
    var valley = try withFence()
    func take(_ metres: Int64, _ second: Int64, _ handling: LocationFilter.Handling) throws {
      try valley.at("Ben") {
        try $0.ingest(
          fix(metresNorth: metres, second: second), as: handling, stepsBack: false, now: $1)
      }
    }
    func place(of name: String) throws -> Coordinate? {
      try valley.ask("Ben") { try $0.statuses(now: $1).users() }.first { $0.callsign == name }?.fix?
        .position
    }
    try take(300, 0, .published)
    try take(250, 1, .watched)
    #expect(try place(of: "Ben") == MusterReplicaTests.place(metresNorth: 300))
    try take(240, 2, .kept)
    #expect(try place(of: "Ben") == MusterReplicaTests.place(metresNorth: 300))
    // It crosses the edge: all are notified at once.
    try take(50, 3, .watched)
    #expect(try place(of: "Ben") == MusterReplicaTests.place(metresNorth: 50))
    #expect(try events("Ben", in: &valley).map(\.second) == [3])
    try valley.converge()
    #expect(try events("Ada", in: &valley).map(\.second) == [3])
  }

  @Test func `a receiver's clock that was set back hides no crossing`() throws {
    var valley = try withFence()
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 300, second: 90_000), now: $1) }
    try valley.at("Ben") {
      try $0.ingest(
        fix(metresNorth: 0, second: 10), as: .published, stepsBack: true, now: $1)
    }
    #expect(try events("Ben", in: &valley).map(\.second) == [10])
  }
}
