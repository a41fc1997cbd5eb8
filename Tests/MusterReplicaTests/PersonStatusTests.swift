import MusterModel
import MusterReplica
import Testing

/// The status function with the input of a real node.
@Suite struct PersonStatusTests {
  private func person(
    _ callsign: String, by name: String, in valley: inout Valley
  ) throws -> UserSummary {
    let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
    return try #require(users.first { $0.callsign == callsign })
  }

  private func alerts(of name: String, in valley: inout Valley) throws -> [Alert] {
    try valley.ask(name) { try $0.alerts(now: $1) }
  }

  private func step(_ name: String, _ second: Int64, _ metresNorth: Int64, in valley: inout Valley)
    throws
  {
    try valley.at(name) {
      try $0.ingest(fix(metresNorth: metresNorth, second: second), now: $1)
    }
    try valley.converge()
  }

  @Test func `22.3: a member who enters a hazard zone raises an alert at command`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "Fire", kind: .hazard, geometry: circle(metres: 100))),
        now: $1)
    }
    try step("Ben", 1, 5000, in: &valley)
    #expect(try alerts(of: "Ada", in: &valley).filter { $0.id.kind == .inHazard }.isEmpty)
    try step("Ben", 2, 0, in: &valley)
    let raised = try alerts(of: "Ada", in: &valley).filter { $0.id.kind == .inHazard }
    #expect(raised.map(\.level) == [.danger])
    #expect(raised.first?.text == "Ben: inside hazard zone Fire")
    #expect(
      try alerts(of: "Cleo", in: &valley).filter { $0.id.kind == .inHazard }.isEmpty,
      "she is neither command nor in the zone")
    for name in valley.names {
      let ben = try person("Ben", by: name, in: &valley)
      #expect(ben.status == .inHazard && ben.severity == .danger && ben.safety == .unsafe)
    }
  }

  @Test func `a permit makes the own alert a warning, and its end a danger again`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    let fire = try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "Fire", kind: .hazard, geometry: circle(metres: 100))),
        now: $1)
    }
    let permit = try valley.at("Ada") {
      try $0.write(
        PermitRequests.issue(
          PermitDraft(people: [ben], team: "", zone: fire, durationSeconds: 600)), now: $1)
    }
    try step("Ben", 1, 0, in: &valley)
    func own() throws -> [String] {
      try alerts(of: "Ben", in: &valley).filter { $0.id.kind == .inHazard }
        .map { "\($0.level): \($0.text)" }
    }
    #expect(try own() == ["warning: you are inside hazard zone Fire, with an entry permit"])
    try valley.at("Ada") { try $0.write(PermitRequests.revoke(permit), now: $1) }
    try valley.converge()
    #expect(try own() == ["danger: you are inside hazard zone Fire"])
  }

  @Test func `22.4: a zone is no order, and command is notified when all satisfy an order`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))),
        now: $1)
    }
    try step("Ben", 1, 1000, in: &valley)
    #expect(try person("Ben", by: "Ada", in: &valley).status == .ok)

    try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .evacuate)), now: $1).outcome
    }
    try valley.converge()
    for name in valley.names {
      let ben = try person("Ben", by: name, in: &valley)
      #expect(ben.status == .ordered && ben.order?.zoneName == "School")
      let order = try #require(ben.order)
      #expect(order.distanceMetres.map { abs($0 - 900) <= 2 } == true, "\(order)")
      #expect(order.bearingDegrees == 180, "\(order)")
    }
    #expect(try alerts(of: "Ada", in: &valley).filter { $0.id.kind == .safe }.isEmpty)

    try valley.run(milliseconds: 60_000)
    try step("Ben", 2, 0, in: &valley)
    let ben = try person("Ben", by: "Ada", in: &valley)
    #expect(ben.status == .atAssembly && ben.order?.distanceMetres == 0, "\(ben)")
    let kinds = try alerts(of: "Ada", in: &valley).map(\.id.kind)
    #expect(kinds.contains(.safe) && kinds.contains(.orderDone), "\(kinds)")
  }

  @Test func `An unsatisfied order is unaccounted two minutes after its deadline`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))),
        now: $1)
    }
    // Ten years ahead: no wall clock affects a deadline.
    valley.setClock("Ben", aheadMilliseconds: 315_360_000_000)
    try step("Ben", 1, 1000, in: &valley)
    try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .evacuate, durationSeconds: 60)), now: $1
      ).outcome
    }
    try valley.converge()
    try valley.run(milliseconds: 70_000)
    #expect(try person("Ben", by: "Ada", in: &valley).status == .overdue)
    try valley.run(milliseconds: 125_000)
    for name in valley.names {
      #expect(try person("Ben", by: name, in: &valley).status == .unaccounted, "by \(name)")
    }
    let overdue = try alerts(of: "Ada", in: &valley).filter { $0.id.kind == .overdue }
    #expect(overdue.map(\.level) == [.danger])
  }

  @Test func `Mayday and no contact are shown together, the worst first`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try step("Ben", 1, 0, in: &valley)
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    try valley.converge()
    valley.cut(["Ada", "Cleo"], ["Ben"])
    try valley.run(milliseconds: 11 * 60_000)
    let users = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    #expect(users.first?.callsign == "Ben")
    #expect(users.first?.conditions.map(\.status) == [.mayday, .noContact])
  }
}
