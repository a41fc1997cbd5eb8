import MusterModel
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

@Suite("Restarts")
struct RestartTests {
  private func incarnationState(_ name: String, in valley: inout Valley) throws
    -> Replica.IncarnationState
  {
    try valley.ask(name) { replica, _ in replica.incarnationState }
  }

  @Test func `a restart continues where it stopped`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: Limits.stagingMilliseconds)
    let before = try incarnationState("Ben", in: &valley)
    let status = try valley.ask("Ben") { try $0.status(now: $1) }
    var reports = try valley.ask("Ben") { replica, _ in try replica.queries.reports() }
    #expect(reports.map(\.delivery.devices) == [2])

    try valley.restart("Ben")
    // The holders are determined again.
    let commandPost = reports[0].delivery.commandPost
    reports[0].delivery = Delivery(devices: 1, total: 2, commandPost: commandPost)

    #expect(try incarnationState("Ben", in: &valley) == before)
    let after = try valley.ask("Ben") { try $0.status(now: $1) }
    #expect(after.stateHash == status.stateHash)
    #expect(after.root == status.root)
    #expect(after.frames == status.frames)
    #expect(try valley.ask("Ben") { replica, _ in try replica.queries.reports() } == reports)

    // And the next write continues the log
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(severity: 3)), now: $1)
    }
    try valley.converge()
    let sequences = try incarnationState("Ben", in: &valley).sequences
    #expect(sequences[.state] == before.sequences[.state].map { $0 + 1 })
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.report(id) }.severity == 3)
    #expect(try valley.ask("Ben") { replica, _ in try replica.verify() }.problems == [])
  }

  @Test func `a new incarnation opens new logs beside the old, and peers accept them`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Old")), now: $1) }
    try valley.converge()
    let before = try incarnationState("Ben", in: &valley)

    try valley.restart("Ben", start: .startsIncarnation(above: 0))
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "New")), now: $1) }
    try valley.converge()

    let after = try incarnationState("Ben", in: &valley)
    #expect(after.generation == before.generation + 1)
    #expect(after.incarnation != before.incarnation)
    #expect(after.sequences == [.state: 1])
    let opening = try #require(
      try valley.laptops[0].store.logs().first {
        $0.opening.incarnation == after.incarnation
      }?.opening)
    #expect(opening.generation == 2)
    let reports = try valley.ask("Ada") { replica, _ in try replica.queries.reports() }
    #expect(Set(reports.map(\.title)) == ["Old", "New"])
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify() }.problems == [])

    // And the new incarnation continues over a restart
    try valley.restart("Ben")
    #expect(try incarnationState("Ben", in: &valley) == after)
  }

  @Test func `an incarnation starts above the generation in the sentinel`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.restart("Ben", start: .startsIncarnation(above: 7))
    #expect(try incarnationState("Ben", in: &valley).generation == 8)
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1) }
    try valley.converge()
  }

  @Test func `an emptied device receives everything from its peers`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1) }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 0), now: $1) }
    try valley.converge()
    let hash = try valley.hashes()[0]

    // When its disk is lost, except the key file
    try valley.switchOff("Ben")
    let old = valley.laptops[1]
    valley.laptops[1] = Valley.Laptop(
      name: "Ben", endpoint: old.endpoint, credentials: old.credentials,
      path: folder.database("Ben again"), store: old.store)
    try valley.switchOn("Ben", start: .startsIncarnation(above: 1))
    try valley.converge()

    #expect(try valley.hashes() == [hash, hash])
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "More")), now: $1) }
    try valley.converge()
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.count == 2)
  }

  @Test func `positions of one incarnation replace one another over restarts`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    for round in 0..<3 {
      try valley.at("Ben") {
        try $0.ingest(fix(metresNorth: Int64(round), second: Int64(round)), now: $1)
      }
      try valley.converge()
      let users = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
      #expect(
        users.first { $0.callsign == "Ben" }?.fix?.position == place(metresNorth: Int64(round)))
      try valley.restart("Ben")
    }
  }

  @Test func `addresses of peers are stored`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.restart("Ben")
    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.rememberedEndpoints() }
        == [Valley.endpoint(0)])
  }
}
