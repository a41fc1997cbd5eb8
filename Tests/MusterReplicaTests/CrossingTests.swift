import MusterGeo
import MusterModel
import MusterReplica
import MusterStore
import MusterTestKit
import Testing

@Suite("Entering and leaving zones")
struct CrossingTests {
  private struct Event: Hashable {
    let type: CrossingType
    let second: Int64
    let isBaseline: Bool
    let callsign: String
    let fence: String
  }

  private func events(_ name: String, in valley: inout Valley) throws -> [Event] {
    try valley.ask(name) { replica, _ in try replica.queries.crossings(after: nil, limit: 100) }.map
    {
      Event(
        type: $0.type, second: ($0.sampleTime.milliseconds - 1_600_000_000_000) / 1000,
        isBaseline: $0.isBaseline, callsign: $0.callsign, fence: $0.fenceName)
    }
  }

  private func walk(
    _ name: String, _ steps: [(second: Int64, metresNorth: Int64)], in valley: inout Valley
  ) throws {
    for step in steps {
      try valley.at(name) {
        try $0.ingest(fix(metresNorth: step.metresNorth, second: step.second), now: $1)
      }
      try valley.run(milliseconds: 1000)
    }
  }

  private func withFence(
    _ kind: FenceKind = .muster, in folder: TemporaryFolder? = nil, dwellSeconds: UInt32 = 0,
    mode: FenceMode = .careful
  ) throws -> Valley {
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "School", kind: kind, geometry: circle(metres: 100), dwellSeconds: dwellSeconds,
            mode: mode)), now: $1)
    }
    try valley.converge()
    return valley
  }

  @Test func `every node reports each ENTER and EXIT once, with the track's own times`() throws {
    var valley = try withFence()

    try walk(
      "Ben", [(0, 300), (10, 200), (20, 50), (30, -50), (40, -200), (50, -300), (60, 0)],
      in: &valley)
    try valley.converge()

    let expected = [
      Event(type: .enter, second: 20, isBaseline: false, callsign: "Ben", fence: "School"),
      Event(type: .exit, second: 40, isBaseline: false, callsign: "Ben", fence: "School"),
      Event(type: .enter, second: 60, isBaseline: false, callsign: "Ben", fence: "School"),
    ]
    for name in valley.names {
      #expect(try events(name, in: &valley) == expected)
      // The streamed events equal the stored ones.
      let reported = valley.laptops[valley.index(name)].crossings
      let kept = try valley.ask(name) { replica, _ in
        try replica.queries.crossings(after: nil, limit: 9)
      }
      #expect(reported == kept)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  @Test func `a reader resumes after the last crossing that it received`() throws {
    var valley = try withFence()
    try walk("Ben", [(0, 300), (10, 0), (20, 300), (30, 0)], in: &valley)
    try valley.converge()

    let first = try valley.ask("Ada") { replica, _ in
      try replica.queries.crossings(after: nil, limit: 2)
    }
    let rest = try valley.ask("Ada") { replica, _ in
      try replica.queries.crossings(after: first.last?.arrival, limit: 100)
    }

    #expect(first.map(\.type) == [.enter, .exit])
    #expect(rest.map(\.type) == [.enter])
  }

  @Test func `a subject that is inside at the first fix entered at an unknown time`() throws {
    var valley = try withFence()

    try walk("Ben", [(0, 10), (10, 20)], in: &valley)
    try valley.converge()

    let expected = [
      Event(type: .enter, second: 0, isBaseline: true, callsign: "Ben", fence: "School")
    ]
    for name in valley.names { #expect(try events(name, in: &valley) == expected) }
  }

  @Test func `a restart between fixes loses no state`() throws {
    let folder = try TemporaryFolder()
    var valley = try withFence(in: folder)
    try walk("Ben", [(0, 300), (10, 50)], in: &valley)

    try valley.restart("Ben")
    try walk("Ben", [(20, 40)], in: &valley)
    try valley.restart("Ben", start: .startsIncarnation(above: 0))
    try walk("Ben", [(30, 30), (40, 300)], in: &valley)
    try valley.converge()

    for name in valley.names {
      #expect(try events(name, in: &valley).map(\.type) == [.enter, .exit])
      #expect(try events(name, in: &valley).map(\.second) == [10, 40])
    }
  }

  @Test func `an ENTER waits for the dwell time of its fence, over restarts too`() throws {
    let folder = try TemporaryFolder()
    var valley = try withFence(in: folder, dwellSeconds: 30)
    try walk("Ben", [(0, 300), (10, 0), (20, 300), (30, 0)], in: &valley)
    try valley.restart("Ben")
    try walk("Ben", [(50, 0), (59, 0)], in: &valley)
    #expect(try events("Ben", in: &valley) == [])

    try walk("Ben", [(60, 0), (70, 300)], in: &valley)
    try valley.converge()

    for name in valley.names {
      #expect(try events(name, in: &valley).map(\.type) == [.enter, .exit])
      #expect(try events(name, in: &valley).map(\.second) == [60, 70])
    }
  }

  @Test func `a fix that is only evaluated starts the dwell time, also over a restart`()
    throws
  {
    let folder = try TemporaryFolder()
    var valley = try withFence(in: folder, dwellSeconds: 30)
    func watch(metresNorth: Int64, second: Int64) throws {
      try valley.at("Ben") {
        try $0.ingest(
          fix(metresNorth: metresNorth, second: second), as: .watched, stepsBack: false, now: $1)
      }
    }
    try watch(metresNorth: 300, second: 0)
    try watch(metresNorth: 0, second: 10)
    try valley.restart("Ben")
    try watch(metresNorth: 0, second: 20)
    try watch(metresNorth: 0, second: 40)
    try valley.converge()
    for name in valley.names { #expect(try events(name, in: &valley).map(\.second) == [40]) }
    // Only the fix that showed the crossing belongs to the track.
    let store = valley.laptops[valley.index("Ben")].store
    #expect(try store.track(Timestamp(milliseconds: 0)...Timestamp(milliseconds: .max)).count == 1)
  }

  @Test(arguments: [(FenceMode.careful, [Int64(30)]), (.strictAWS, [20])])
  func `a fence's mode sets the evidence for an EXIT`(mode: FenceMode, exits: [Int64]) throws {
    var valley = try withFence(mode: mode)
    for second in stride(from: Int64(0), through: 30, by: 10) {
      let vague = fix(metresNorth: second < 20 ? 0 : 110, second: second, accuracyMetres: 50)
      try valley.at("Ben") { try $0.ingest(vague, now: $1) }
    }
    try valley.converge()
    for name in valley.names {
      #expect(try events(name, in: &valley).filter { $0.type == .exit }.map(\.second) == exits)
    }
  }

  @Test func `a late fix extends the track and never changes the current state`() throws {
    var valley = try withFence()
    try walk("Ben", [(0, 300), (100, 50)], in: &valley)
    try valley.converge()
    let before = try valley.hashes()

    try walk("Ben", [(50, -400), (99, 400), (100, 400)], in: &valley)
    try valley.converge()

    #expect(try valley.hashes() == before)
    for name in valley.names {
      let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
      let ben = try #require(users.first { $0.callsign == "Ben" })
      #expect(ben.safety == .safe)
      #expect(ben.fix?.position == place(metresNorth: 50))
    }
    let store = valley.laptops[valley.index("Ben")].store
    #expect(try store.track(Timestamp(milliseconds: 0)...Timestamp(milliseconds: .max)).count == 5)
  }

  @Test func `a deactivated fence yields no EXIT, and an ENTER when activated again`() throws {
    var valley = try withFence()
    try walk("Ben", [(0, 300), (10, 0)], in: &valley)
    let fences = try valley.ask("Ada") { replica, _ in try replica.queries.fences() }
    let fence = try #require(fences.first)
    #expect(fence.inside == ["Ben"])

    try valley.at("Ada") { try $0.write(FenceRequests.setActive(fence.id, false), now: $1) }
    try valley.converge()
    try walk("Ben", [(20, 0)], in: &valley)
    try valley.at("Ada") { try $0.write(FenceRequests.setActive(fence.id, true), now: $1) }
    try valley.converge()
    try walk("Ben", [(30, 0)], in: &valley)
    try valley.converge()

    for name in valley.names {
      #expect(try events(name, in: &valley).map(\.isBaseline) == [false, true])
      #expect(try events(name, in: &valley).map(\.second) == [10, 30])
    }
  }

  // MARK: Safety

  private func ben(
    seenBy name: String, in valley: inout Valley
  ) throws -> UserSummary {
    let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
    return try #require(users.first { $0.callsign == "Ben" })
  }

  @Test func `every node shows the same safety of a person, with reason and age`() throws {
    var valley = try withFence()
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "Fire", kind: .hazard, geometry: circle(metres: 100, metresNorth: 1000))), now: $1
      )
    }
    try valley.converge()
    func expect(
      _ state: SafetyState, _ reason: String, after milliseconds: Int64 = 2000
    ) throws {
      try valley.run(milliseconds: milliseconds)
      for name in valley.names {
        let ben = try ben(seenBy: name, in: &valley)
        #expect(ben.safety == state)
        #expect(ben.reason == reason)
      }
    }
    func step(_ second: Int64, _ metresNorth: Int64) throws {
      try valley.at("Ben") {
        try $0.ingest(fix(metresNorth: metresNorth, second: second), now: $1)
      }
    }

    try expect(.unknown, "no usable position", after: 60_000)
    try step(0, 500)
    try expect(.unknown, "in contact")
    try step(1, 1000)
    try expect(.unsafe, "inside hazard zone Fire")
    try step(2, 0)
    try expect(.safe, "at assembly zone School")
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: "burnt"), now: $1) }
    try expect(.unsafe, "asked for help: burnt")
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
    try expect(.safe, "at assembly zone School")
    #expect(try ben(seenBy: "Ada", in: &valley).fixAgeSeconds == 6)
  }

  @Test func `a person without contact for ten minutes is unknown on every node`() throws {
    var valley = try withFence()
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 0), now: $1) }
    valley.checksInvariants = false
    try valley.run(milliseconds: 600_000)
    #expect(try ben(seenBy: "Ada", in: &valley).safety == .safe)
    #expect(try ben(seenBy: "Ada", in: &valley).fixAgeSeconds == 600)

    try valley.switchOff("Ben")
    try valley.run(milliseconds: 610_000)

    for name in valley.names {
      let ben = try ben(seenBy: name, in: &valley)
      #expect(ben.safety == .unknown)
      #expect(ben.reason == "no contact for more than 10 min")
      #expect(ben.fixAgeSeconds == 1210)
    }
  }
}
