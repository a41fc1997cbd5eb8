import MusterModel
import MusterReplica
import Testing

/// People that command expects, on real nodes.
@Suite("Roster")
struct RosterTests {
  private static let entries = [
    RosterEntry(name: "Rui", team: "North", function: "command", phone: "+351 912"),
    RosterEntry(name: "Mia", team: "South", phone: "113"),
  ]

  private func roster(at name: String, in valley: inout Valley) throws -> [RosterPerson] {
    try valley.ask(name) { try $0.statuses(now: $1).roster() }
  }

  private func users(at name: String, in valley: inout Valley) throws -> [UserSummary] {
    try valley.ask(name) { try $0.statuses(now: $1).users() }
  }

  @discardableResult
  private func add(
    _ entries: [RosterEntry] = entries, by author: String = "Ada", in valley: inout Valley
  ) throws -> RosterOutcome {
    try valley.at(author) { try $0.write(RosterRequests.add(entries), now: $1) }
  }

  private func write(_ request: WriteRequest<Void>, in valley: inout Valley) throws {
    try valley.at("Ada") { try $0.write(request, now: $1) }
  }

  @Test func `people on the roster are on it alone, and two imports add them once`() throws {
    // Given two commanders out of reach of one another, who import the same file
    var valley = try Valley.with("Ada", "Cleo")
    try valley.join("Ben", invitedBy: "Ada", role: .command)
    try valley.converge()
    #expect(try add(in: &valley) == RosterOutcome(added: 2))
    #expect(try add(by: "Ben", in: &valley).added == 2)
    #expect(throws: Refusal.self) { try add(by: "Cleo", in: &valley) }
    try valley.converge()
    // Then every node lists each person once, and none of them among the people.
    for name in valley.names {
      let listed = try roster(at: name, in: &valley)
      #expect(listed.map(\.entry) == [Self.entries[1], Self.entries[0]])
      #expect(listed.allSatisfy { !$0.hasArrived && $0.namesakes.isEmpty })
      #expect(try users(at: name, in: &valley).map(\.callsign).sorted() == ["Ada", "Ben", "Cleo"])
    }
    // And the same file changes nothing, a new number and team those that are given.
    #expect(try add(in: &valley) == RosterOutcome())
    #expect(
      try add([RosterEntry(name: "mia", phone: "114")], in: &valley) == RosterOutcome(changed: 1))
    #expect(
      try roster(at: "Ada", in: &valley).first?.entry
        == RosterEntry(name: "Mia", team: "South", phone: "114"))
  }

  @Test func `an invite for a person on the roster admits them with name and team`() throws {
    var valley = try Valley.with("Ada")
    try add(in: &valley)
    let rui = try #require(try roster(at: "Ada", in: &valley).last)
    #expect(rui.role == .command)
    try valley.join("Rui", invitedBy: "Ada", of: rui.id)
    try valley.converge()
    let user = try #require(try users(at: "Ada", in: &valley).first { $0.id == rui.id })
    #expect(user.callsign == "Rui" && user.team == "North")
    #expect(try roster(at: "Rui", in: &valley).last?.hasArrived == true)
    // A later import keeps what the person chose since.
    try add([RosterEntry(name: "Rui", team: "South", phone: "115")], in: &valley)
    #expect(try users(at: "Ada", in: &valley).first { $0.id == rui.id }?.team == "North")
    #expect(try roster(at: "Ada", in: &valley).last?.entry.phone == "115")
    #expect(throws: Refusal.self) {
      try write(RosterRequests.arrive("\(rui.id)", as: nil), in: &valley)
    }
    #expect(throws: Refusal.self) { try write(RosterRequests.expect("\(rui.id)"), in: &valley) }
    // Removed from the roster, the person stays in the operation.
    try write(RosterRequests.remove("\(rui.id)"), in: &valley)
    #expect(try roster(at: "Ada", in: &valley).map(\.entry.name) == ["Mia"])
    #expect(try users(at: "Ada", in: &valley).contains { $0.callsign == "Rui" })
  }

  @Test func `a person of the same name is proposed, and command confirms and withdraws`() throws {
    var valley = try Valley.with("Ada")
    try add(in: &valley)
    try valley.join("Mia", invitedBy: "Ada")
    try valley.converge()
    let mia = try #require(try roster(at: "Ada", in: &valley).first)
    let joined = try #require(mia.namesakes.first)
    #expect(mia.namesakes.count == 1 && joined.callsign == "Mia" && joined.id != mia.id)
    try write(RosterRequests.arrive("\(mia.id)", as: joined.id), in: &valley)
    try valley.converge()
    #expect(try roster(at: "Mia", in: &valley).first?.hasArrived == true)
    let people = try users(at: "Mia", in: &valley)
    #expect(people.map(\.callsign).sorted() == ["Ada", "Mia"])
    #expect(people.first { $0.id == joined.id }?.team == "South")
    try write(RosterRequests.expect("\(mia.id)"), in: &valley)
    #expect(try roster(at: "Ada", in: &valley).first?.namesakes == [joined])
    try write(RosterRequests.remove("\(mia.id)"), in: &valley)
    #expect(try roster(at: "Ada", in: &valley).map(\.entry.name) == ["Rui"])
  }

  @Test func `a person without a device is listed from their arrival, once`() throws {
    var valley = try Valley.with("Ada")
    try add(in: &valley)
    let mia = try #require(try roster(at: "Ada", in: &valley).first)
    try write(RosterRequests.arrive("\(mia.id)", as: nil), in: &valley)
    let listed = try #require(try users(at: "Ada", in: &valley).first { $0.callsign == "Mia" })
    #expect(listed.isTracker && listed.team == "South")
    try write(RosterRequests.expect("\(mia.id)"), in: &valley)
    try write(RosterRequests.arrive("\(mia.id)", as: nil), in: &valley)
    #expect(try users(at: "Ada", in: &valley).count == 2)
    #expect(throws: Refusal.self) {
      try write(RosterRequests.arrive("\(mia.id)", as: listed.id), in: &valley)
    }
  }
}
