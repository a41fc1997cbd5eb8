import MusterModel
import MusterTestKit
import Testing

@testable import MusterReplica

@Suite("Epoch keys")
struct KeyTests {
  private func rotate(_ name: String, in valley: inout Valley) throws {
    try valley.at(name) { try $0.rotateEpoch(now: $1) }
  }

  @Test func `frames that arrive before their key wait for it, over a restart too`() throws {
    // Given a new key that only Ada has, and a relay that carries her frames to Ben
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.join("Relay", invitedBy: "Ada", role: .relay)
    try valley.converge()
    valley.cut(["Ada", "Relay"], ["Ben"])
    try rotate("Ada", in: &valley)
    let id = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    let long = String(repeating: "It burns. ", count: 200)
    try valley.at("Ada") { try $0.write(ReportRequests.comment(id, text: long), now: $1) }
    try valley.run(milliseconds: 20_000)
    valley.cut(["Ada"], ["Ben", "Relay"])
    let held = try valley.wait(upTo: 60_000) {
      try $0.ask("Ben") { try $0.status(now: $1) }.waitingFrames > 0
    }
    try #require(held != nil)
    try valley.run(milliseconds: 20_000)

    // Then Ben holds them, reports that he cannot read them, and keeps them
    let waiting = try valley.ask("Ben") { try $0.status(now: $1) }
    #expect(waiting.stateIsIncomplete)
    #expect(try valley.ask("Ben") { replica, _ in try replica.queries.reports() }.isEmpty)
    try valley.restart("Ben")
    let after = try valley.ask("Ben") { try $0.status(now: $1) }
    #expect(after.waitingFrames == waiting.waitingFrames)
    #expect(after.stateHash == waiting.stateHash)

    // When Ada is in reach again, he requests the key
    valley.heal()
    try valley.converge()

    let report = try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }
    #expect(report.title == "Smoke")
    #expect(report.comments.map(\.text) == [long])
    #expect(try valley.ask("Ben") { replica, _ in try replica.verify() }.problems == [])
  }

  @Test func `a commander sends a key that was sealed to her, while its author is away`() throws {
    // Given Ben out of reach while Ada creates a key, uses it and leaves
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Cleo", invitedBy: "Ada", role: .command)
    try valley.converge()
    valley.cut(["Ada", "Cleo"], ["Ben"])
    try rotate("Ada", in: &valley)
    let id = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.run(milliseconds: 20_000)
    #expect(
      try valley.ask("Cleo") { replica, _ in try replica.queries.report(id) }.title == "Smoke")

    // Then Cleo, who found it sealed to her in the announcement, sends it
    valley.cut(["Ada"], ["Ben", "Cleo"])
    let read = try valley.wait(upTo: 60_000) {
      try $0.ask("Ben") { replica, _ in try replica.queries.reports() }.map(\.title) == ["Smoke"]
    }
    #expect(read != nil)
  }

  @Test func `a late joiner reads earlier data, under every key`() throws {
    var valley = try Valley.with("Ada")
    for number in 0..<4 {
      try valley.at("Ada") {
        try $0.write(ReportRequests.add(ReportDraft(title: "\(number)")), now: $1)
      }
      try rotate("Ada", in: &valley)
    }
    try valley.join("Ben", invitedBy: "Ada")
    try valley.converge()

    let reports = try valley.ask("Ben") { replica, _ in try replica.queries.reports() }
    #expect(Set(reports.map(\.title)) == ["0", "1", "2", "3"])
  }

  @Test func `a late joiner reads the last position of a lost laptop, whatever its key`() throws {
    // Given a key with which Ben sealed his position, and no device anything else,
    var valley = try Valley.with("Ada", "Ben")
    try rotate("Ada", in: &valley)
    try valley.converge()
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 300, second: 1), now: $1) }
    try valley.converge()
    try valley.switchOff("Ben")
    try rotate("Ada", in: &valley)
    // when Cleo joins without him, she shows it.
    try valley.join("Cleo", invitedBy: "Ada")
    let shown = try valley.wait(upTo: 60_000) {
      try $0.ask("Cleo") { try $0.statuses(now: $1).users() }
        .contains { $0.callsign == "Ben" && $0.fix != nil }
    }
    #expect(shown != nil)
  }

  @Test func `a commander's epoch counts over restarts, in any order of the logs`() throws {
    for seed in UInt64(1)...6 {
      var valley = try Valley.with("Ada", seed: seed)
      try valley.join("Ben", invitedBy: "Ada", role: .command)
      try valley.join("Cleo", invitedBy: "Ben", role: .command)
      try valley.converge()
      try valley.at("Cleo") { try $0.rotateEpoch(now: $1) }
      try valley.converge()

      for name in valley.names { try valley.restart(name) }

      for name in valley.names {
        let epochs = try valley.ask(name) { replica, _ in replica.core.control.epochs.count }
        #expect(epochs == 2, "\(name) knows \(epochs) epochs at seed \(seed)")
      }
    }
  }
}
