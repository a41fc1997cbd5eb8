import MusterModel
import MusterReplica
import Testing

@Suite("Orders")
struct OrderTests {
  private func refusal(_ command: () throws -> Void) -> String? {
    do {
      try command()
      return nil
    } catch { return "\(error)" }
  }

  private func zone(
    _ name: String, _ kind: FenceKind = .muster, metresNorth: Int64 = 0, in valley: inout Valley
  ) throws -> RowID {
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: name, kind: kind, geometry: circle(metres: 100, metresNorth: metresNorth))),
        now: $1)
    }
  }

  private func respondent(
    _ callsign: String, of id: RowID, by name: String, in valley: inout Valley
  ) throws -> Respondent? {
    try valley.ask(name) { try $0.statuses(now: $1).directive(id) }.people.first {
      $0.callsign == callsign
    }
  }

  @Test func `22.4: an assembly zone alone is no order; an order has zone, direction and deadline`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    let school = try zone("School", in: &valley)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: -1100, second: 1), now: $1) }
    try valley.converge()
    #expect(try valley.ask("Ben") { try $0.alerts(now: $1) } == [])

    let order = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .muster, zones: [school])), now: $1)
    }
    try valley.converge()
    let alerts = try valley.ask("Ben") { try $0.alerts(now: $1) }
    #expect(alerts.map(\.text) == ["go to School, 1.0 km north (0°)"])
    let shown = try valley.ask("Ben") { try $0.statuses(now: $1).directive(order) }
    #expect(shown.kind == .muster && shown.zones == [DirectiveZone(id: school, name: "School")])
    #expect(shown.deadline?.durationSeconds == 900)
    #expect(shown.deadline?.time == shown.createdAt.adding(seconds: 900))
    let ben = try respondent("Ben", of: order, by: "Ada", in: &valley)
    #expect(ben?.state == .unaccounted && ben?.direction?.zone.name == "School")

    // Inside the zone since the order, Ben is present, and the order is satisfied.
    try valley.run(milliseconds: 1000)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 10, second: 2), now: $1) }
    try valley.converge()
    try valley.run(milliseconds: 2000)
    #expect(try respondent("Ben", of: order, by: "Ada", in: &valley)?.state == .present)
    #expect(try valley.ask("Ben") { try $0.alerts(now: $1) } == [])
  }

  @Test func `an order that was read is not satisfied, until command accounts for the person`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    _ = try zone("School", in: &valley)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: -1000, second: 1), now: $1) }
    let order = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .evacuate)), now: $1)
    }
    try valley.converge()
    try valley.at("Ben") {
      try $0.write(OrderRequests.acknowledge(order, note: "", for: nil), now: $1)
    }
    try valley.converge()
    for name in valley.names {
      let shown = try valley.ask(name) { try $0.statuses(now: $1).directive(order) }
      let person = shown.people.first { $0.callsign == "Ben" }
      #expect(person?.state == .unaccounted && person?.answeredAt != nil, "by \(name)")
      #expect(person?.reason == "acknowledged" && person?.direction?.zone.name == "School")
    }
    // It alarms its reader no longer.
    #expect(try valley.ask("Ben") { try $0.alerts(now: $1) } == [])

    try valley.run(milliseconds: 1000)
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .safe, note: "On the bus"), now: $1)
    }
    try valley.converge()
    for name in valley.names {
      let person = try respondent("Ben", of: order, by: name, in: &valley)
      #expect(person?.state == .present && person?.answeredAt != nil, "by \(name)")
      #expect(person?.reason == "accounted for by Ada: On the bus")
    }
  }

  @Test func `command can account for a person whose position is in a hazard zone`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let ben = valley.laptops[1].credentials.user
    _ = try zone("Fire", .hazard, in: &valley)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    #expect(try respondent("Ben", of: call, by: "Ada", in: &valley)?.state == .unaccounted)

    try valley.run(milliseconds: 1000)
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .safe, note: "In the ambulance"), now: $1)
    }
    try valley.converge()
    for name in valley.names {
      let shown = try valley.ask(name) { try $0.statuses(now: $1).directive(call) }
      let person = shown.people.first { $0.callsign == "Ben" }
      #expect(person?.state == .present, "by \(name)")
      #expect(person?.reason == "accounted for by Ada: In the ambulance")
      #expect(shown.unaccounted.map(\.callsign) == ["Cleo"] && shown.answered == 1)
    }

    // The same after the roll call was closed
    try valley.at("Ada") { try $0.write(OrderRequests.close(call), now: $1) }
    try valley.converge()
    #expect(try respondent("Ben", of: call, by: "Cleo", in: &valley)?.state == .present)
  }

  @Test func `a sign-off settles an open order, and is never shown as unaccounted`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let (ben, cleo) = (valley.laptops[1].credentials.user, valley.laptops[2].credentials.user)
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 1000)
    for user in [ben, cleo] {
      try valley.at("Ada") {
        try $0.write(PersonRequests.overrideSafety(of: user, .safe, note: ""), now: $1)
      }
    }
    try valley.converge()
    try valley.at("Ada") {
      try $0.write(PersonRequests.signOff(cleo, reason: "home", isConfirmed: true), now: $1)
    }
    try valley.converge()
    for name in valley.names {
      let shown = try valley.ask(name) { try $0.statuses(now: $1).directive(call) }
      #expect(shown.unaccounted == [] && shown.answered == 2 && shown.expected.count == 2)
      let person = shown.people.first { $0.callsign == "Cleo" }
      #expect(person?.state == .signedOff && person?.reason == "signed off: home", "by \(name)")
    }
    let done = try valley.ask("Ada") { try $0.alerts(now: $1) }.filter { $0.id.kind == .orderDone }
    #expect(done.map(\.text) == ["roll call: everyone is accounted for (2 of 2)"])

    // An order that names her later counts
    let later = try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .rollcall, addressees: .users([cleo]))), now: $1)
    }
    try valley.converge()
    #expect(try respondent("Cleo", of: later, by: "Ben", in: &valley)?.state == .unaccounted)
  }

  @Test func `only a fix inside the named zones makes a person present`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let school = try zone("School", in: &valley)
    let church = try zone("Church", metresNorth: 2000, in: &valley)
    let named = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .evacuate, zones: [church])), now: $1)
    }
    let open = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 60_000)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.converge()
    try valley.run(milliseconds: 2000)
    #expect(try respondent("Ben", of: named, by: "Ada", in: &valley)?.state == .unaccounted)
    // Being observed answers no roll call
    let seen = try respondent("Ben", of: open, by: "Ada", in: &valley)
    #expect(seen?.state == .unaccounted)
    #expect(seen?.reason == "seen inside School, has not answered")
    try valley.at("Ada") { try $0.write(FenceRequests.setActive(school, false), now: $1) }
    try valley.converge()
    let later = try respondent("Ben", of: open, by: "Ada", in: &valley)
    #expect(later?.reason.contains("School") == false)
  }

  @Test func `an order supersedes the open ones of its audience, and no others`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Cleo") { try $0.write(PersonRequests.setTeam("North", of: nil), now: $1) }
    try valley.converge()
    func order(_ kind: DirectiveKind, _ addressees: Addressees) throws -> RowID {
      try valley.at("Ada") {
        try $0.write(
          OrderRequests.issue(DirectiveDraft(kind: kind, addressees: addressees)), now: $1)
      }
    }
    let first = try order(.muster, .everyone)
    let team = try order(.muster, .team("North"))
    let call = try order(.rollcall, .everyone)
    let second = try order(.evacuate, .everyone)
    try valley.converge()
    for name in valley.names {
      let shown = try valley.ask(name) { try $0.statuses(now: $1).directives() }
      let byID = Dictionary(uniqueKeysWithValues: shown.map { ($0.id, $0) })
      #expect(byID[first]?.status == .closed && byID[first]?.supersededBy == second)
      #expect(byID[second]?.supersedes == [first] && byID[second]?.status == .open)
      #expect(byID[team]?.status == .open && byID[call]?.status == .open)
    }
    let third = try order(.muster, .everyone)
    #expect(
      try valley.ask("Ada") { try $0.statuses(now: $1).directive(third) }.supersedes == [second])
  }

  @Test func `22.8: a roll call addresses known people, and lists late arrivals separately`() throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ben") {
      try $0.ingest(fix(metresNorth: 0, second: 1), ofTracker: "Phone", now: $1)
    }
    try valley.converge()
    let call = try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .rollcall, durationSeconds: 60)), now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 61_000)
    try valley.at("Ben") {
      try $0.ingest(fix(metresNorth: 0, second: 70), ofTracker: "Late phone", now: $1)
    }
    try valley.converge()
    for name in valley.names {
      let shown = try valley.ask(name) { try $0.statuses(now: $1).directive(call) }
      #expect(shown.expected.map(\.callsign) == ["Ben", "Cleo", "Phone"])
      #expect(shown.unaccounted.map(\.callsign) == ["Ben", "Cleo", "Phone"])
      #expect(shown.lateArrivals.map(\.callsign) == ["Late phone"])
      #expect(shown.lateArrivals.map(\.state) == [.late] && shown.lateArrivals[0].isTracker)
    }
  }

  @Test func `an answer is withdrawn by its author, and by command`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    func waiting(_ answered: Bool) throws -> RowID {
      try valley.ask("Ben") {
        try $0.statuses(now: $1).directive(waitingFor: nil, answered: answered)
      }
    }
    #expect(try waiting(false) == call)
    #expect(refusal { _ = try waiting(true) } == "you: no open order is answered")
    try valley.at("Ben") {
      try $0.write(OrderRequests.acknowledge(call, note: "", for: nil), now: $1)
    }
    try valley.converge()
    #expect(try respondent("Ben", of: call, by: "Ada", in: &valley)?.state == .acknowledged)
    #expect(refusal { _ = try waiting(false) } == "no open order waits for you")
    #expect(try waiting(true) == call)
    try valley.at("Ben") {
      try $0.write(OrderRequests.withdrawAcknowledgement(call, of: nil), now: $1)
    }
    try valley.converge()
    #expect(try respondent("Ben", of: call, by: "Ada", in: &valley)?.state == .unaccounted)

    try valley.at("Ada") {
      try $0.write(OrderRequests.acknowledge(call, note: "radio", for: ben), now: $1)
    }
    try valley.converge()
    #expect(
      refusal {
        try valley.at("Ben") {
          try $0.write(OrderRequests.withdrawAcknowledgement(call, of: nil), now: $1)
        }
      } == "command answered for you: only command can withdraw that")
    try valley.at("Ada") {
      try $0.write(OrderRequests.withdrawAcknowledgement(call, of: ben), now: $1)
    }
    try valley.converge()
    #expect(try respondent("Ben", of: call, by: "Ben", in: &valley)?.state == .unaccounted)
    #expect(
      refusal {
        try valley.at("Ada") {
          try $0.write(OrderRequests.withdrawAcknowledgement(call, of: ben), now: $1)
        }
      } == "Ben has not answered order \(call.short): there is nothing to withdraw")
  }

  @Test
  func `an answer without an id is for the newest roll call, and for no other order of several`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    func waiting() throws -> RowID {
      try valley.ask("Ben") { try $0.statuses(now: $1).directive(waitingFor: nil, answered: false) }
    }
    func issue(_ kind: DirectiveKind, _ text: String = "") throws -> RowID {
      try valley.run(milliseconds: 1000)
      let id = try valley.at("Ada") {
        try $0.write(OrderRequests.issue(DirectiveDraft(kind: kind, text: text)), now: $1)
      }
      try valley.converge()
      return id
    }
    _ = try issue(.message, "Water at the school")
    _ = try issue(.message, "Food at the school")
    #expect(refusal { _ = try waiting() }?.hasPrefix("2 open orders: name one of") == true)
    let first = try issue(.rollcall)
    #expect(try waiting() == first)
    let second = try issue(.rollcall)
    #expect(try waiting() == second)
    // An answer to it is for the one that it replaced too.
    try valley.at("Ben") {
      try $0.write(OrderRequests.acknowledge(second, note: "", for: nil), now: $1)
    }
    try valley.converge()
    #expect(refusal { _ = try waiting() }?.hasPrefix("2 open orders: name one of") == true)
  }

  @Test func `an answer without an id applies to a directive that an answer satisfies`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .evacuate)), now: $1)
    }
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    let waiting = try valley.ask("Ben") {
      try $0.statuses(now: $1).directive(waitingFor: nil, answered: false)
    }
    #expect(waiting == call)
  }

  @Test func `a zone and its order are one commit, the order first`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let draft = FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))
    var made: (fence: RowID, directive: RowID)?
    try valley.ask("Ada") { replica, now in
      made = try replica.write(
        OrderRequests.issue(DirectiveDraft(kind: .muster), to: draft), now: now
      ).answer
    }
    let (fence, directive) = try #require(made)
    try valley.converge()
    let shown = try valley.ask("Ben") { try $0.statuses(now: $1).directive(directive) }
    #expect(shown.zones == [DirectiveZone(id: fence, name: "School")])
    let info = FenceDraft(name: "Car park", kind: .info, geometry: circle(metres: 100))
    #expect(
      refusal {
        try valley.ask("Ada") {
          _ = try $0.write(OrderRequests.issue(DirectiveDraft(kind: .muster), to: info), now: $1)
        }
      } == "people can only be sent to an assembly zone: make it of kind muster")
  }

  @Test func `an invalid order is rejected with a remedy, and nothing is written`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    let plume = try zone("Plume", .hazard, in: &valley)
    let closed = try zone("Old mill", in: &valley)
    try valley.at("Ada") { try $0.write(FenceRequests.setActive(closed, false), now: $1) }
    let unknown = RowID(raw: Bytes16(high: 1, low: 1))
    let ben = valley.laptops[1].credentials.user
    let before = try valley.ask("Ada") { replica, _ in try replica.queries.framesHeld() }
    let cases: [(DirectiveDraft, String)] = [
      (DirectiveDraft(kind: .muster, zones: [unknown]), "has not arrived here"),
      (DirectiveDraft(kind: .muster, zones: [plume]), "name an assembly zone"),
      (DirectiveDraft(kind: .evacuate, zones: [closed]), "activate it first"),
      (DirectiveDraft(kind: .message, text: "x", zones: [plume]), "name none"),
      (DirectiveDraft(kind: .muster, durationSeconds: 0), "such as 15m"),
      (DirectiveDraft(kind: .rollcall, durationSeconds: 604_801), "such as 15m"),
      (DirectiveDraft(kind: .muster, addressees: .team("South")), "no one is in team South"),
      (DirectiveDraft(kind: .muster, addressees: .role(.observer)), "no one of role observer"),
      (DirectiveDraft(kind: .muster, addressees: .users([])), "at least one person"),
    ]
    for (draft, words) in cases {
      let said = refusal {
        try valley.at("Ada") { try $0.write(OrderRequests.issue(draft), now: $1) }
      }
      #expect(said?.contains(words) == true, "\(said ?? "issued"), not \(words)")
    }
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.framesHeld() } == before)
    try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .muster, addressees: .users([ben]))), now: $1)
    }
  }

  @Test func `a zone is named by a unique name, or by its id`() throws {
    var valley = try Valley.with("Ada")
    let school = try zone("School", in: &valley)
    for _ in 0..<2 { _ = try zone("Church", metresNorth: 900, in: &valley) }
    func named(_ reference: String) throws -> RowID {
      try valley.ask("Ada") { replica, _ in try replica.queries.zone(named: reference) }
    }
    for name in ["School", "school", school.short, "\(school)"] {
      #expect(try named(name) == school)
    }
    #expect(
      refusal { _ = try named("Church") }?.hasPrefix("2 zones are called Church: name one of")
        == true)
    #expect(
      refusal { _ = try named("Mill") }
        == "no zone is called Mill, or has an id that begins so: see muster zone list")
  }

  @Test func `a zone has a review time, and its alerts can be switched off`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let plume = try zone("Plume", .hazard, in: &valley)
    func shown() throws -> FenceSummary {
      try valley.converge()
      return try #require(
        try valley.ask("Ben") { replica, _ in try replica.queries.fences() }.first)
    }
    #expect(try shown().reviewAt == nil && shown().alertsEntry)
    let due = valley.clock.wall.adding(seconds: 7200)
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.edit(plume, FenceChanges(reviewSeconds: 7200, alertsEntry: false)), now: $1)
    }
    #expect(try shown().reviewAt == due && !shown().alertsEntry)
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.edit(plume, FenceChanges(reviewSeconds: 0, alertsEntry: true)), now: $1)
    }
    #expect(try shown().reviewAt == nil && shown().alertsEntry)
  }
}
