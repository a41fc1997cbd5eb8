import MusterModel
import MusterReplica
import MusterStore

/// Checks that no acknowledged write is lost: every frame of an acknowledged command is on that
/// node's disk after every restart, and at the end on all disks.
///
/// Tracks how far each log was acknowledged; the hash chain covers the earlier frames.
final class LostWriteChecker: Checker {
  private let promise = "no acknowledged write is lost"

  /// How far a log was written, and by which node.
  struct Entry {
    let author: Int
    /// The newest written frame.
    let written: Head
    /// The newest frame that all nodes must hold in the end.
    var head: Head
  }

  /// The logs that a node's current incarnation writes, by lane, and how far they are known to
  /// reach.
  private struct OwnLogs {
    var logs: [Lane: LogID] = [:]
    var sequences: [Lane: UInt64] = [:]
  }

  private(set) var ledger: [LogID: Entry] = [:]
  /// By node, since its last start.
  private var own: [Int: OwnLogs] = [:]
  /// Nodes whose logs are exempt, and those of them whose logs may be forked.
  private let (doubtful, forkers): (Set<Int>, Set<Int>)

  init(doubtful: Set<Int>, forkers: Set<Int>) {
    (self.doubtful, self.forkers) = (doubtful, forkers)
  }

  /// In a fixed order.
  private var entries: [Entry] { ledger.values.sorted { $0.head.log < $1.head.log } }

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    var known = own[node.index] ?? OwnLogs()
    guard let incarnationState = node.incarnationState,
      incarnationState.sequences != known.sequences
    else { return }
    for lane in Lane.allCases where incarnationState.sequences[lane] != known.sequences[lane] {
      guard let head = try head(of: lane, at: node, known: &known.logs) else { continue }
      ledger[head.log] = Entry(author: node.index, written: head, head: head)
    }
    known.sequences = incarnationState.sequences
    own[node.index] = known
  }

  private func head(
    of lane: Lane, at node: SimulatedNode, known logs: inout [Lane: LogID]
  ) throws -> Head? {
    if logs[lane] == nil, let incarnation = node.incarnationState?.incarnation {
      for log in try node.store.logs() where log.opening.incarnation == incarnation {
        logs[log.opening.lane] = log.head.log
      }
    }
    guard let log = logs[lane] else { return nil }
    return try node.store.log(log)?.head
  }

  func started(_ node: SimulatedNode, in world: World) throws {
    own[node.index] = nil
    for entry in entries where entry.author == node.index {
      try check(entry, at: node, in: world, when: "after a start")
    }
    try noteWhatWasKept(by: node)
  }

  /// A commit that failed or was not acknowledged may be stored nevertheless: its author continues
  /// after it, in the same incarnation or the next.
  func noteWhatWasKept(by node: SimulatedNode) throws {
    guard node.mayHaveKeptMore else { return }
    for log in try node.store.logs() where log.opening.certificate == node.credentials.certificate {
      if let known = ledger[log.head.log], known.written.sequence >= log.head.sequence { continue }
      ledger[log.head.log] = Entry(author: node.index, written: log.head, head: log.head)
    }
  }

  /// Data of any author that only that disk held is lost with it: the last copy of a frame may be
  /// on another node's disk if its author was restored before. Until this moment some disk must
  /// have held it.
  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    for entry in entries
    where !forgotten.contains(entry.head.log) && !doubtful.contains(entry.author) {
      let log = entry.head.log
      if entry.author == node.index { survivors.insert(log) }
      let newest = try newestHead(of: log, in: world.nodes.map(\.store))
      guard newest.map({ $0.sequence < entry.head.sequence }) ?? true else { continue }
      let before = try lost.log(log)?.head.sequence
      if before.map({ $0 < entry.head.sequence }) ?? true {
        world.report(
          promise, "no node held frame \(entry.head.place) of \(world.nodes[entry.author].name)")
      }
      if let newest { ledger[log]?.head = newest } else { forgotten.insert(log) }
    }
  }

  private func newestHead(of log: LogID, in stores: [Store]) throws -> Head? {
    try stores.compactMap { try $0.log(log)?.head }.max { $0.sequence < $1.sequence }
  }

  /// Logs of incarnations that a restore ended: other nodes hold them, and their author temporarily
  /// does not.
  private var survivors: Set<LogID> = []
  /// Logs that no node holds any more.
  private var forgotten: Set<LogID> = []

  private func check(
    _ entry: Entry, at node: SimulatedNode, in world: World, when: String
  ) throws {
    guard !doubtful.contains(entry.author) else { return }
    guard when != "after a start" || !survivors.contains(entry.head.log),
      !forgotten.contains(entry.head.log)
    else { return }
    let place = entry.head.place
    let author = world.nodes[entry.author].name
    guard let held = try node.store.log(entry.head.log)?.head,
      held.sequence >= entry.head.sequence
    else {
      return world.report(promise, "\(node.name) lacks frame \(place) of \(author) \(when)")
    }
    let frame = try node.store.frame(place)
    guard frame?.hash == entry.head.hash else {
      return world.report(promise, "\(node.name) holds another frame \(place) of \(author)")
    }
  }

  /// Data that a restore took from its author, and that only revoked devices still hold, is lost
  /// too: no peer requests it from them.
  private func forgetWhatOnlyTheRevokedHold(in world: World) throws {
    let asked = world.nodes.filter { !world.isRevoked($0) }.map(\.store)
    for log in survivors.sorted() {
      guard let entry = ledger[log], !forgotten.contains(log) else { continue }
      guard let newest = try newestHead(of: log, in: asked) else {
        forgotten.insert(log)
        continue
      }
      if newest.sequence < entry.head.sequence { ledger[log]?.head = newest }
    }
  }

  func conclude(_ world: World) throws {
    try forgetWhatOnlyTheRevokedHold(in: world)
    // Missing convergence is reported separately: the data is late, not lost.
    let hasConverged = world.record.convergedMilliseconds != nil
    // Revoked devices and clones are not guaranteed to receive others' data.
    for node in world.nodes where !world.isRevoked(node) && !forkers.contains(node.index) {
      for entry in entries where hasConverged || entry.author == node.index {
        try check(entry, at: node, in: world, when: "at the end")
      }
    }
  }
}

extension Head {
  fileprivate var place: FramePosition { FramePosition(log: log, sequence: sequence) }
}
