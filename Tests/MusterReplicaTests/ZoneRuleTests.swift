import MusterModel
import MusterReplica
import Testing

/// Rules about the people in a zone, on real nodes.
@Suite("Rules of zones")
struct ZoneRuleTests {
  private func add(_ rule: ZoneRule, to zone: RowID, in valley: inout Valley) throws {
    try valley.at("Ada") { try $0.write(FenceRequests.addRule(rule, to: zone), now: $1) }
    try valley.converge()
  }

  private func texts(at name: String, in valley: inout Valley) throws -> [String] {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }
      .filter { $0.id.kind == .zoneRule || $0.id.kind == .nearZone }.map(\.text).sorted()
  }

  private func rules(at name: String, in valley: inout Valley) throws -> [ZoneRuleSummary] {
    try valley.ask(name) { replica, _ in try replica.queries.fences() }.flatMap(\.rules)
  }

  /// A fix with the time of the valley's clock.
  private func walk(_ name: String, to metresNorth: Int64, in valley: inout Valley) throws {
    let moment = valley.clock.wall
    try valley.at(name) {
      try $0.ingest(
        Fix(
          position: place(metresNorth: metresNorth), accuracyDecimetres: 50, sampleTime: moment),
        now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 5000)
  }

  @Test func `a zone that needs people raises one alert on every node, until they are there`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let camp = try valley.draw("Camp", .muster)
    try add(ZoneRule(kind: .atLeast, number: 1, role: .member), to: camp, in: &valley)
    for name in valley.names {
      #expect(try texts(at: name, in: &valley) == ["zone Camp: no one of role member"])
    }
    try walk("Ben", to: 0, in: &valley)
    for name in valley.names { #expect(try texts(at: name, in: &valley) == []) }
    try walk("Ben", to: 500, in: &valley)
    #expect(try texts(at: "Cleo", in: &valley).count == 1)
    try valley.at("Ada") { try $0.write(FenceRequests.setActive(camp, false), now: $1) }
    try valley.converge()
    #expect(try texts(at: "Cleo", in: &valley) == [])
  }

  @Test func `too many people, and people close to a hazard, raise alerts`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let fire = try valley.draw("Fire", .info)
    try add(ZoneRule(kind: .atMost, number: 1), to: fire, in: &valley)
    try add(ZoneRule(kind: .within, number: 200), to: fire, in: &valley)
    try walk("Ben", to: 250, in: &valley)
    #expect(try texts(at: "Ada", in: &valley) == ["Ben is within 200 m of Fire"])
    try walk("Ben", to: 0, in: &valley)
    try walk("Cleo", to: 0, in: &valley)
    #expect(
      try texts(at: "Ada", in: &valley) == [
        "Ben is within 200 m of Fire", "Cleo is within 200 m of Fire",
        "zone Fire: 2 people, at most 1 are allowed",
      ])
    try walk("Ben", to: 5000, in: &valley)
    try walk("Cleo", to: 5000, in: &valley)
    for name in valley.names { #expect(try texts(at: name, in: &valley) == []) }
  }

  private func names(at name: String, in valley: inout Valley) throws -> [String?] {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }
      .filter { $0.id.kind == .zoneRule || $0.id.kind == .nearZone }
      .map { $0.acknowledgement?.name }
  }

  @Test func `command's acknowledgement reaches every node, and not the next violation`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let camp = try valley.draw("Camp", .muster)
    try add(ZoneRule(kind: .atLeast, number: 1, role: .member), to: camp, in: &valley)
    for name in valley.names { #expect(try names(at: name, in: &valley) == [nil]) }
    try valley.at("Ada") { try $0.acknowledgeAlert("zoneRule:\(camp)", by: nil, now: $1) }
    try valley.converge()
    for name in valley.names { #expect(try names(at: name, in: &valley) == ["Ada"]) }
    try walk("Ben", to: 0, in: &valley)
    for name in valley.names { #expect(try names(at: name, in: &valley) == []) }
    try walk("Ben", to: 500, in: &valley)
    for name in valley.names { #expect(try names(at: name, in: &valley) == [nil]) }
  }

  @Test func `a person close to a zone is acknowledged on every node until they come again`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let fire = try valley.draw("Fire", .info)
    try add(ZoneRule(kind: .within, number: 200), to: fire, in: &valley)
    try walk("Ben", to: 250, in: &valley)
    for name in valley.names { #expect(try names(at: name, in: &valley) == [nil]) }
    let ben = valley.laptops[1].credentials.user
    try valley.at("Ada") { try $0.acknowledgeAlert("nearZone:\(ben)", by: nil, now: $1) }
    try valley.converge()
    for name in valley.names { #expect(try names(at: name, in: &valley) == ["Ada"]) }
    try walk("Ben", to: 5000, in: &valley)
    for name in valley.names { #expect(try names(at: name, in: &valley) == []) }
    try walk("Ben", to: 250, in: &valley)
    for name in valley.names { #expect(try names(at: name, in: &valley) == [nil]) }
  }

  @Test func `an entry in time satisfies its rule, whatever the clock of command`() throws {
    for year in [-1, 0, 1] as [Int64] {
      var valley = try Valley.with("Ada", "Ben", "Cleo")
      valley.setClock("Ada", aheadMilliseconds: year * 365 * 86_400_000)
      let camp = try valley.draw("Camp", .muster)
      try walk("Ben", to: 0, in: &valley)
      try walk("Ben", to: 500, in: &valley)
      try valley.run(milliseconds: 300_000)
      try add(ZoneRule(kind: .entryBy, number: 60), to: camp, in: &valley)
      try valley.run(milliseconds: 62_000)
      #expect(try texts(at: "Cleo", in: &valley) == ["zone Camp: no entry in time"])
      try walk("Cleo", to: 0, in: &valley)
      try walk("Cleo", to: 500, in: &valley)
      #expect(try texts(at: "Cleo", in: &valley) == [], "late is better than never")
    }
  }

  @Test func `a zone has at most sixteen rules, which command adds and removes`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let camp = try valley.draw("Camp", .muster)
    #expect(throws: Refusal.self) {
      try valley.at("Ben") {
        try $0.write(FenceRequests.addRule(ZoneRule(kind: .atMost, number: 1), to: camp), now: $1)
      }
    }
    for rule in [ZoneRule(kind: .atLeast, number: 0), ZoneRule(kind: .entryBy, number: .max)] {
      #expect(throws: Refusal.self) { try add(rule, to: camp, in: &valley) }
    }
    for number in 0..<16 {
      try add(ZoneRule(kind: .atMost, number: UInt32(number)), to: camp, in: &valley)
    }
    // The same rule again takes the place of the first.
    try add(ZoneRule(kind: .atMost, number: 3), to: camp, in: &valley)
    #expect(try rules(at: "Ben", in: &valley).count == 16)
    #expect(throws: Refusal.self) {
      try add(ZoneRule(kind: .atMost, number: 99), to: camp, in: &valley)
    }
    for reference in ["0", "17", "", "ffffffff", "abc"] {
      #expect(throws: Refusal.self, "\(reference)") {
        try valley.at("Ada") {
          try $0.write(FenceRequests.removeRule(reference, from: camp), now: $1)
        }
      }
    }
    let first = try #require(try rules(at: "Ada", in: &valley).first)
    try valley.at("Ada") { try $0.write(FenceRequests.removeRule(first.id, from: camp), now: $1) }
    try valley.at("Ada") { try $0.write(FenceRequests.removeRule("1", from: camp), now: $1) }
    try valley.converge()
    let left = try rules(at: "Ben", in: &valley)
    #expect(left.count == 14 && !left.contains { $0.id == first.id })
  }
}
