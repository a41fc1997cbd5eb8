import MusterModel
import Testing

@testable import MusterReplica

/// Rows whose subject has not arrived: nothing dangerous is hidden meanwhile, and no one counts as
/// safe by it. Urgent frames overtake all others.
@Suite("Rows whose subject has not arrived")
struct AbsentReferenceTests {
  private func person(_ name: String, at laptop: String, in valley: inout Valley) throws
    -> UserSummary
  {
    let users = try valley.ask(laptop) { try $0.statuses(now: $1).users() }
    return try #require(users.first { $0.callsign == name })
  }

  @Test func `an order to a zone that has not arrived is satisfied by no other zone`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    _ = try valley.draw("School", .muster)
    try valley.converge()
    valley.cut(["Ada", "Cleo"], ["Ben"])
    let church = try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "Church", kind: .muster, geometry: circle(metres: 100, metresNorth: 5000))),
        now: $1)
    }
    try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(
          DirectiveDraft(kind: .evacuate, zones: [church], durationSeconds: 60)), now: $1
      ).outcome
    }
    try valley.carryUrgentFrames(of: "Ada", to: "Ben")
    // Ben is in the other assembly zone.
    try valley.run(milliseconds: 1000)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 60), now: $1) }
    #expect(try person("Ben", at: "Ben", in: &valley).status == .ordered)
    #expect(try person("Ben", at: "Ben", in: &valley).order?.zone == nil)
    let order = try #require(
      try valley.ask("Ben") { try $0.statuses(now: $1).directives() }.first)
    #expect(order.zones.map(\.id) == [church])
    try valley.run(milliseconds: 200_000)
    #expect(try person("Ben", at: "Ben", in: &valley).status == .unaccounted)
    // When the zone arrives, it counts.
    valley.heal()
    try valley.converge()
    #expect(try person("Ben", at: "Ben", in: &valley).order?.zone == church)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 5000, second: 400), now: $1) }
    #expect(try person("Ben", at: "Ben", in: &valley).status == .atAssembly)
  }

  @Test func `a report that comes to demand evacuation is whole in the urgent lane`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.cut(["Ada", "Cleo"], ["Ben"])
    let report = try valley.at("Cleo") {
      try $0.write(
        ReportRequests.add(
          ReportDraft(title: "Dam leaks", severity: 5, position: place(metresNorth: 0))),
        now: $1)
    }
    try valley.at("Cleo") {
      try $0.write(ReportRequests.edit(report, ReportChanges(toEvacuate: true)), now: $1)
    }
    try valley.carryUrgentFrames(of: "Cleo", to: "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 50, second: 60), now: $1) }
    let shown = try valley.ask("Ben") { replica, _ in try replica.queries.reports() }
    #expect(shown.map(\.title) == ["Dam leaks"])
    #expect(shown.first?.toEvacuate == true && shown.first?.position == place(metresNorth: 0))
    let alerts = try valley.ask("Ben") { try $0.alerts(now: $1) }
    #expect(alerts.contains { $0.id.kind == .hazard && $0.text.contains("Dam leaks") })
    valley.heal()
    try valley.converge()
  }

  /// Draws a zone at Ada's that becomes a hazard afterwards.
  @discardableResult
  private func drawGas(metresNorth: Int64, in valley: inout Valley) throws -> RowID {
    let zone = try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "Gas", kind: .info, geometry: circle(metres: 100, metresNorth: metresNorth))),
        now: $1)
    }
    try valley.at("Ada") {
      try $0.write(FenceRequests.edit(zone, FenceChanges(kind: .hazard)), now: $1)
    }
    return zone
  }

  @Test func `a zone that becomes a hazard is whole in the urgent lane`() throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.cut(["Ada"], ["Ben"])
    try drawGas(metresNorth: 0, in: &valley)
    try valley.carryUrgentFrames(of: "Ada", to: "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 60), now: $1) }
    #expect(try person("Ben", at: "Ben", in: &valley).status == .inHazard)
    let alerts = try valley.ask("Ben") { try $0.alerts(now: $1) }
    #expect(alerts.contains { $0.id.kind == .inHazard && $0.text.contains("Gas") })
    valley.heal()
    try valley.converge()
  }

  @Test func `a permit for a zone that has not arrived lets no one into another`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.drawFire(.hazard, metresNorth: 0)
    try valley.converge()
    valley.cut(["Ada"], ["Ben"])
    let ben = try valley.ask("Ben") { replica, _ in replica.core.local.author.user }
    let other = try drawGas(metresNorth: 900, in: &valley)
    try valley.at("Ada") {
      try $0.write(
        PermitRequests.issue(
          PermitDraft(people: [ben], team: "", zone: other, durationSeconds: 600)), now: $1
      ).outcome
    }
    try valley.carryUrgentFrames(of: "Ada", to: "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 60), now: $1) }
    let shown = try person("Ben", at: "Ben", in: &valley)
    #expect(shown.status == .inHazard && shown.severity == .danger)
  }

  @Test func `a comment on a report that has not arrived shows nothing, and waits`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.cut(["Ada", "Cleo"], ["Ben"])
    let report = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Fire", toEvacuate: true)), now: $1)
    }
    try valley.run(milliseconds: 5000)
    try valley.at("Cleo") {
      try $0.write(ReportRequests.comment(report, text: "spreads"), now: $1)
    }
    // Ben meets Cleo alone: the report comes with what she adds to it.
    valley.cut(["Ada"], ["Ben", "Cleo"])
    try valley.run(milliseconds: 60_000)
    let shown = try valley.ask("Ben") { replica, _ in try replica.queries.reports() }
    #expect(shown.map(\.title) == ["Fire"])
    #expect(shown.first?.comments.map(\.text) == ["spreads"])
  }
}
