import Foundation
import MusterModel
import MusterReplica
import Testing

@testable import MusterNode

@Suite("Frontier on disk")
struct FrontierFileTests {
  private let scratch: ScratchFolder
  private let credentials: Credentials
  /// Records with an increasing number of frames.
  private let holdings: [Frontier]

  init() throws {
    scratch = try ScratchFolder()
    let home = scratch.home()
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
    var opened = try OpenedHome(home, passphrase: { [] })
    credentials = opened.credentials
    var holdings: [Frontier] = []
    for number in 1...4 {
      _ = try opened.replica.write(
        ReportRequests.add(ReportDraft(title: "Smoke \(number)")), now: SystemClock.reading)
      holdings.append(try opened.replica.queries.holdings())
    }
    self.holdings = holdings
    try opened.replica.close()
  }

  private var directory: String { scratch.path + "/deep/state" }
  private var file: FrontierFile {
    FrontierFile(directory: directory, credentials: credentials)
  }

  private func read() throws -> Frontier? {
    var file = file
    return try file.read(of: credentials)
  }

  private func path(_ slot: Int) -> String { "\(directory)/\(credentials.device).held-\(slot)" }

  @Test func `before the first write there are none, and reading creates no file`() throws {
    #expect(try read() == nil)
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  @Test func `the last write is read, by the same object and after the next start`() throws {
    var writer = file
    #expect(try writer.read(of: credentials) == nil)
    for written in holdings.prefix(3) {
      try writer.write(written, of: credentials)
      #expect(try writer.read(of: credentials) == written)
      #expect(try read() == written)
    }
    var next = file
    _ = try next.read(of: credentials)
    try next.write(holdings[3], of: credentials)
    #expect(try read() == holdings[3])
    #expect(try OnDisk.mode(of: path(0)) == 0o600)
    #expect(try OnDisk.mode(of: path(1)) == 0o600)
  }

  @Test func `a torn write leaves the previous record, and is overwritten next`() throws {
    var writer = file
    for written in holdings.prefix(2) { try writer.write(written, of: credentials) }
    let whole = try OnDisk.bytes(at: path(1))
    for count in stride(from: 0, to: whole.count, by: 7) {
      try Data(whole[..<count]).write(to: URL(fileURLWithPath: path(1)))
      #expect(try read() == holdings[0], "\(count) bytes")
    }
    var next = file
    _ = try next.read(of: credentials)
    try next.write(holdings[2], of: credentials)
    #expect(try read() == holdings[2])
    try Data().write(to: URL(fileURLWithPath: path(1)))
    #expect(try read() == holdings[0])
  }

  @Test func `a link or a pipe at the path is rejected`() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try OnDisk.setMode(0o700, of: directory)
    let victim = try scratch.file("victim", [1])
    try FileManager.default.createSymbolicLink(atPath: path(0), withDestinationPath: victim)
    var writer = file
    #expect(throws: HomeError.notAFile(path(0))) { try writer.write(holdings[0], of: credentials) }
    #expect(try OnDisk.bytes(at: victim) == [1])
  }
}
