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
  /// The certificate of the listener, to be published once the node knows what it published before;
  /// nil when it is.
  private var certificate: [UInt8]?
  let seed: @Sendable () -> [UInt8]
  let logger: Logger

  /// Rounds after which everything is compared, photos too, even if no frame is new.
  private static let wholeRounds = 15
  /// How long a round archives: other operations share the connection.
  private static let turn = Duration.milliseconds(500)

  private var rounds = 0
  private var known: (holdings: [UInt8], mark: ArchiveMark)?
  /// Whether the node may lack archived photos.
  private var lacksPhotos = true
  /// By log, the newest frame that the node may confirm.
  private var confirmed: [LogID: FrameHash] = [:]
  private var stuck = Stuck()
  /// Whether the last pass contained frames that follow others than the newest archived ones.
  private var isUnattached = false
  private var troubles = Troubles()

  /// What the node did not accept. It is offered again once more is archived, and photos with each
  /// whole round.
  private struct Stuck {
    var logs: [LogID: BranchHeads] = [:]
    var blobs: Set<BlobID> = []
  }

  init(
    node: Node, post: ArchivePost, certificate: [UInt8], seed: @escaping @Sendable () -> [UInt8],
    logger: Logger
  ) {
    (self.node, self.post, self.certificate) = (node, post, certificate)
    (self.seed, self.logger) = (seed, logger)
  }

  /// Performs a round, at a small cost if nothing has changed. Throws an `ArchiveFault` if the
  /// database cannot be reached. Any other fault concerns this operation alone: it is logged once,
  /// and later rounds try again.
  ///
  /// - Parameter pass: what the round before did not complete on this connection.
  /// - Returns: whether there is more to do at once.
  mutating func synchronize(
    with archive: Archive, continuing pass: inout ArchivePass?
  ) async throws -> Bool {
    guard troubles.isDue else { return false }
    do {
      let hasMore = try await exchange(with: archive, continuing: &pass)
      troubles.end()
      return hasMore
    } catch {
      guard archive.isConnected else { throw error }
      (pass, known) = (nil, nil)
      if troubles.begin("\(error)") {
        logger.error("\(post.local.operationName): \(error); trying again")
      }
      return false
    }
  }

  private mutating func exchange(
    with archive: Archive, continuing pass: inout ArchivePass?
  ) async throws -> Bool {
    let operation = post.local.operation
    let holdings = try await node.holdings()
    rounds += 1
    let isWhole = rounds % Self.wholeRounds == 1
    if isWhole { (lacksPhotos, stuck.blobs) = (true, []) }
    if let known, !isWhole, !lacksPhotos, known.holdings == holdings,
      try known.mark == archive.mark(of: operation)
    {
      return false
    }
    guard case .logStates(let states) = try await post.ask(.logStates) else {
      throw ArchivePost.unexpectedReply
    }
    let isArchived = try await archiveMore(in: archive, continuing: &pass)
    let mark = try archive.mark(of: operation)
    try await confirm(states, by: archive)
    let filler = NodeFiller(archive: archive, post: post, seed: seed)
    let logs = try await filler.step(states, skipping: stuck.logs)
    stuck.logs.merge(logs.stuck) { $1 }
    complain(of: logs.refused, "archived frames are rejected here")
    if logs.merged > 0 {
      logger.info("\(post.local.operationName): \(logs.merged) frames from the archive")
    }
    if !logs.hasMore {
      // What it lists is known now, and what it named before.
      try await fillPhotos(by: filler)
      if let certificate { await node.nameUplink(certificate) }
      certificate = nil
    }
    let isComplete = isArchived && !logs.hasMore
    known = isComplete ? (holdings, mark) : nil
    return !isComplete || lacksPhotos
  }

  /// Archives for the time of a turn.
  ///
  /// - Returns: whether nothing more is to be archived now.
  private mutating func archiveMore(
    in archive: Archive, continuing pass: inout ArchivePass?
  ) async throws -> Bool {
    if pass == nil {
      pass = try await ArchivePass(of: post, into: archive, isWhole: isUnattached)
    }
    try await pass?.perform(until: .now + Self.turn)
    guard let done = pass else { return true }
    guard done.isComplete else { return false }
    pass = nil
    let tally = done.tally
    complain(of: tally.frames.refused, "frames are not archived")
    // A branch that the archive does not know follows an earlier frame than its newest.
    isUnattached = tally.frames.refused[.unattached] != nil && !done.isWhole
    guard !isUnattached else { return false }
    // Photos are requested by the lists of frames that are archived.
    return try tally.frames.new == 0 || archive.missingBlobs(of: post.local.operation).isEmpty
  }

  /// Lets the node give receipts for what is stored, and for nothing else: a row of `heads` is no
  /// proof of it.
  private mutating func confirm(_ states: [LogState], by archive: Archive) async throws {
    let new = states.filter { confirmed[$0.strand] != $0.hash }
    guard !new.isEmpty else { return }
    let operation = post.local.operation
    let stored = try archive.archived(new.map(FrameName.init), in: operation)
    let archived = new.filter { stored.contains($0.hash) }
    try await node.confirmArchived(archived)
    for state in archived { confirmed[state.strand] = state.hash }
    guard archived.count < new.count else { return }
    let heads = try archive.heads(of: operation)
    let lost = new.count { !stored.contains($0.hash) && heads[$0.log]?.tips[$0.hash] != nil }
    guard lost == 0 else {
      throw ArchiveFault(
        "\(lost) logs are listed as archived, and their newest frames are not stored: restore the "
          + "database from a backup, or import everything into a new one")
    }
  }

  private mutating func fillPhotos(by filler: NodeFiller) async throws {
    guard lacksPhotos else { return }
    let photos = try await filler.step(try await node.wantedBlobs(), skipping: stuck.blobs)
    stuck.blobs.formUnion(photos.stuckBlobs)
    complain(of: photos.refused, "archived pieces of photos are rejected here")
    lacksPhotos = photos.hasMore
  }

  private mutating func complain(of refused: [BundleRefusal: Int], _ what: String) {
    for (reason, count) in refused.sorted(by: { $0.key < $1.key })
    where troubles.isNew(what, reason, count: count) {
      logger.warning("\(post.local.operationName): \(count) \(what) (\(reason.name))")
    }
  }
}

/// The faults of one operation: when it is tried again, and what was logged. What an insider can
/// repeat as often as it likes fills no disk.
private struct Troubles {
  private var fault = ""
  private var failures = 0
  private var dueAt: ContinuousClock.Instant?
  /// By kind, the largest count that was logged.
  private var counts: [String: Int] = [:]

  private static let longestPause = 32

  /// Whether the operation is tried again now.
  var isDue: Bool { dueAt.map { $0 <= .now } ?? true }

  /// Begins a pause. Returns whether the fault is another one than the last.
  mutating func begin(_ fault: String) -> Bool {
    failures += 1
    dueAt = .now + .seconds(min(Self.longestPause, 1 << min(failures, 5)))
    defer { self.fault = fault }
    return fault != self.fault
  }

  mutating func end() { (fault, failures, dueAt) = ("", 0, nil) }

  /// Returns whether a count is to be logged: the first one, and one that is twice the last.
  mutating func isNew(_ what: String, _ reason: BundleRefusal, count: Int) -> Bool {
    let kind = "\(what) \(reason.name)"
    guard count >= 2 * (counts[kind] ?? 0) else { return false }
    counts[kind] = count
    return true
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
}
