import MusterModel
import MusterReplica
import Testing

@Suite("Two sides of a partition")
struct ConflictTests {
  /// Ada commands, Ben owns a report, and a partition separates the two.
  private func apart() throws -> (Valley, RowID) {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    valley.cut(["Ada"], ["Ben", "Cleo"])
    return (valley, id)
  }

  @Test func `both titles stay readable everywhere until a user resolves them`() throws {
    var (valley, id) = try apart()
    try valley.at("Ada") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Fire")), now: $1)
    }
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Steam")), now: $1)
    }
    try valley.run(milliseconds: 5000)
    #expect(Set(try valley.hashes()).count == 2)

    valley.heal()
    try valley.converge()

    for name in valley.names {
      let report = try valley.ask(name) { replica, _ in try replica.queries.report(id) }
      let conflict = try #require(report.conflicts.first)
      #expect(report.title == "Fire", "a commander's word is shown")
      #expect(report.conflicts.map(\.field) == [.reportTitle])
      #expect(conflict.values.map(\.text) == ["Fire", "Steam"])
      #expect(conflict.values.map(\.callsign) == ["Ada", "Ben"])
    }

    // When Ben, who sees both, writes a new one
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Burning hay")), now: $1)
    }
    try valley.converge()

    for name in valley.names {
      let report = try valley.ask(name) { replica, _ in try replica.queries.report(id) }
      #expect(report.title == "Burning hay")
      #expect(report.conflicts.isEmpty)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  @Test func `choosing one of two values resolves the conflict, even the shown one`() throws {
    var (valley, id) = try apart()
    try valley.at("Ada") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Fire")), now: $1)
    }
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Steam")), now: $1)
    }
    valley.heal()
    try valley.converge()

    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Fire")), now: $1)
    }
    try valley.converge()

    for name in valley.names {
      let report = try valley.ask(name) { replica, _ in try replica.queries.report(id) }
      #expect(report.title == "Fire")
      #expect(report.conflicts.isEmpty)
    }
  }

  @Test func `an edit restores a report that was deleted on the other side`() throws {
    var (valley, id) = try apart()
    try valley.at("Ada") { try $0.write(ReportRequests.delete(id), now: $1) }
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(severity: 5)), now: $1)
    }
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.isEmpty)

    valley.heal()
    try valley.converge()

    for name in valley.names {
      let report = try valley.ask(name) { replica, _ in try replica.queries.report(id) }
      #expect(report.title == "Smoke")
      #expect(report.severity == 5)
      #expect(report.owner == valley.laptops[valley.index("Ben")].credentials.user)
    }
  }

  @Test func `a comment does not restore a deleted report`() throws {
    var (valley, id) = try apart()
    try valley.at("Ada") { try $0.write(ReportRequests.delete(id), now: $1) }
    try valley.at("Cleo") { try $0.write(ReportRequests.comment(id, text: "Still there"), now: $1) }

    valley.heal()
    try valley.converge()

    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in try replica.queries.reports() }.isEmpty)
    }
  }

  @Test func `an evacuate flag set on one side and cleared on the other is set`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Gas", toEvacuate: true)), now: $1)
    }
    try valley.converge()
    valley.cut(["Ada"], ["Ben"])
    try valley.at("Ada") {
      try $0.write(ReportRequests.edit(id, ReportChanges(toEvacuate: false)), now: $1)
    }
    // Ben clears and sets it again, which Ada has not seen.
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(toEvacuate: false)), now: $1)
    }
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(toEvacuate: true)), now: $1)
    }

    valley.heal()
    try valley.converge()

    for name in valley.names {
      let report = try valley.ask(name) { replica, _ in try replica.queries.report(id) }
      #expect(report.toEvacuate)
      #expect(report.conflicts.isEmpty)
    }
  }

  @Test func `setting the evacuate flag again wins over a concurrent clear`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Gas", toEvacuate: true)), now: $1)
    }
    try valley.converge()
    valley.cut(["Ada"], ["Ben"])
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(toEvacuate: false)), now: $1)
    }
    // Ada sees the flag set, and sets it again.
    try valley.at("Ada") {
      try $0.write(ReportRequests.edit(id, ReportChanges(toEvacuate: true)), now: $1)
    }

    valley.heal()
    try valley.converge()

    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in try replica.queries.report(id) }.toEvacuate)
    }
  }

  @Test func `additions of both sides are on both`() throws {
    var (valley, id) = try apart()
    for number in 0..<20 {
      try valley.at("Ada") {
        try $0.write(ReportRequests.add(ReportDraft(title: "A\(number)")), now: $1)
      }
      try valley.at("Cleo") {
        try $0.write(ReportRequests.add(ReportDraft(title: "C\(number)")), now: $1)
      }
    }
    try valley.at("Ada") { try $0.write(ReportRequests.confirm(id), now: $1) }
    try valley.at("Cleo") { try $0.write(ReportRequests.confirm(id), now: $1) }
    try valley.at("Ada") { try $0.write(ReportRequests.comment(id, text: "From above"), now: $1) }
    try valley.at("Cleo") { try $0.write(ReportRequests.comment(id, text: "From below"), now: $1) }

    valley.heal()
    let elapsed = try valley.converge()

    #expect(elapsed < 20_000, "\(elapsed) ms")
    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in try replica.queries.reports() }.count == 41)
      let report = try valley.ask(name) { replica, _ in try replica.queries.report(id) }
      #expect(report.confirmations == ["Ada", "Cleo"])
      #expect(Set(report.comments.map(\.text)) == ["From above", "From below"])
    }
  }
}
