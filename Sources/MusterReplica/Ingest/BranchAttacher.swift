internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Forks: logs with two frames at one position. Every node holds all branches as strands, and the
/// writes of every branch count. A fork stops only its author, which starts a new incarnation.
///
/// A log with more than `Limits.branchesPerLog` branches does not count from its lowest fork on. A
/// node that receives one branch more makes a `ForkProof`. From then on the proof alone decides, on
/// this node and on those that receive it, and further branches are not stored. A branch that shows
/// a lower fork causes a proof of that fork.
enum BranchAttacher {
  /// Stores verified frames that follow a held frame of their log, and creates strands if they fork
  /// it. Returns false if no frame was stored.
  @discardableResult
  static func attach(
    _ frames: [Frame], opening: Opening, from device: DeviceID, to core: inout ReplicaCore,
    now: ClockReading
  ) throws -> Bool {
    guard let log = frames.first?.log, let last = frames.last?.sequence else { return false }
    try core.commit(now: now)
    switch try core.store.attachment(of: frames) {
    case .known:
      core.transaction.tally?.frames.known += frames.count
      try core.run(.attached(log, device, .known(through: last)), now: now)
      return false
    case .unattached:
      core.transaction.tally?.frames.refuse(.unattached, frames.count)
      try core.run(.attached(log, device, .unattached), now: now)
      return false
    case .refused:
      core.transaction.tally?.frames.refuse(.overLimit, frames.count)
      try core.run(.attached(log, device, .refused(frames[0].strand)), now: now)
      return false
    case .grows(_, let new)
    where core.control.forkEnd(of: log).map({ new[0].sequence > $0 }) ?? false:
      // Frames past the proved fork do not count.
      core.transaction.tally?.frames.refuse(.overLimit, new.count)
      try core.run(.attached(log, device, .refused(frames[0].strand)), now: now)
      return false
    case .grows(let strand, let new):
      core.transaction.countGrowth(by: new, of: frames)
      try core.hold(named(new, strand, of: log), opening: opening, now: now)
      try core.commit(now: now)
    case .branches(let place, let before, let new):
      guard core.control.forkEnd(of: log) == nil else {
        core.transaction.tally?.frames.refuse(.overLimit, frames.count)
        try core.proveLowerFork(at: place, with: new, now: now)
        try core.run(.attached(log, device, .refused(frames[0].strand)), now: now)
        return false
      }
      core.transaction.countGrowth(by: new, of: frames)
      try part(place, before: before, with: new, opening: opening, in: &core, now: now)
      try core.proveFork(of: log, opening: opening, now: now)
    }
    // How far the log counts follows from the frames that are held now.
    if !core.control.countsEverything { try core.feedRoster(now: now) }
    try core.run(.attached(log, device, .held(try core.store.strands(of: log))), now: now)
    return true
  }

  private static func named(_ frames: [Frame], _ strand: LogID, of log: LogID) -> [Frame] {
    frames.map { frame in
      var frame = frame
      frame.branch = strand == log ? nil : strand
      return frame
    }
  }

  /// Starts a strand with frames that follow a position. Standings are evaluated again, because a
  /// cut can be on one branch only. The rows of frames that move to a strand are derived again: a
  /// write no longer supersedes earlier writes of the log across the fork.
  private static func part(
    _ place: FramePosition, before: FrameHash?, with frames: [Frame], opening: Opening,
    in core: inout ReplicaCore, now: ClockReading
  ) throws {
    let log = frames[0].log
    let name = LogID(strandOf: log, beginningWith: frames[0].hash)
    if let before {
      let tail = LogID(strandOf: log, beginningWith: before)
      core.transaction.batch.strandSplits.append(StrandSplit(place: place, tail: tail))
      if core.derived.reader.hasParts(of: place.log) {
        // A body in parts may end at the fork.
        core.transaction.markViewStale()
      } else if opening.lane != .control {
        core.transaction.markStale([
          FrameRange(log: tail, sequences: place.sequence + 1...Limits.lastSequence)
        ])
      }
    }
    let base = StrandBase(
      log: log, parent: place.log, first: frames[0].sequence, previous: frames[0].previous)
    core.transaction.unsettled.isLineageStale = true
    try core.hold(named(frames, name, of: log), opening: opening, base: base, now: now)
    // Control frames that moved to a strand are read again from there.
    if opening.lane == .control {
      try replayControl(in: &core, now: now)
    } else {
      try core.commit(now: now)
    }
    core.transaction.outcome.remarks.append(
      "\(author(of: opening, in: core)) wrote two frames for position \(place.sequence + 1) of one "
        + "log: its database was restored or copied, or it lies; all branches are kept: a fork")
  }

  private static func replayControl(in core: inout ReplicaCore, now: ClockReading) throws {
    try core.commit(now: now)
    let before = core.control
    core.control = try ControlPlane(in: core.store, of: core.local)
    try core.replayControlLogs(try core.store.logs(), now: now)
    let change = core.control.difference(from: before)
    if change.haveCutsChanged || change.haveReleasesChanged { core.transaction.markViewStale() }
    core.transaction.markStale(try change.ranges(in: core.store))
    try core.commit(now: now)
  }

  private static func author(of opening: Opening, in core: ReplicaCore) -> String {
    core.control.author(of: opening.certificate)?.device.short ?? "the root"
  }
}

extension LogSummary {
  /// Whether the summary shows that a log of this incarnation is forked.
  func isFork(of incarnation: Incarnation, _ certificate: CertificateHash) -> Bool {
    opening.incarnation == incarnation && opening.certificate == certificate
      && (isParted || base != nil)
  }

  /// Returns the logs and strands, each strand after its parent.
  static func inOrder(_ logs: [LogSummary]) -> [LogSummary] {
    let own = logs.filter { $0.base == nil }
    return own
      + logs.filter { $0.base != nil }.sorted { ($0.first, $0.head.log) < ($1.first, $1.head.log) }
  }
}
