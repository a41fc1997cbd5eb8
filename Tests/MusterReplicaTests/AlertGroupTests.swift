import MusterModel
import MusterReplica
import Testing

/// One cause, one row (decision 0111): Ada is command, the others are members.
@Suite("Alerts of one cause")
struct AlertGroupTests {
  private func review(_ name: String, in valley: inout Valley) throws -> [Alert] {
    try valley.at(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }
  }

  private func users(_ names: [String], in valley: inout Valley) throws -> [UserID] {
    let all = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    return try names.map { name in try #require(all.first { $0.callsign == name }).id }
  }

  private func acknowledge(_ alert: Alert, by name: String, in valley: inout Valley) throws {
    try valley.at(name) { try $0.acknowledgeAlert(alert.id.description, by: nil, now: $1) }
    try valley.converge()
  }

  // MARK: Check-ins

  private static let par = CheckInDraft(
    durationSeconds: 60, repeats: true, graceSeconds: 30, reminderSeconds: 10, note: "PAR")

  /// Starts one check-in of Ben, Cleo and Dan by command.
  private func rollCall(in valley: inout Valley) throws {
    let crew = try users(["Ben", "Cleo", "Dan"], in: &valley)
    try valley.at("Ada") {
      try $0.write(CheckInRequests.start(Self.par, of: crew), now: $1).outcome
    }
    try valley.converge()
  }

  private func checkIn(_ name: String, in valley: inout Valley) throws {
    try valley.at(name) {
      try $0.write(
        CheckInRequests.report(.ok, of: nil, timer: nil, seconds: 0, note: ""), now: $1)
    }
    try valley.converge()
  }

  @Test func `a check-in that several missed is one row, which names them`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dan")
    try rollCall(in: &valley)
    try valley.run(milliseconds: 30_000)
    try checkIn("Ben", in: &valley)
    try valley.run(milliseconds: 33_000)
    let late = try review("Ada", in: &valley).filter { $0.priority >= .warning }
    #expect(late.map(\.id.kind) == [.checkInGroup])
    #expect(late.first?.text == "PAR: 2 of 3 missed the check-in: Cleo, Dan")
    #expect(late.first?.members.count == 2)
    // The one who is left has a row of their own, which names the last position.
    try checkIn("Cleo", in: &valley)
    let left = try review("Ada", in: &valley).filter { $0.priority >= .warning }
    #expect(left.map(\.id.kind) == [.checkIn])
    #expect(left.first?.text.hasPrefix("Dan: check-in") == true)
  }

  @Test func `a further member, and a higher level, wait for an acknowledgement again`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dan")
    for name in ["Ben", "Cleo", "Dan"] {
      let user = try users([name], in: &valley)
      try valley.at("Ada") { try $0.write(PersonRequests.setTeam("South", of: user[0]), now: $1) }
    }
    try rollCall(in: &valley)
    try valley.run(milliseconds: 30_000)
    try checkIn("Ben", in: &valley)
    try valley.run(milliseconds: 33_000)
    let first = try #require(try review("Ada", in: &valley).first)
    #expect(first.text == "South: 2 of 3 missed the check-in: Cleo, Dan")
    try acknowledge(first, by: "Ada", in: &valley)
    let seen = try #require(try review("Ada", in: &valley).first)
    #expect(seen.id == first.id && seen.acknowledgement?.name == "Ada")
    try valley.restart("Ada")
    #expect(try review("Ada", in: &valley).first?.acknowledgement?.name == "Ada")

    try valley.run(milliseconds: 40_000)
    let all = try #require(try review("Ada", in: &valley).first)
    #expect(all.id == first.id && all.level == .danger && all.acknowledgement == nil)
    #expect(all.text == "South: 3 of 3 missed the check-in: Ben, Cleo, Dan")
  }

  @Test func `what a member starts for several hides no one`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    for name in ["Ben", "Cleo"] {
      try valley.at(name) {
        try $0.write(CheckInRequests.start(Self.par, of: []), now: $1).outcome
      }
    }
    try valley.converge()
    try valley.run(milliseconds: 63_000)
    let kinds = try review("Ada", in: &valley).filter { $0.priority >= .warning }.map(\.id.kind)
    #expect(kinds == [.checkIn, .checkIn])
  }

  // MARK: Reports

  private func file(_ title: String, severity: UInt8 = 5, in valley: inout Valley) throws {
    try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: title, severity: severity)), now: $1)
    }
    try valley.converge()
  }

  @Test func `from the fourth report in ten minutes an author has one row`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    for title in ["A", "B", "C"] { try file(title, in: &valley) }
    #expect(try review("Ada", in: &valley).map(\.id.kind) == [.hazard, .hazard, .hazard])
    try file("D", in: &valley)
    let one = try review("Ada", in: &valley)
    #expect(one.map(\.id.kind) == [.reportGroup])
    #expect(one.first?.text.hasPrefix("Ben reports 4 times: ") == true)
    try file("E", in: &valley)
    let more = try #require(try review("Ada", in: &valley).first)
    #expect(more.id == one.first?.id && more.members.count == 5)
    // Acknowledging it acknowledges each report, and the next one stands alone.
    try acknowledge(more, by: "Ada", in: &valley)
    #expect(try review("Ada", in: &valley).map(\.id) == [more.id])
    try file("F", in: &valley)
    let after = try review("Ada", in: &valley)
    #expect(after.map(\.id.kind) == [.hazard, .reportGroup])
    #expect(after.map { $0.acknowledgement == nil } == [true, false])
  }

  @Test func `reports that are more than ten minutes apart stay rows of their own`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    for title in ["A", "B", "C"] { try file(title, in: &valley) }
    _ = try review("Ada", in: &valley)
    try valley.run(milliseconds: 601_000)
    try file("D", in: &valley)
    let kinds = try review("Ada", in: &valley).map(\.id.kind).filter { $0 != .silent }
    #expect(kinds == [.hazard, .hazard, .hazard, .hazard])
  }

  @Test func `an acknowledged report rises again when it comes to concern a person`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ben") {
      try $0.write(
        ReportRequests.add(
          ReportDraft(title: "Slide", severity: 5, position: place(metresNorth: 3000))), now: $1)
    }
    try valley.converge()
    try acknowledge(try #require(try review("Ada", in: &valley).first), by: "Ada", in: &valley)
    #expect(try review("Ada", in: &valley).first?.acknowledgement != nil)
    try valley.at("Cleo") { try $0.ingest(fix(metresNorth: 2800, second: 1), now: $1) }
    try valley.converge()
    let again = try #require(try review("Ada", in: &valley).first)
    #expect(again.text.hasSuffix("1 person within 500 m") && again.acknowledgement == nil)
  }

  @Test func `an alarm about a report is acknowledged also after the report was edited`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Slide", severity: 5)), now: $1)
    }
    try valley.converge()
    #expect(try review("Ada", in: &valley).first?.id.kind == .hazard)
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Slide, road cut")), now: $1)
    }
    try valley.converge()
    let edited = try #require(try review("Ada", in: &valley).first)
    #expect(edited.text.contains("Slide, road cut") && edited.acknowledgement == nil)
    try acknowledge(edited, by: "Ada", in: &valley)
    #expect(try review("Ada", in: &valley).first?.acknowledgement?.name == "Ada")
  }

  // MARK: Calls that their caller ends

  @Test func `the caller's own OK stays in view at command until it is acknowledged`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    #expect(try review("Ada", in: &valley).map(\.id.kind) == [.help])
    try valley.claim(.safe, by: "Ben")
    try valley.converge()
    let over = try #require(try review("Ada", in: &valley).first)
    #expect(over.id.kind == .calledOff)
    #expect(over.text == "Ben called off the call for help: confirm it")
    #expect(try review("Cleo", in: &valley).isEmpty)
    try valley.restart("Ada")
    #expect(try review("Ada", in: &valley).map(\.id) == [over.id])
    // A second OK replaces the first one, and is confirmed with it
    try valley.claim(.safe, by: "Ben")
    try valley.converge()
    #expect(try review("Ada", in: &valley).map(\.id) == [over.id])
    try acknowledge(over, by: "Ada", in: &valley)
    _ = try review("Ada", in: &valley)
    #expect(try review("Ada", in: &valley).isEmpty)
    // A further call is a new one.
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    #expect(try review("Ada", in: &valley).map(\.id.kind) == [.help])
  }

  // MARK: Ages

  @Test func `a call that arrives late has the age of the call`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: 5000)
    valley.cut(["Ada"], ["Ben", "Cleo"])
    try valley.claim(.needsHelp, by: "Ben")
    try valley.run(milliseconds: 180_000)
    valley.heal()
    try valley.converge()
    let call = try #require(try review("Ada", in: &valley).first { $0.id.kind == .help })
    let raised = call.since.milliseconds(since: call.agesFrom)
    #expect((175_000...200_000).contains(raised), "\(raised) ms before it was raised here")
  }

  // MARK: Silence

  /// Ada receives Cleo through Ben alone; everyone has been received.
  private func line(_ valley: inout Valley) throws {
    valley.lineUp("Ada", "Ben", "Cleo")
    try valley.restart("Ada")
    for name in ["Ben", "Cleo"] {
      try valley.at(name) { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    }
    try valley.converge()
  }

  @Test func `a silent laptop is one row, which names the people behind it`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try line(&valley)
    valley.cut(["Ada"], ["Ben", "Cleo"])
    try valley.run(milliseconds: 780_000)
    let rows = try review("Ada", in: &valley).filter { $0.priority >= .warning }
    #expect(rows.map(\.id.kind) == [.silentGroup])
    let row = try #require(rows.first)
    #expect(row.text == "no contact with Ben and 1 person behind it: Cleo")
    #expect(row.members.map(\.kind) == [.silent, .silent])
    // Its age is that of the last contact.
    #expect(row.happenedAt.map { row.since.milliseconds(since: $0) >= 600_000 } == true)
    try valley.at("Ada") { try $0.acknowledgeAlert(row.id.description, by: nil, now: $1) }

    // A restart forgets the path, and keeps the row and who acknowledged it
    try valley.restart("Ada")
    let again = try review("Ada", in: &valley).filter { $0.priority >= .warning }
    #expect(again.map(\.id) == [row.id] && again.first?.acknowledgement?.name == "Ada")

    // A person who is silent alone has a row of their own again
    valley.heal()
    valley.cut(["Ada", "Ben"], ["Cleo"])
    try valley.run(milliseconds: 780_000)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 2), now: $1) }
    try valley.run(milliseconds: 5000)
    let left = try review("Ada", in: &valley).filter { $0.priority >= .warning }
    #expect(left.map(\.text) == ["no contact with Cleo"])
  }
}
