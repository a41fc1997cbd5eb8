import MusterAttackers
import MusterCRDT
import MusterModel
import MusterSync
import Testing

@testable import MusterReplica

/// What a confirmation states, and who gave it (decision 0107): Ada is command; Ben, Cleo and Mia
/// are members, and Mia's program is modified.
@Suite("Confirmations")
struct ConfirmationTests {
  private func report(_ id: RowID, at name: String, in valley: inout Valley) throws
    -> ReportSummary
  {
    try valley.ask(name) { replica, _ in try replica.queries.report(id) }
  }

  private func add(_ draft: ReportDraft, by name: String, in valley: inout Valley) throws -> RowID {
    let id = try valley.at(name) { try $0.write(ReportRequests.add(draft), now: $1) }
    try valley.converge()
    return id
  }

  private func confirm(_ id: RowID, by name: String, in valley: inout Valley) throws {
    try valley.at(name) { try $0.write(ReportRequests.confirm(id), now: $1) }
    try valley.converge()
  }

  private func edit(
    _ id: RowID, _ changes: ReportChanges, by name: String, in valley: inout Valley
  ) throws {
    try valley.at(name) { try $0.write(ReportRequests.edit(id, changes), now: $1) }
    try valley.converge()
  }

  /// Mia's program writes whatever it likes into a report.
  private func write(
    _ field: Field, _ value: Value, _ id: RowID, by name: String, in valley: inout Valley
  ) throws {
    try valley.at(name) {
      try MaliciousMember.author(
        &$0, unchecked: [.write(Write(row: id, field: field, value: value))], lane: .state, now: $1)
    }
    try valley.converge()
  }

  private func expect(
    _ confirmations: [String], earlier: [String] = [], of id: RowID, in valley: inout Valley,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for name in valley.names {
      let shown = try report(id, at: name, in: &valley)
      #expect(shown.confirmations == confirmations, "\(name)", sourceLocation: sourceLocation)
      #expect(
        shown.confirmedBy.ofEarlierContent == earlier, "\(name)", sourceLocation: sourceLocation)
    }
    #expect(Set(try valley.hashes()).count == 1, sourceLocation: sourceLocation)
  }

  // MARK: What was confirmed

  @Test func `a report that changes its meaning is not confirmed any more`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mia")
    // Given that Ben confirmed that the road is clear
    let id = try add(ReportDraft(title: "Road to the camp is clear"), by: "Mia", in: &valley)
    try confirm(id, by: "Ben", in: &valley)
    try expect(["Ben"], of: id, in: &valley)
    // When Mia lets it evacuate everyone to the north ford
    let changes = ReportChanges(
      title: "Evacuate: everyone to the north ford",
      position: Coordinate(latitudeE7: 460_000_000, longitudeE7: 70_000_000), toEvacuate: true)
    try edit(id, changes, by: "Mia", in: &valley)
    // Then Ben is shown as one who confirmed it before it changed
    try expect([], earlier: ["Ben"], of: id, in: &valley)
    let known = try #require(try report(id, at: "Ada", in: &valley).confirmedBy.first)
    let ben = valley.laptops[valley.index("Ben")].credentials.user
    #expect(known.user == ben && known.role == .member && known.standing == .ofEarlierContent)
    // and he may confirm what it shows now, which leaves nothing of the earlier confirmation.
    try confirm(id, by: "Ben", in: &valley)
    try expect(["Ben"], of: id, in: &valley)
    try valley.restart("Ada")
    try expect(["Ben"], of: id, in: &valley)
    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  @Test(arguments: [
    ReportChanges(title: "Flood"), ReportChanges(details: "Two houses"),
    ReportChanges(category: .flood), ReportChanges(severity: 5), ReportChanges(toEvacuate: true),
    ReportChanges(position: Coordinate(latitudeE7: 460_000_001, longitudeE7: 70_000_000)),
  ])
  func `each part of what a report shows was confirmed`(changes: ReportChanges) throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let draft = ReportDraft(
      title: "Smoke", details: "One house", category: .fire, severity: 2,
      position: Coordinate(latitudeE7: 460_000_000, longitudeE7: 70_000_000))
    let id = try add(draft, by: "Ben", in: &valley)
    try confirm(id, by: "Cleo", in: &valley)
    try edit(id, changes, by: "Ben", in: &valley)
    try expect([], earlier: ["Cleo"], of: id, in: &valley)
  }

  @Test func `an edit that changes none of it voids nothing, and one that is undone is none`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let id = try add(ReportDraft(title: "Smoke", severity: 2), by: "Ben", in: &valley)
    try confirm(id, by: "Cleo", in: &valley)
    try edit(id, ReportChanges(title: "Smoke", severity: 2), by: "Ben", in: &valley)
    try edit(id, ReportChanges(status: .resolved), by: "Ada", in: &valley)
    try valley.at("Ben") { try $0.write(ReportRequests.comment(id, text: "Still"), now: $1) }
    try valley.converge()
    try expect(["Cleo"], of: id, in: &valley)
    try edit(id, ReportChanges(severity: 4), by: "Ben", in: &valley)
    try expect([], earlier: ["Cleo"], of: id, in: &valley)
    try edit(id, ReportChanges(severity: 2), by: "Ben", in: &valley)
    try expect(["Cleo"], of: id, in: &valley)
  }

  @Test func `what its author had not seen is not confirmed, in whatever order it arrives`() throws
  {
    var valley = try Valley.with("Ada", "Ben", "Mia")
    let id = try add(ReportDraft(title: "Road is clear"), by: "Mia", in: &valley)
    valley.cut(["Ada", "Mia"], ["Ben"])
    try valley.at("Mia") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Use the ford")), now: $1)
    }
    try valley.at("Ben") { try $0.write(ReportRequests.confirm(id), now: $1) }
    valley.heal()
    try valley.converge()
    try expect([], earlier: ["Ben"], of: id, in: &valley)
  }

  @Test func `a user confirms only the content that they saw`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let id = try add(ReportDraft(title: "Road is clear"), by: "Ben", in: &valley)
    let seen = try report(id, at: "Cleo", in: &valley).content
    #expect(seen.utf8.count == 64)
    try edit(id, ReportChanges(title: "Use the ford"), by: "Ben", in: &valley)
    #expect(throws: Refusal.changed("report \(id.short) was changed meanwhile: read it again")) {
      try valley.at("Cleo") { try $0.write(ReportRequests.confirm(id, seen: seen), now: $1) }
    }
    let now = try report(id, at: "Cleo", in: &valley).content
    try valley.at("Cleo") { try $0.write(ReportRequests.confirm(id, seen: now), now: $1) }
    try valley.converge()
    try expect(["Cleo"], of: id, in: &valley)
  }

  @Test func `a confirmation that states no content does not count`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mia")
    let id = try add(ReportDraft(title: "Smoke"), by: "Ben", in: &valley)
    try write(.reportConfirmations, .mark, id, by: "Mia", in: &valley)
    try expect([], earlier: ["Mia"], of: id, in: &valley)
    // Nor does one of the content of another report, or of bytes without a meaning.
    let other = try add(ReportDraft(title: "Smoke"), by: "Ben", in: &valley)
    let content = try #require(
      Hex.decode(try report(other, at: "Mia", in: &valley).content))
    #expect(try report(id, at: "Mia", in: &valley).content != Hex.encode(content))
    try write(.reportContentConfirmations, .bytes(content), id, by: "Mia", in: &valley)
    try expect([], earlier: ["Mia"], of: id, in: &valley)
    // Her own next one takes the place of all of them.
    try confirm(id, by: "Mia", in: &valley)
    try expect(["Mia"], of: id, in: &valley)
    let row = try valley.ask("Ada") { replica, _ in
      try replica.core.store.row(RowKey(kind: .report, id: id))
    }
    #expect(row?.values(of: .reportConfirmations).isEmpty == true)
    #expect(row?.values(of: .reportContentConfirmations).count == 1)
  }

  // MARK: Who confirmed

  @Test func `no one confirms their own report, on any device or by a login`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mia")
    let id = try add(ReportDraft(title: "Smoke"), by: "Mia", in: &valley)
    #expect(throws: Refusal("you filed this report: others confirm it", .unfit)) {
      try confirm(id, by: "Mia", in: &valley)
    }
    // Her modified program does all the same, in her name, in that of a login, and in Ada's.
    let content = try #require(Hex.decode(try report(id, at: "Mia", in: &valley).content))
    try write(.reportContentConfirmations, .bytes(content), id, by: "Mia", in: &valley)
    let ada = valley.laptops[0].credentials.user
    for principal in [Principal.login("Eva"), .person(ada)] {
      try valley.at("Mia") { replica, now in
        try replica.write(
          Draft(
            rows: [
              [Write(row: id, field: .reportContentConfirmations, value: .bytes(content))]
            ], lane: .state, onBehalfOf: principal), now: now)
      }
    }
    try valley.converge()
    try expect([], of: id, in: &valley)
    let mia = valley.laptops[valley.index("Mia")].credentials.user
    // By her login at Ada's post it is her own too.
    #expect(throws: Refusal.self) {
      try valley.at("Ada") {
        try $0.write(ReportRequests.confirm(id), onBehalfOf: .person(mia), now: $1)
      }
    }
    let known = try report(id, at: "Ben", in: &valley).confirmedBy
    #expect(known.count == 3 && known.allSatisfy { $0.standing == .ofOwnReport })
    // What others confirm counts.
    try confirm(id, by: "Ben", in: &valley)
    try confirm(id, by: "Ada", in: &valley)
    try expect(["Ada", "Ben"], of: id, in: &valley)
  }

  @Test func `a confirmer who takes the name of command is distinguished`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mia")
    let (ada, mia) = (
      valley.laptops[0].credentials.user, valley.laptops[2].credentials.user
    )
    let id = try add(ReportDraft(title: "Smoke"), by: "Ben", in: &valley)
    // Given that Mia calls herself as Ada does, with a Cyrillic letter
    try valley.at("Mia") { try $0.write(PersonRequests.setCallsign("Аda"), now: $1) }
    try valley.converge()
    try confirm(id, by: "Mia", in: &valley)
    try expect(["Аda (\(mia.short))"], of: id, in: &valley)
    // When Ada confirms it too, both are shown, each with the role.
    try confirm(id, by: "Ada", in: &valley)
    try expect(["Ada (\(ada.short))", "Аda (\(mia.short))"].sorted(), of: id, in: &valley)
    let known = try report(id, at: "Ben", in: &valley).confirmedBy
    #expect(Set(known.map(\.user)) == [ada, mia])
    #expect(known.first { $0.user == mia }?.role == .member)
    // Four people of two names are four.
    for name in ["Dan", "Eve"] { try valley.join(name, invitedBy: "Ada") }
    try valley.converge()
    try valley.at("Eve") { try $0.write(PersonRequests.setCallsign("Dan"), now: $1) }
    try valley.converge()
    for name in ["Dan", "Eve"] { try confirm(id, by: name, in: &valley) }
    #expect(try report(id, at: "Ada", in: &valley).confirmations.count == 4)
  }

  @Test func `two devices of a person are one confirmation`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let cleo = valley.laptops[2].credentials.user
    try valley.join("Tablet", invitedBy: "Ada", of: cleo)
    let id = try add(ReportDraft(title: "Smoke"), by: "Ben", in: &valley)
    for name in ["Cleo", "Tablet"] { try confirm(id, by: name, in: &valley) }
    #expect(try report(id, at: "Ada", in: &valley).confirmedBy.map(\.user) == [cleo])
    #expect(try report(id, at: "Ada", in: &valley).confirmations.count == 1)
  }
}
