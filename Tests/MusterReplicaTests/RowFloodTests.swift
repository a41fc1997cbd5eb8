import MusterAttackers
import MusterCRDT
import MusterModel
import MusterStore
import MusterSync
import Testing

@testable import MusterReplica

/// A modified program writes to one row without end: what that costs others is bounded.
@Suite("Floods of one row")
struct RowFloodTests {
  private static let writes = 2000

  /// Ben's report, which all have, and Mia's writes to it, 400 in a frame.
  private func flooded(
    lanes: [Lane] = [.state], _ write: (RowID, Int) -> Write
  ) throws -> (valley: Valley, report: RowID) {
    var valley = try Valley.with("Anna", "Ben", "Mia")
    valley.checksInvariants = false
    let report = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    for start in stride(from: 0, to: Self.writes, by: 200) {
      let operations = (start..<start + 200).map { Operation.write(write(report, $0)) }
      let lane = lanes[start / 200 % lanes.count]
      try valley.at("Mia") {
        try MaliciousMember.author(&$0, unchecked: operations, lane: lane, now: $1)
      }
    }
    try valley.converge(within: 300_000)
    return (valley, report)
  }

  private func row(_ report: RowID, at name: String, in valley: inout Valley) throws -> RowState {
    try valley.ask(name) { replica, _ in
      try #require(try replica.core.store.row(RowKey(kind: .report, id: report)))
    }
  }

  /// Others write to the row, all show the same, also after restarts and the author's revocation.
  private func expectUnharmed(_ valley: inout Valley, _ report: RowID) throws {
    try valley.at("Ben") {
      try $0.write(ReportRequests.comment(report, text: "It spreads"), now: $1)
    }
    try valley.converge()
    for name in ["Anna", "Ben", "Mia"] {
      let comments = try valley.ask(name) { replica, _ in
        try replica.queries.reports().first { $0.id == report }?.comments.map(\.text)
      }
      #expect(comments?.contains("It spreads") == true)
    }
    try valley.restart("Anna")
    try valley.converge()
    let mia = valley.laptops[valley.index("Mia")].credentials.device
    try valley.at("Anna") { try $0.revoke(mia, now: $1) }
    valley.cut(["Anna", "Ben"], ["Mia"])
    try valley.run(milliseconds: 60_000)
    let rows = try ["Anna", "Ben"].map { try row(report, at: $0, in: &valley) }
    #expect(rows[0].canonical == rows[1].canonical)
    #expect(rows[0].values(of: .reportComments).contains { $0.value == .text("It spreads") })
  }

  @Test func `confirmations without end leave the newest 64 of each strand`() throws {
    let content = [UInt8](repeating: 7, count: 32)
    var (valley, report) = try flooded(lanes: [.state, .urgent]) { report, _ in
      Write(row: report, field: .reportContentConfirmations, value: .bytes(content))
    }
    let state = try row(report, at: "Anna", in: &valley)
    #expect(state.values(of: .reportContentConfirmations).count == 128)
    try expectUnharmed(&valley, report)
  }

  @Test func `names of writes that never come are no part of the row`() throws {
    var (valley, report) = try flooded { report, number in
      Write(
        row: report, field: .reportContentConfirmations, value: nil,
        supersedes: (0..<16).map {
          Dot(frame: Bytes16(high: 99, low: UInt64(number)), index: UInt16($0))
        })
    }
    let state = try row(report, at: "Anna", in: &valley)
    #expect(state.superseders == Self.writes * 16)
    #expect(state.encoded().count < 1000)
    try expectUnharmed(&valley, report)
  }

  @Test func `writes to a report that was never created are no part of its row`() throws {
    let invented = RowID(raw: Bytes16(high: 5, low: 5))
    var (valley, report) = try flooded { _, number in
      Write(row: invented, field: .reportComments, value: .text("comment \(number)"))
    }
    let state = try row(invented, at: "Anna", in: &valley)
    #expect(state.waiting == Self.writes)
    #expect(state.encoded().count < 200)
    try expectUnharmed(&valley, report)
  }

  @Test func `of comments without end 64 are shown, and the number of the others`() throws {
    var (valley, report) = try flooded(lanes: [.state, .urgent]) { report, number in
      Write(row: report, field: .reportComments, value: .text("comment \(number)"))
    }
    let shown = try valley.ask("Anna") { replica, _ in
      try #require(try replica.queries.reports().first { $0.id == report })
    }
    #expect(shown.comments.count == Limits.commentsOfAuthor)
    #expect(shown.moreComments == 2 * Limits.commentsOfStrand - Limits.commentsOfAuthor)
    // An honest program refuses before that.
    let refusal = try #require(throws: Refusal.self) {
      try valley.at("Mia") {
        try $0.write(ReportRequests.comment(report, text: "one more"), now: $1)
      }
    }
    #expect(refusal.description.contains("add a new report"))
    try expectUnharmed(&valley, report)
  }
}
