import MusterModel
import Testing

@testable import MusterReplica

/// Command puts a warning aside for a while (ISA-18.2). Ada is command, the others are members.
@Suite("Shelved warnings")
struct ShelvingTests {
  private static let order = ShelvingOrder(minutes: 15, reason: "the relay is on its way")

  /// A zone that needs a relay, with its alert at Ada.
  private func emptyZone(in valley: inout Valley) throws -> Alert {
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100), needs: .relay)),
        now: $1
      ).outcome
    }
    try valley.converge()
    _ = try review("Ada", in: &valley)
    return try #require(try alert(.emptyFence, at: "Ada", in: &valley))
  }

  private func alert(
    _ kind: AlertKind, at name: String, in valley: inout Valley
  ) throws -> Alert? {
    try valley.ask(name) { try $0.alerts(now: $1) }.first { $0.id.kind == kind }
  }

  /// Reviews the alerts as a running node does, and returns what changed in warnings and alarms.
  private func review(_ name: String, in valley: inout Valley) throws -> [AlertChange] {
    let changes = try valley.at(name) { replica, now in
      let outcome = try replica.reviewAlerts(now: now)
      return (outcome.alertChanges, outcome)
    }
    return changes.filter { $0.alert.priority > .message }
  }

  @discardableResult
  private func shelve(
    _ alert: Alert, _ order: ShelvingOrder? = order, at name: String = "Ada",
    in valley: inout Valley
  ) throws -> [AlertChange] {
    try valley.at(name) { replica, now in
      let outcome = try replica.shelveAlert(alert.id.description, order, now: now)
      return (outcome.alertChanges, outcome)
    }
  }

  // MARK: Stories

  @Test func `a shelved warning states who did it, why and until when, and returns by itself`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    let before = try emptyZone(in: &valley)
    let until = valley.clock.wall.milliseconds + 15 * 60_000
    guard case .shelved(let shelved)? = try shelve(before, in: &valley).first else {
      Issue.record("the change is reported")
      return
    }
    let expected = AlertShelving(
      name: "Ada", reason: "the relay is on its way", until: Timestamp(milliseconds: until))
    #expect(shelved.shelving == expected && shelved.id == before.id)
    #expect(try alert(.emptyFence, at: "Ben", in: &valley)?.shelving == nil, "of this node alone")
    try valley.restart("Ada")
    try valley.run(milliseconds: 14 * 60_000)
    #expect(try review("Ada", in: &valley).filter { $0.alert.id.kind == .emptyFence }.isEmpty)
    #expect(try alert(.emptyFence, at: "Ada", in: &valley)?.shelving == expected)
    let stored = try valley.ask("Ada") { replica, _ in try replica.queries.raisedAlerts() }
    #expect(stored.first { $0.id == before.id }?.shelving == expected)

    try valley.run(milliseconds: 60_000)
    let raised = try review("Ada", in: &valley).first { $0.alert.id.kind == .emptyFence }
    guard case .raised(let again)? = raised else {
      Issue.record("it is raised again")
      return
    }
    #expect(again.id == before.id && again.shelving == nil && again.since > before.since)
    #expect(try review("Ada", in: &valley).isEmpty, "once")
  }

  @Test func `command takes it back, and the warning is raised again`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let before = try emptyZone(in: &valley)
    try shelve(before, ShelvingOrder(minutes: 60, reason: "x", name: "Eva"), in: &valley)
    #expect(try alert(.emptyFence, at: "Ada", in: &valley)?.shelving?.name == "Eva")
    try valley.run(milliseconds: 1000)
    guard case .raised(let again)? = try shelve(before, nil, in: &valley).first else {
      Issue.record("it is raised again")
      return
    }
    #expect(again.shelving == nil && again.since > before.since)
    let refusal = #expect(throws: Refusal.self) { try shelve(before, nil, in: &valley) }
    #expect(refusal?.description.contains("is not shelved") == true)
  }

  @Test func `the end of its matter ends it, and the next occurrence is a new alert`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let before = try emptyZone(in: &valley)
    try shelve(before, in: &valley)
    let fence = before.id.row
    try valley.at("Ada") { try $0.write(FenceRequests.setActive(fence, false), now: $1) }
    guard case .cleared? = try review("Ada", in: &valley).first else {
      Issue.record("its end is reported")
      return
    }
    try valley.at("Ada") { try $0.write(FenceRequests.setActive(fence, true), now: $1) }
    guard case .raised(let next)? = try review("Ada", in: &valley).first else {
      Issue.record("it is raised")
      return
    }
    #expect(next.id == before.id && next.shelving == nil)
  }

  @Test func `a further member, and then danger, bring it back at once`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dan")
    let crew = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
      .filter { ["Ben", "Cleo", "Dan"].contains($0.callsign) }.map(\.id)
    let par = CheckInDraft(
      durationSeconds: 60, repeats: true, graceSeconds: 120, reminderSeconds: 10, note: "PAR")
    try valley.at("Ada") { try $0.write(CheckInRequests.start(par, of: crew), now: $1).outcome }
    try valley.converge()
    try valley.run(milliseconds: 30_000)
    try valley.at("Ben") {
      try $0.write(CheckInRequests.report(.ok, of: nil, timer: nil, seconds: 0, note: ""), now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 33_000)
    _ = try review("Ada", in: &valley)
    let two = try #require(try alert(.checkInGroup, at: "Ada", in: &valley))
    #expect(two.priority == .warning && two.members.count == 2)
    try shelve(two, in: &valley)
    #expect(try review("Ada", in: &valley).isEmpty)

    try valley.run(milliseconds: 32_000)
    _ = try review("Ada", in: &valley)
    let three = try #require(try alert(.checkInGroup, at: "Ada", in: &valley))
    #expect(three.priority == .warning && three.members.count == 3 && three.shelving == nil)
    #expect(three.since > two.since)
    try shelve(three, in: &valley)

    try valley.run(milliseconds: 100_000)
    _ = try review("Ada", in: &valley)
    let danger = try #require(try alert(.checkInGroup, at: "Ada", in: &valley))
    #expect(danger.priority == .danger && danger.shelving == nil)
  }

  @Test func `a clock that is set back does not extend it`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try shelve(try emptyZone(in: &valley), ShelvingOrder(minutes: 60, reason: "x"), in: &valley)
    valley.setClock("Ada", aheadMilliseconds: -3_600_000)
    #expect(try alert(.emptyFence, at: "Ada", in: &valley)?.shelving == nil)
  }

  // MARK: Refusals

  @Test func `a call for help is never shelved, nor is its cancellation`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    _ = try review("Ada", in: &valley)
    let call = try #require(try alert(.help, at: "Ada", in: &valley))
    let alarm = #expect(throws: Refusal.self) { try shelve(call, in: &valley) }
    #expect(
      alarm?.description == "an alarm is never shelved, because people may be in danger: "
        + "acknowledge it instead. What to do: Acknowledge, answer, send help.")
    try valley.claim(.safe, by: "Ben")
    try valley.converge()
    _ = try review("Ada", in: &valley)
    let off = try #require(try alert(.calledOff, at: "Ada", in: &valley))
    #expect(throws: Refusal.self) { try shelve(off, in: &valley) }
  }

  @Test func `only command may shelve, for 1 to 60 minutes, with a reason of one line`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let warning = try emptyZone(in: &valley)
    #expect(throws: Refusal.self) { try shelve(warning, at: "Ben", in: &valley) }
    for wrong in [
      ShelvingOrder(minutes: 0, reason: "x"), ShelvingOrder(minutes: 61, reason: "x"),
      ShelvingOrder(minutes: 15, reason: ""), ShelvingOrder(minutes: 15, reason: "a\nb"),
      ShelvingOrder(minutes: 15, reason: String(repeating: "x", count: 201)),
      ShelvingOrder(minutes: 15, reason: "x", name: ""),
    ] {
      #expect(throws: Refusal.self, "\(wrong)") { try shelve(warning, wrong, in: &valley) }
    }
    #expect(try alert(.emptyFence, at: "Ada", in: &valley)?.shelving == nil)
  }

  @Test func `a report that comes to concern people returns`() throws {
    let now = Timestamp(milliseconds: 1_750_000_000_000)
    func alert(_ place: AlertReport.Place) -> Alert {
      var alert = Alert(
        id: AlertID(kind: .hazard, row: RowID(raw: .zero)), level: .warning, text: "", since: now)
      alert.report = AlertReport(
        reporter: "Rui", toEvacuate: false, title: "Smoke", category: .fire, isProven: true,
        place: place)
      return alert
    }
    var shelved = ShelvedAlerts()
    let apart = alert(.zone("School", metres: 100))
    try shelved.shelve(apart, Self.order, by: "Ada", now: now)
    #expect(shelved.end(among: [apart], now: now).isEmpty)
    #expect(try ShelvedAlerts(decoding: shelved.encoded()) == shelved)
    let near = alert(.people(2, withinMetres: 500))
    #expect(shelved.end(among: [near], now: now) == [near.id])
    #expect(shelved == ShelvedAlerts())
  }
}
