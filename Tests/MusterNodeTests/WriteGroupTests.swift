import Logging
import MusterModel
import Testing

@testable import MusterNode

/// Commands that arrive while another one is being committed.
@Suite("Commands at once")
struct WriteGroupTests {
  private static func node(in folder: ScratchFolder) throws -> Node {
    let home = folder.home()
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
    let opened = try OpenedHome(home, passphrase: { [] })
    return Node(opened, transport: nil, logger: Logger(label: "test"))
  }

  private static func status(of node: Node) async throws -> StatusSummary {
    guard case .status(let status) = await node.perform(.status) else {
      throw NodeError.refused("no status")
    }
    return status
  }

  @Test func `share frames, and each is answered`() async throws {
    let folder = try ScratchFolder()
    let node = try Self.node(in: folder)
    let before = try await Self.status(of: node).frames
    let replies = await withTaskGroup(of: Reply.self) { group in
      for number in 0..<200 {
        group.addTask {
          await node.perform(.addReport(ReportDraft(title: "Smoke \(number)")))
        }
      }
      var replies: [Reply] = []
      for await reply in group { replies.append(reply) }
      return replies
    }
    let created = Set(replies.compactMap { if case .created(let id) = $0 { id } else { nil } })
    #expect(created.count == 200)
    let after = try await Self.status(of: node)
    #expect(after.reports == 200)
    // One frame holds about ten such reports; the first may have been committed alone.
    #expect(after.frames - before <= 120)
  }

  @Test func `are rejected individually`() async throws {
    let folder = try ScratchFolder()
    let node = try Self.node(in: folder)
    let replies = await withTaskGroup(of: (Int, Reply).self) { group in
      for number in 0..<40 {
        // A report without a title is rejected.
        let title = number % 10 == 0 ? "" : "Smoke \(number)"
        group.addTask { (number, await node.perform(.addReport(ReportDraft(title: title)))) }
      }
      var replies: [Int: Reply] = [:]
      for await (number, reply) in group { replies[number] = reply }
      return replies
    }
    for (number, reply) in replies.sorted(by: { $0.key < $1.key }) {
      switch reply {
      case .created: #expect(number % 10 != 0)
      case .refused: #expect(number % 10 == 0)
      default: Issue.record("\(reply)")
      }
    }
    #expect(try await Self.status(of: node).reports == 36)
  }

  @Test func `a single one is performed at once`() async throws {
    let folder = try ScratchFolder()
    let node = try Self.node(in: folder)
    guard case .created(let id) = await node.perform(.addReport(ReportDraft(title: "Ash"))) else {
      return #expect(Bool(false), "no report")
    }
    let changes = ReportChanges(title: "Ash and dust")
    #expect(await node.perform(.editReport("\(id)", changes)) == .done)
    guard case .refused = await node.perform(.confirmReport("ffff")) else {
      return #expect(Bool(false), "an unknown report was confirmed")
    }
  }
}
