import MusterModel
import MusterReplica
import MusterStore
import Testing

@Suite("Directives")
struct DirectiveTests {
  private func people(
    _ id: RowID, by name: String, in valley: inout Valley
  ) throws -> [String: Respondent] {
    let directive = try valley.ask(name) { try $0.statuses(now: $1).directive(id) }
    return Dictionary(uniqueKeysWithValues: directive.people.map { ($0.callsign, $0) })
  }

  private func refusal(_ command: () throws -> Void) -> String? {
    do {
      try command()
      return nil
    } catch { return "\(error)" }
  }

  @Test func `a roll call shows on every device who answered, and who is unaccounted for`()
    throws
  {
    // Given an assembly zone at the school
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dan")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))),
        now: $1)
    }
    try valley.converge()

    // When Ada issues a roll call, Ben answers and Cleo walks to the school
    let deadline = Timestamp(milliseconds: valley.clock.wall.milliseconds + 600_000)
    let call = try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .rollcall, text: "gas", durationSeconds: 600)),
        now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 60_000)
    try valley.at("Ben") {
      try $0.write(OrderRequests.acknowledge(call, note: "by the river", for: nil), now: $1)
    }
    try valley.at("Cleo") { try $0.ingest(fix(metresNorth: 20, second: 1), now: $1) }
    try valley.converge()
    try valley.run(milliseconds: 2000)

    // Then all show the same, and Ada, who issued it, is not addressed
    for name in valley.names {
      let people = try people(call, by: name, in: &valley)
      #expect(people.keys.sorted() == ["Ben", "Cleo", "Dan"])
      #expect(people["Ben"]?.state == .acknowledged)
      #expect(people["Ben"]?.reason == "acknowledged: by the river")
      #expect(people["Cleo"]?.state == .unaccounted)
      #expect(people["Cleo"]?.reason == "seen inside School, has not answered")
      #expect(people["Dan"]?.state == .unaccounted)
      let directive = try valley.ask(name) { try $0.statuses(now: $1).directive(call) }
      #expect(directive.unaccounted.map(\.callsign) == ["Cleo", "Dan"])
      #expect(directive.deadline?.time == deadline && directive.callsign == "Ada")
      #expect(!directive.isOverdue(now: deadline))
      #expect(directive.isOverdue(now: Timestamp(milliseconds: deadline.milliseconds + 1)))
    }

    // And Dan, who answered by radio, is answered for by Ada and by no other
    let dan = valley.laptops[3].credentials.user
    #expect(
      refusal {
        try valley.at("Ben") {
          try $0.write(OrderRequests.acknowledge(call, note: "", for: dan), now: $1)
        }
      } == "this device's role is member; this requires command: ask someone of that role")
    try valley.at("Ada") {
      try $0.write(OrderRequests.acknowledge(call, note: "radio", for: dan), now: $1)
    }
    try valley.converge()
    let answer = try people(call, by: "Cleo", in: &valley)["Dan"]
    #expect(answer?.state == .acknowledged && answer?.answeredBy == "Ada")

    // And closed, it has no open answers
    try valley.at("Ada") { try $0.write(OrderRequests.close(call), now: $1) }
    try valley.converge()
    let closed = try valley.ask("Dan") { try $0.statuses(now: $1).directive(call) }
    #expect(closed.status == .closed && !closed.isOverdue(now: .init(milliseconds: .max)))
  }

  @Test func `a person seen before the roll call, or with a help claim, is not accounted for`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))),
        now: $1)
    }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.converge()
    try valley.run(milliseconds: 2000)
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.run(milliseconds: 2000)
    try valley.at("Cleo") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.at("Cleo") { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
    try valley.converge()
    try valley.run(milliseconds: 2000)

    let people = try people(call, by: "Ada", in: &valley)
    #expect(people["Ben"]?.state == .unaccounted)
    #expect(people["Cleo"]?.state == .unaccounted)
    #expect(people["Cleo"]?.reason == "asked for help: leg")
  }

  @Test func `only command issues directives, and only the audience is addressed`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    #expect(
      refusal {
        try valley.at("Ben") {
          try $0.write(OrderRequests.issue(DirectiveDraft(kind: .evacuate)), now: $1)
        }
      } == "this device's role is member; this requires command: ask someone of that role")
    #expect(
      refusal {
        try valley.at("Ada") {
          try $0.write(OrderRequests.issue(DirectiveDraft(kind: .message, text: " ")), now: $1)
        }
      } == "a message needs a text: write one")
    try valley.at("Cleo") { try $0.write(PersonRequests.setTeam("North", of: nil), now: $1) }
    try valley.converge()
    let ben = valley.laptops[1].credentials.user
    let asked: [(Addressees, [String])] = [
      (.everyone, ["Ben", "Cleo"]), (.team("North"), ["Cleo"]), (.role(.member), ["Ben", "Cleo"]),
      (.users([ben]), ["Ben"]),
    ]
    for (addressees, expected) in asked {
      let id = try valley.at("Ada") {
        try $0.write(
          OrderRequests.issue(DirectiveDraft(kind: .message, text: "soup", addressees: addressees)),
          now: $1)
      }
      try valley.converge()
      let found = try people(id, by: "Ben", in: &valley)
      #expect(found.keys.sorted() == expected)
    }
  }

  @Test func `a locate directive reaches its device once, and a fix answers it`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let (ben, cleo) = (valley.laptops[1].credentials.user, valley.laptops[2].credentials.user)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 2000)
    let id = try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .locate, addressees: .users([ben]))), now: $1)
    }
    try valley.converge()
    #expect(valley.laptops[1].demands == [id])
    #expect(valley.laptops[2].demands == [])
    #expect(cleo != ben)

    try valley.run(milliseconds: 1000)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 5, second: 2), now: $1) }
    try valley.converge()
    try valley.run(milliseconds: 2000)
    let answer = try people(id, by: "Ada", in: &valley)["Ben"]
    #expect(answer?.state == .present)
    #expect(valley.laptops[1].demands == [id])
  }

  @Test func `answers on both sides of a partition are all kept`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    valley.cut(["Ada", "Ben"], ["Cleo"])
    let ben = valley.laptops[1].credentials.user
    try valley.at("Ada") {
      try $0.write(OrderRequests.acknowledge(call, note: "radio", for: ben), now: $1)
    }
    try valley.at("Ben") {
      try $0.write(OrderRequests.acknowledge(call, note: "myself", for: nil), now: $1)
    }
    try valley.at("Cleo") {
      try $0.write(OrderRequests.acknowledge(call, note: "one", for: nil), now: $1)
    }
    try valley.at("Cleo") {
      try $0.write(OrderRequests.acknowledge(call, note: "two", for: nil), now: $1)
    }
    valley.heal()
    try valley.converge()
    for name in valley.names {
      let people = try people(call, by: name, in: &valley)
      // A person's own answer takes precedence over those of others for them.
      #expect(people["Ben"]?.reason == "acknowledged: myself")
      #expect(people["Ben"]?.answeredBy == nil)
      #expect(people["Cleo"]?.reason == "acknowledged: two")
    }
    #expect(try valley.ask("Cleo") { replica, _ in try replica.verify() }.problems == [])
  }
}
