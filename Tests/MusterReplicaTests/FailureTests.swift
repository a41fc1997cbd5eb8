import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica
@testable import MusterStore

@Suite("A disk that is full")
struct FailureTests {
  /// Prevents a database from growing.
  private func fill(_ store: Store) throws {
    let pages = try #require(store.execute(unchecked: "PRAGMA page_count").first)
    try store.execute(unchecked: "PRAGMA max_page_count = \(pages)")
  }

  private func free(_ store: Store) throws {
    try store.execute(unchecked: "PRAGMA max_page_count = 1073741823")
  }

  /// Writes comments until the disk is full.
  private func write(
    on id: RowID, at name: String, in valley: inout Valley
  ) throws -> (acknowledged: [String], error: (any Error)?) {
    var acknowledged: [String] = []
    for number in 0..<200 {
      let text = "\(number) " + String(repeating: "words ", count: 300)
      do {
        try valley.at(name) { try $0.write(ReportRequests.comment(id, text: text), now: $1) }
        acknowledged.append(text)
      } catch {
        return (acknowledged, error)
      }
    }
    return (acknowledged, nil)
  }

  @Test func `a command on a full disk fails completely, and works again when there is space`()
    throws
  {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    let store = valley.laptops[1].store
    try fill(store)

    // When he writes until the disk is full
    let (acknowledged, error) = try write(on: id, at: "Ben", in: &valley)
    #expect(error as? StoreError == .diskFull)
    let status = try valley.ask("Ben") { try $0.status(now: $1) }
    let incarnationState = try valley.ask("Ben") { replica, _ in replica.incarnationState }

    // Then what was acknowledged is present, the rest is not, and reading still works
    let kept = try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }.comments
    #expect(Set(kept.map(\.text)) == Set(acknowledged))
    #expect(throws: StoreError.diskFull) {
      try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 0), now: $1) }
      try valley.at("Ben") {
        try $0.write(
          ReportRequests.comment(id, text: String(repeating: "x", count: 16_000)), now: $1)
      }
    }
    #expect(try valley.ask("Ben") { try $0.status(now: $1) }.stateHash == status.stateHash)
    #expect(try valley.ask("Ben") { replica, _ in replica.incarnationState } == incarnationState)

    // When there is space again
    try free(store)
    try valley.at("Ben") { try $0.write(ReportRequests.comment(id, text: "room again"), now: $1) }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 9, second: 9), now: $1) }
    try valley.at("Ada") { try $0.write(ReportRequests.comment(id, text: "hello"), now: $1) }
    try valley.converge()

    for name in valley.names {
      let comments = try valley.ask(name) { replica, _ in try replica.queries.report(id) }.comments
      #expect(Set(comments.map(\.text)) == Set(acknowledged + ["room again", "hello"]))
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
      let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
      #expect(
        users.first { $0.callsign == "Ben" }?.fix?.position == place(metresNorth: 9))
    }
  }

  @Test func `data that cannot be stored on arrival is stored later`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    let id = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    let store = valley.laptops[1].store
    try fill(store)
    valley.checksInvariants = false
    for number in 0..<40 {
      let text = "\(number) " + String(repeating: "words ", count: 300)
      try valley.at("Ada") { try $0.write(ReportRequests.comment(id, text: text), now: $1) }
    }

    // When Ben's disk rejects what Ada sends, his node continues with the next datagram.
    var failures = 0
    let end = valley.now.advanced(byMilliseconds: 5000)
    while valley.now < end {
      do {
        while try valley.step(until: end) {}
      } catch StoreError.diskFull {
        failures += 1
      }
    }
    #expect(failures > 0)
    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }.comments.count < 40)

    try free(store)
    try valley.converge(within: 120_000)

    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }.comments.count == 40)
    #expect(try valley.ask("Ben") { replica, _ in try replica.verify() }.problems == [])
  }

  @Test func `an address that cannot be stored undoes nothing`() throws {
    // Given a store that rejects only addresses
    var valley = Valley()
    try valley.found("Ada")
    try valley.laptops[0].store.execute(
      unchecked: """
        CREATE TEMP TRIGGER full BEFORE INSERT ON main.peers
        BEGIN SELECT RAISE(ABORT, 'no room'); END
        """)

    // When a device joins and writes
    try valley.join("Ben", invitedBy: "Ada")
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1) }
    try valley.converge()

    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.count == 1)
    #expect(
      try valley.ask("Ada") { replica, _ in try replica.queries.rememberedEndpoints() }.isEmpty)
    #expect(valley.laptops[0].remarks.contains { $0.hasPrefix("cannot remember 10.0.0.2:7474") })
  }

  @Test func `a failure after a write is durable is a remark, not an error of the write`() throws {
    struct Later: Error {}
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    // When something fails after Ben's frames are on disk
    var remarks: [String] = []
    try valley.at("Ben") { replica, now in
      let outcome = try replica.transact(now: now) { replica in
        let comment = Write(row: id, field: .reportComments, value: .text("wind from the west"))
        try replica.core.append([[.write(comment)]], lane: .state, now: now)
        throw Later()
      }
      remarks = outcome.remarks
      return outcome
    }
    // Then he gets no error, the log has a line, and all receive what he wrote.
    #expect(remarks.contains { $0.contains("the write is durable") })
    let comments = try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }.comments
    #expect(comments.map(\.text) == ["wind from the west"])
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Next")), now: $1) }
    try valley.converge()
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.count == 2)
    #expect(try valley.ask("Ben") { replica, _ in try replica.verify() }.problems == [])
  }

  @Test func `a failure before a write is durable leaves nothing of it`() throws {
    struct Earlier: Error {}
    var valley = try Valley.with("Ada", "Ben")
    #expect(throws: Earlier.self) {
      try valley.at("Ben") { replica, now in
        try replica.gather(now: now) { replica in
          _ = try replica.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: now)
          throw Earlier()
        }
      }
    }
    #expect(try valley.ask("Ben") { replica, _ in try replica.queries.reports() }.isEmpty)
    try valley.converge()
  }
}
