import MusterModel
import MusterReplica
import MusterTestKit
import Testing

@Suite("Entries too large for a frame")
struct PartsTests {
  @Test(arguments: [0, 30])
  func `a long description and a long outline are sent in parts`(lossPercent: Int) throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.checksInvariants = false
    valley.air.lossPercent = lossPercent
    let words = String(repeating: "Rauch über dem Grat. ", count: 1000)
    let details = String(words.prefix(15_000))
    #expect(details.utf8.count <= Limits.paragraphBytes)

    let report = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke", details: details)), now: $1)
    }
    let fence = try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "Burnt", kind: .hazard, geometry: outline(rings: 1))),
        now: $1)
    }
    try valley.converge()

    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.report(report) }.details == details)
    let fences = try valley.ask("Ben") { replica, _ in try replica.queries.fences() }
    #expect(fences.map(\.id) == [fence])
    #expect(fences.map(\.geometry) == [outline(rings: 1)])
    for name in valley.names {
      let status = try valley.ask(name) { try $0.status(now: $1) }
      #expect(status.waitingFrames == 0)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    #expect(lossPercent == 0 || valley.air.lost > 0)
  }

  @Test func `a description in parts supersedes its author's previous one`() throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.checksInvariants = false
    let report = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke", details: "none")), now: $1)
    }
    let details = String(repeating: "over the ridge ", count: 500)
    for text in [details, "gone", details + "again"] {
      try valley.at("Ada") {
        try $0.write(ReportRequests.edit(report, ReportChanges(details: text)), now: $1)
      }
      try valley.converge()
      for name in valley.names {
        let seen = try valley.ask(name) { replica, _ in try replica.queries.report(report) }
        #expect(seen.details == text)
        #expect(seen.conflicts.isEmpty)
      }
    }
  }

  @Test func `parts wait over a restart for the missing ones`() throws {
    // Given an outline of 7,000 vertices that is sent over a narrow link, part by part
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", seed: 5, in: folder)
    valley.checksInvariants = false
    try valley.at("Ada") { try $0.limitLinks(to: LinkRate(bytesPerSecond: 8000), now: $1) }
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "Burnt", kind: .hazard, geometry: outline(rings: 7))),
        now: $1)
    }
    let half = try valley.wait(upTo: 120_000) {
      try $0.ask("Ben") { try $0.status(now: $1) }.waitingFrames > 0
    }
    if half == nil { print(try valley.describe()) }
    try #require(half != nil)
    #expect(try valley.ask("Ben") { replica, _ in try replica.queries.fences() }.isEmpty)
    #expect(try valley.ask("Ben") { replica, _ in try replica.verify() }.problems == [])

    // When the device restarts before the rest has arrived
    try valley.restart("Ben")
    #expect(try valley.ask("Ben") { try $0.status(now: $1) }.waitingFrames > 0)
    valley.air.lossPercent = 10
    try valley.converge(within: 300_000)

    let fences = try valley.ask("Ben") { replica, _ in try replica.queries.fences() }
    #expect(fences.map(\.geometry) == [outline(rings: 7)])
    #expect(try valley.ask("Ben") { try $0.status(now: $1) }.waitingFrames == 0)
    #expect(try valley.ask("Ben") { replica, _ in try replica.verify() }.problems == [])
  }
}
