import Dispatch
import Logging
import MusterModel
import MusterReplica
import MusterTestKit
import Synchronization
import Testing

@testable import MusterNode

/// Reads of a snapshot, beside the node's queue (decision 0109).
@Suite("Reads beside the queue")
struct SnapshotReadTests {
  /// Holds the reads that pass it on their threads until the test opens it.
  private final class Gate: Sendable {
    private let count = Mutex(0)
    private let open = DispatchSemaphore(value: 0)

    var waiting: Int { count.withLock { $0 } }

    func pass() {
      count.withLock { $0 += 1 }
      open.wait()
    }

    func open(for reads: Int) { for _ in 0..<reads { open.signal() } }

    /// Waits until so many reads are held. Opens the gate if that fails, since the test waits for
    /// its reads at its end.
    func wait(for reads: Int) async throws {
      do {
        try await eventually("\(reads) reads are at the gate") { waiting == reads }
      } catch {
        open(for: 1000)
        throw error
      }
    }
  }

  private static func node(in folder: ScratchFolder) throws -> Node {
    let home = folder.home()
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
    return Node(
      try OpenedHome(home, passphrase: { [] }), transport: nil, logger: Logger(label: "test"))
  }

  private static func titles(of reply: Reply) -> [String]? {
    if case .reports(let reports) = reply { reports.map(\.title) } else { nil }
  }

  @Test func `do not delay a call for help, however many wait`() async throws {
    let folder = try ScratchFolder()
    let node = try Self.node(in: folder)
    let (gate, reads) = (Gate(), Replica.mostSnapshots + 40)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<reads {
        group.addTask { try await node.readSnapshot { _, _ in gate.pass() } }
      }
      try await gate.wait(for: Replica.mostSnapshots)
      // No read ends before the call is durable.
      let reply = await node.perform(.claimSafety(.needsHelp, note: "Trapped"))
      #expect(reply == .done)
      #expect(gate.waiting == Replica.mostSnapshots)
      gate.open(for: reads)
      try await group.waitForAll()
    }
    guard case .users(let users) = await node.perform(.users) else {
      Issue.record("no users")
      return
    }
    #expect(users.map(\.status) == [.mayday])
    await node.stop()
  }

  @Test func `show one moment, and later ones what was written before`() async throws {
    let folder = try ScratchFolder()
    let node = try Self.node(in: folder)
    let gate = Gate()
    _ = await node.perform(.addReport(ReportDraft(title: "Smoke")))
    async let earlier = node.readSnapshot { replica, now in
      gate.pass()
      return try Command.reports.reading(from: &replica, now: now)
    }
    try await gate.wait(for: 1)
    _ = await node.perform(.addReport(ReportDraft(title: "Flood")))
    let later = await node.perform(.reports)
    gate.open(for: 1)
    #expect(try await Self.titles(of: earlier) == ["Smoke"])
    #expect(Set(Self.titles(of: later) ?? []) == ["Smoke", "Flood"])
    await node.stop()
  }

  @Test func `write nothing`() async throws {
    let folder = try ScratchFolder()
    let node = try Self.node(in: folder)
    let before = await node.perform(.writtenThrough)
    await #expect(throws: (any Error).self) {
      try await node.readSnapshot { replica, now in
        _ = try replica.write(PersonRequests.setCallsign("Eve"), now: now)
      }
    }
    #expect(await node.perform(.writtenThrough) == before)
    _ = await node.perform(.addReport(ReportDraft(title: "Smoke")))
    #expect(await node.perform(.writtenThrough) != before)
    await node.stop()
  }

  @Test func `are refused after the node has stopped`() async throws {
    let folder = try ScratchFolder()
    let node = try Self.node(in: folder)
    let gate = Gate()
    async let last = node.readSnapshot { replica, now in
      gate.pass()
      return try Command.reports.reading(from: &replica, now: now)
    }
    try await gate.wait(for: 1)
    async let stopped: Void = node.stop()
    gate.open(for: 1)
    await stopped
    #expect(try await Self.titles(of: last) == [])
    guard case .refused = await node.perform(.reports) else {
      Issue.record("a stopped node answered")
      return
    }
  }
}
