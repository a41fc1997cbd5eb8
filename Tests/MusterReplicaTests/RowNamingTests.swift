import MusterCrypto
import MusterModel
import MusterStore
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

@Suite("Rows that are named by an earlier frame")
struct RowNamingTests {
  private func edit(_ report: RowID, _ title: String, at name: String, in valley: inout Valley)
    throws
  {
    try valley.at(name) {
      try $0.write(ReportRequests.edit(report, ReportChanges(title: title)), now: $1)
    }
  }

  private func expectTitle(_ title: String, of report: RowID, in valley: inout Valley) throws {
    for name in valley.names {
      let seen = try valley.ask(name) { replica, _ in try replica.queries.report(report) }
      #expect(seen.title == title)
      #expect(seen.conflicts.isEmpty)
      #expect(try valley.ask(name) { try $0.status(now: $1) }.waitingFrames == 0)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  @Test func `an edit takes few bytes, and is read after restarts on both sides`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", seed: 6, in: folder)
    let report = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "r")), now: $1)
    }
    try edit(report, "first", at: "Ada", in: &valley)
    let frame = try valley.ask("Ada") { replica, _ in
      try replica.core.store.frame(try #require(replica.core.own.writer.heads[.state].map(\.place)))
    }
    // Nonce and tag, the time, and: field, flags, distance, index, text
    #expect(try #require(frame).body.count == 40 + 7 + 2 + 4 + 6)
    try valley.converge()

    // The reader has forgotten what the previous frame named
    try valley.restart("Ben")
    try edit(report, "second", at: "Ada", in: &valley)
    try valley.converge()
    try expectTitle("second", of: report, in: &valley)
    // So has the writer
    try valley.restart("Ada")
    try edit(report, "third", at: "Ada", in: &valley)
    try edit(report, "fourth", at: "Ada", in: &valley)
    try valley.converge()
    try expectTitle("fourth", of: report, in: &valley)
  }

  @Test func `under a new epoch rows are named again, and edits before and after merge`() throws {
    var valley = try Valley.with("Ada", "Ben", seed: 7)
    let report = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "r")), now: $1)
    }
    try edit(report, "before", at: "Ben", in: &valley)
    try valley.converge()
    try valley.at("Ada") { try $0.rotateEpoch(now: $1) }
    try edit(report, "after", at: "Ada", in: &valley)
    try valley.converge()
    for title in ["later", "later still", "last"] {
      try edit(report, title, at: "Ben", in: &valley)
      try edit(report, title, at: "Ben", in: &valley)
      try valley.converge()
    }
    try expectTitle("last", of: report, in: &valley)
  }

  @Test func `a write with an invalid row reference has no effect, on every node alike`() throws {
    var valley = try Valley.with("Ada", "Ben", seed: 8)
    let report = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "r")), now: $1)
    }
    try edit(report, "mine", at: "Ben", in: &valley)
    try valley.converge()
    let sequence = try valley.ask("Ben") { replica, _ in
      try #require(replica.core.own.writer.heads[.state]).sequence
    }
    let title = Field.reportTitle.rawValue
    // Frames back, and the index there: to the opening and before it, to a frame that names no row,
    // to an invalid index, and to this frame itself.
    let wrong: [(UInt8, UInt8)] = [
      (UInt8(sequence + 1), 0), (UInt8(sequence + 5), 0), (1, 0), (2, 9), (0, 0),
    ]
    for (distance, index) in wrong {
      try sign([title, 0b1100, distance, index, 1, 65], by: "Ben", in: &valley)
    }
    try valley.converge()
    try expectTitle("mine", of: report, in: &valley)

    // And a correct one, after all of those
    let back = UInt8(wrong.count + 2)
    try sign([title, 0b1_1100, back, 0, 2, 79, 75], by: "Ben", in: &valley)
    try valley.converge()
    try expectTitle("OK", of: report, in: &valley)
  }

  @Test func `a write that refers to a frame of a later version waits with it`() throws {
    var valley = try Valley.with("Ada", "Ben", seed: 9)
    let report = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "r")), now: $1)
    }
    try valley.converge()
    let title = Field.reportTitle.rawValue
    try sign([title, 0b1001] + report.bytes + [1, 65, 250, 0], by: "Ben", in: &valley)
    try sign([title, 0b1100, 1, 0, 1, 66], by: "Ben", in: &valley)
    let both = try valley.wait(upTo: 60_000) { valley in
      try valley.names.allSatisfy { name in
        try valley.ask(name) { try $0.status(now: $1) }.waitingFrames == 2
      }
    }
    #expect(both != nil)
    for name in valley.names {
      #expect(
        try valley.ask(name) { replica, _ in try replica.queries.report(report) }.title == "r")
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  /// Lets a device sign packed writes that its program would not create.
  private func sign(_ packed: [UInt8], by name: String, in valley: inout Valley) throws {
    let plaintext: [UInt8] = [5 << 3 | 2, UInt8(packed.count)] + packed
    try valley.at(name) { replica, now in
      try replica.transact(now: now) { replica in
        let epoch = try #require(replica.core.currentEpoch)
        let head = try #require(replica.core.own.writer.heads[.state])
        let opening = try #require(try replica.core.store.log(head.log)).opening
        let frame = Frame.sealed(
          operation: replica.core.local.operation, log: head.log, sequence: head.sequence + 1,
          previous: head.hash, epoch: epoch.id, plaintext: plaintext, key: epoch.key,
          nonce: replica.core.own.random.nonce24(), signedBy: replica.core.local.signingKey)
        try replica.core.hold([frame], opening: opening, now: now)
        try replica.core.commit(now: now)
        try replica.core.run(.appended(opening, [frame]), now: now)
        replica.core.own.writer.reset(to: try replica.core.store.logs())
      }
    }
  }
}

extension Head {
  fileprivate var place: FramePosition { FramePosition(log: log, sequence: sequence) }
}
