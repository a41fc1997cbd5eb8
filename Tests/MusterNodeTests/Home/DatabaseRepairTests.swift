import Foundation
import MusterModel
import MusterReplica
import Testing

@testable import MusterNode

/// The exchange of a damaged database for a new one, with any interruption.
@Suite("A damaged database is replaced")
struct DatabaseRepairTests {
  private let scratch: ScratchFolder
  private let home: NodeHome

  init() throws {
    scratch = try ScratchFolder()
    home = scratch.home()
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
    var opened = try OpenedHome(home, passphrase: { [] })
    for number in 1...5 {
      _ = try opened.replica.write(
        ReportRequests.add(ReportDraft(title: "Smoke \(number)")), now: SystemClock.reading)
    }
    try opened.writeSentinel()
    try opened.writeHoldings()
    try opened.replica.close()
  }

  private func opened() throws -> OpenedHome { try OpenedHome(home, passphrase: { [] }) }

  private func exists(_ suffix: String) -> Bool {
    FileManager.default.fileExists(atPath: home.databasePath + suffix)
  }

  private func titles(_ opened: OpenedHome) throws -> [String] {
    try opened.replica.queries.reports().map(\.title).sorted()
  }

  private static let all = (1...5).map { "Smoke \($0)" }

  /// Corrupts a byte of the first page.
  private func spoil() throws {
    var bytes = try Data(contentsOf: URL(filePath: home.databasePath))
    bytes[70] ^= 1
    try bytes.write(to: URL(filePath: home.databasePath))
  }

  @Test func `by one with all readable data`() throws {
    try spoil()
    let spoilt = try Data(contentsOf: URL(filePath: home.databasePath))
    do {
      let first = try opened()
      let remark = try #require(first.repairRemark)
      #expect(remark.hasPrefix("the database was damaged"))
      #expect(!remark.contains("\n"))
      #expect(try titles(first) == Self.all)
      #expect(first.replica.incarnationState.generation == 2)
      try first.replica.close()
    }
    #expect(try Data(contentsOf: URL(filePath: home.databasePath + ".damaged-1")) == spoilt)
    #expect(!exists(".mended") && !exists(".mending"))

    let second = try opened()
    #expect(second.repairRemark == nil)
    #expect(second.replica.incarnationState.generation == 2)
    try second.replica.close()
  }

  @Test func `not before the new one is complete`() throws {
    try Data(repeating: 7, count: 5000).write(to: URL(filePath: home.databasePath + ".mending"))
    let opened = try opened()
    #expect(opened.repairRemark == nil)
    #expect(try titles(opened) == Self.all)
    try opened.replica.close()
  }

  @Test(arguments: 0...2)
  func `after a crash interrupted the exchange`(step: Int) throws {
    // Given a complete new database, and an old one with a log that must not be opened with the new
    // one
    let files = FileManager.default
    try files.copyItem(atPath: home.databasePath, toPath: home.databasePath + ".mended")
    try Data(repeating: 7, count: 5000).write(to: URL(filePath: home.databasePath + "-wal"))
    let kept = home.databasePath + ".damaged-1"
    if step > 0 { try files.moveItem(atPath: home.databasePath + "-wal", toPath: kept + "-wal") }
    if step > 1 { try files.moveItem(atPath: home.databasePath, toPath: kept) }

    let opened = try opened()

    #expect(opened.repairRemark == nil)
    #expect(try titles(opened) == Self.all)
    #expect(exists(".damaged-1") && exists(".damaged-1-wal"))
    #expect(!exists(".damaged-2") && !exists(".mended"))
    try opened.replica.close()
  }

  @Test func `while it is in use`() throws {
    var opened = try opened()
    let isRepaired = try opened.repair("a page is not as it was written")
    #expect(isRepaired)
    #expect(opened.repairRemark != nil)
    #expect(try titles(opened) == Self.all)
    _ = try opened.replica.write(
      ReportRequests.add(ReportDraft(title: "Smoke 6")), now: SystemClock.reading)
    #expect(try opened.replica.verify().problems == [])
    try opened.replica.close()
  }

  @Test func `and a missing one is created again, with missing frames named`() throws {
    try FileManager.default.removeItem(atPath: home.databasePath)
    let missing: [MissingFrames]
    do {
      var opened = try opened()
      #expect(opened.repairRemark?.contains("is gone") == true)
      missing = try opened.replica.queries.missingFrames()
      // The sentinel has no record of the root's log.
      #expect(Set(missing.map(\.log)).count == 3)
      #expect(try !opened.replica.verify().isOK)
      try opened.writeHoldings()
      try opened.replica.close()
    }

    // And the record of missing frames survives the next loss, although no frames are held any more
    try FileManager.default.removeItem(atPath: home.databasePath)
    let again = try opened()
    let still = try again.replica.queries.missingFrames()
    #expect(missing.allSatisfy { still.contains($0) })
    try again.replica.close()
  }

  @Test func `holdings are recorded from time to time, and not with each commit`() throws {
    var opened = try opened()
    let files = [0, 1].map {
      "\(home.stateDirectory)/\(opened.credentials.device).held-\($0)"
    }
    func kept() -> [Data?] { files.map { FileManager.default.contents(atPath: $0) } }
    let start = SystemClock.instant
    try opened.writeHoldingsIfDue(now: start)
    let first = kept()
    _ = try opened.replica.write(
      ReportRequests.add(ReportDraft(title: "Smoke 6")), now: SystemClock.reading)
    try opened.writeHoldingsIfDue(now: start.advanced(byMilliseconds: 59_999))
    #expect(kept() == first)
    try opened.writeHoldingsIfDue(now: start.advanced(byMilliseconds: 60_000))
    let second = kept()
    #expect(second != first)
    // Unchanged holdings are not written.
    try opened.writeHoldingsIfDue(now: start.advanced(byMilliseconds: 120_000))
    #expect(kept() == second)
    try opened.replica.close()
  }
}
