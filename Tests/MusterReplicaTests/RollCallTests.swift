import MusterModel
import MusterReplica
import Testing

/// Ada is command, and in one story Eve too.
@Suite("Roll calls that replace others")
struct RollCallTests {
  @Test func `a roll call replaces the one before it, but forgives no one who missed that`() throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    func call(seconds: UInt32) throws -> RowID {
      let draft = DirectiveDraft(kind: .rollcall, durationSeconds: seconds)
      let id = try valley.at("Ada") { try $0.write(OrderRequests.issue(draft), now: $1) }
      try valley.converge()
      return id
    }
    func answer(_ name: String, _ id: RowID) throws {
      try valley.at(name) {
        try $0.write(OrderRequests.acknowledge(id, note: "", for: nil), now: $1)
      }
      try valley.converge()
    }
    func shown(_ id: RowID) throws -> DirectiveSummary {
      try valley.ask("Ada") { try $0.statuses(now: $1).directive(id) }
    }
    func status(_ name: String) throws -> PersonStatus? {
      try valley.ask("Ada") { try $0.statuses(now: $1).users() }
        .first { $0.callsign == name }?.status
    }
    let first = try call(seconds: 60)
    try answer("Ben", first)
    try valley.run(milliseconds: 200_000)
    #expect(try status("Cleo") == .unaccounted)

    // The second call waits for both; Cleo, who missed the first, stays unaccounted for
    let second = try call(seconds: 600)
    #expect(try shown(second).supersedes == [first] && shown(first).supersededBy == second)
    #expect(try shown(second).unaccounted.map(\.callsign) == ["Ben", "Cleo"])
    #expect(
      try shown(first).status == .open && shown(first).unaccounted.map(\.callsign) == ["Cleo"])
    #expect(try status("Cleo") == .unaccounted && status("Ben") == .ordered)
    // One of her two answers is asked for: that to the newest
    let asked = try valley.ask("Cleo") { try $0.alerts(now: $1) }
    #expect(asked.filter { $0.id.kind == .directive }.map(\.id.row) == [second])
    let newest = try valley.ask("Cleo") {
      try $0.statuses(now: $1).directive(waitingFor: nil, answered: false)
    }
    #expect(newest == second)

    // Her answer to it is for both
    try answer("Cleo", second)
    #expect(try shown(first).status == .closed && status("Cleo") != .unaccounted)
    #expect(try shown(second).unaccounted.map(\.callsign) == ["Ben"])

    // A third call in time closes the second one
    let third = try call(seconds: 600)
    #expect(try shown(second).status == .closed && shown(second).supersededBy == third)
    #expect(try shown(third).unaccounted.map(\.callsign) == ["Ben", "Cleo"])
    #expect(try status("Ben") == .ordered)
  }

  @Test func `an answer to either of two roll calls that replace a third counts for that`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.join("Eve", invitedBy: "Ada", role: .command)
    try valley.converge()
    func call(by name: String, seconds: UInt32) throws -> RowID {
      let draft = DirectiveDraft(kind: .rollcall, durationSeconds: seconds)
      return try valley.at(name) { try $0.write(OrderRequests.issue(draft), now: $1) }
    }
    func answer(_ name: String, _ id: RowID) throws {
      try valley.at(name) {
        try $0.write(OrderRequests.acknowledge(id, note: "", for: nil), now: $1)
      }
    }
    let first = try call(by: "Ada", seconds: 60)
    try valley.converge()
    try valley.run(milliseconds: 200_000)
    // Two commanders out of contact with each other
    valley.cut(["Ada", "Ben"], ["Eve", "Cleo"])
    let second = try call(by: "Ada", seconds: 600)
    let third = try call(by: "Eve", seconds: 600)
    try valley.run(milliseconds: 5000)
    try answer("Ben", second)
    try answer("Cleo", third)
    valley.heal()
    try valley.converge()
    for name in ["Ada", "Eve"] {
      let shown = try valley.ask(name) { try $0.statuses(now: $1).directive(first) }
      for person in shown.people where ["Ben", "Cleo"].contains(person.callsign) {
        #expect(person.answeredAt != nil, "\(person.callsign) at \(name)")
        #expect(person.state != .unaccounted, "\(person.callsign) at \(name)")
      }
      #expect(Set(shown.people.map(\.callsign)).isSuperset(of: ["Ben", "Cleo"]))
    }
  }
}
