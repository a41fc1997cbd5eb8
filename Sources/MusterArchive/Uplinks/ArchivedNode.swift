internal import Logging
internal import MusterModel
internal import MusterNode

/// A node of this process and the archive: what each has, the other gets.
///
///     node ── what it received ──▶ PostgreSQL ── what other instances stored ──▶ node
///       ◀── what is committed: its receipts state that
struct ArchivedNode: Sendable {
  let node: Node
  let post: ArchivePost
  /// The certificate of the listener, to be published once the node knows what it published before.
  let certificate: [UInt8]
  let seed: @Sendable () -> [UInt8]
  let logger: Logger

  /// Rounds after which everything is compared, photos too, even if no frame is new.
  private static let wholeRounds = 15

  private var rounds = 0
  private var known: (holdings: [UInt8], mark: ArchiveMark)?
  private var refused: [BundleRefusal: Int] = [:]
  private var hasCertificate = false
  private var complained = ""

  init(
    node: Node, post: ArchivePost, certificate: [UInt8], seed: @escaping @Sendable () -> [UInt8],
    logger: Logger
  ) {
    (self.node, self.post, self.certificate) = (node, post, certificate)
    (self.seed, self.logger) = (seed, logger)
  }

  /// Performs a round, at a small cost if nothing has changed. Throws a transient `ArchiveFault` if
  /// the database cannot be reached; any other fault is logged once.
  mutating func synchronize(with archive: Archive) async throws {
    do {
      try await exchange(with: archive)
      complained = ""
    } catch let fault as ArchiveFault where fault.isTransient {
      throw fault
    } catch {
      if complained != "\(error)" { logger.error("\(post.local.operationName): \(error)") }
      complained = "\(error)"
    }
  }

  private mutating func exchange(with archive: Archive) async throws {
    let operation = post.local.operation
    let holdings = try await node.holdings()
    rounds += 1
    let isWhole = rounds % Self.wholeRounds == 1
    if let known, !isWhole, known.holdings == holdings,
      try known.mark == archive.mark(of: operation)
    {
      return
    }
    guard case .logStates(let states) = try await post.ask(.logStates) else {
      throw ArchivePost.unexpectedReply
    }
    let tally = try await archive.update(from: post)
    if refused != tally.frames.refused {
      for (reason, count) in tally.frames.refused.sorted(by: { $0.key < $1.key }) {
        logger.warning(
          "\(post.local.operationName): \(count) frames are not archived (\(reason.name))")
      }
    }
    refused = tally.frames.refused
    let mark = try archive.mark(of: operation)
    try await node.confirmArchived(archive.archived(states, in: operation))
    let filler = NodeFiller(archive: archive, post: post, seed: seed())
    let merged = try await filler.mergeMissing(states)
    known = (holdings, mark)
    if merged > 0 {
      logger.info("\(post.local.operationName): \(merged) frames from the archive")
    }
    guard !hasCertificate else { return }
    await node.nameUplink(certificate)
    hasCertificate = true
  }
}

/// A value that changes whenever something of an operation is archived.
struct ArchiveMark: Hashable, Sendable {
  let heads: Int64
  let sequences: Int64
}

extension Archive {
  /// Returns the mark of an operation.
  func mark(of operation: OperationID) throws -> ArchiveMark {
    let row = try database.run(
      "SELECT count(*), coalesce(sum(sequence), 0)::bigint FROM heads WHERE operation = $1",
      [.bytes(operation.bytes)]
    ).first
    return ArchiveMark(heads: row?.integer(0) ?? 0, sequences: row?.integer(1) ?? 0)
  }

  /// Returns those logs of a node whose newest frame is stored.
  func archived(_ states: [LogState], in operation: OperationID) throws -> [LogState] {
    let heads = try heads(of: operation)
    let others = states.filter { heads[$0.log]?.tips[$0.hash] == nil }
    let found = try archived(others.map(FrameName.init), in: operation)
    return states.filter { heads[$0.log]?.tips[$0.hash] != nil || found.contains($0.hash) }
  }
}
