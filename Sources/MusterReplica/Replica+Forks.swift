internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Logs with two frames for one place. Everybody holds all branches, as strands; what each says
/// counts. A fork stops nobody but its author, who goes on in a new life.
///
/// Of a log with more than `Limits.branchesPerLog` branches nothing counts from its lowest fork on.
/// A node that comes to hold one branch more makes a `ForkProof`; from then on the proof alone
/// decides, on this node and on those that receive it, and no further branch is stored. A branch
/// that shows a lower fork makes a proof of that.
extension Replica {
  /// Files verified frames where they go on from what is held of their log, parting strands where
  /// they have to. False where nothing came of it.
  @discardableResult
  mutating func attach(
    _ frames: [Frame], opening: Opening, from device: DeviceID, now: ClockReading
  ) throws -> Bool {
    guard let log = frames.first?.log, let last = frames.last?.sequence else { return false }
    try commit(now: now)
    switch try store.attachment(of: frames) {
    case .known:
      tally?.frames.known += frames.count
      try run(.attached(log, device, .known(through: last)), now: now)
      return false
    case .unattached:
      tally?.frames.refuse(.unattached, frames.count)
      try run(.attached(log, device, .unattached), now: now)
      return false
    case .refused:
      tally?.frames.refuse(.overLimit, frames.count)
      try run(.attached(log, device, .refused(frames[0].strand)), now: now)
      return false
    case .grows(_, let new) where control.forkEnd(of: log).map({ new[0].sequence > $0 }) ?? false:
      // Past the proved fork nothing counts.
      tally?.frames.refuse(.overLimit, new.count)
      try run(.attached(log, device, .refused(frames[0].strand)), now: now)
      return false
    case .grows(let strand, let new):
      countGrowth(by: new, of: frames)
      try hold(named(new, strand, of: log), opening: opening, now: now)
      try commit(now: now)
    case .branches(let place, let before, let new):
      guard control.forkEnd(of: log) == nil else {
        tally?.frames.refuse(.overLimit, frames.count)
        try proveLowerFork(at: place, with: new, now: now)
        try run(.attached(log, device, .refused(frames[0].strand)), now: now)
        return false
      }
      countGrowth(by: new, of: frames)
      try part(place, before: before, with: new, opening: opening, now: now)
      try proveFork(of: log, opening: opening, now: now)
    }
    // What of it counts is read off what is held of it now.
    if !control.countsEverything { try feedRoster(now: now) }
    try run(.attached(log, device, .held(try store.strands(of: log))), now: now)
    return true
  }

  private mutating func countGrowth(by new: [Frame], of frames: [Frame]) {
    tally?.frames.new += new.count
    tally?.frames.known += frames.count - new.count
  }

  private func named(_ frames: [Frame], _ strand: LogID, of log: LogID) -> [Frame] {
    frames.map { frame in
      var frame = frame
      frame.branch = strand == log ? nil : strand
      return frame
    }
  }

  /// Begins a strand with frames that follow a place. What they and others count for is judged
  /// anew: cuts may lie on one branch and not on the other. What the frames wrote that now stand in
  /// a strand of their own is derived anew: they take nothing away by what stands before.
  private mutating func part(
    _ place: FramePlace, before: FrameHash?, with frames: [Frame], opening: Opening,
    now: ClockReading
  ) throws {
    let log = frames[0].log
    let name = LogID(strandOf: log, beginningWith: frames[0].hash)
    if let before {
      let tail = LogID(strandOf: log, beginningWith: before)
      batch.partings.append(Parting(place: place, tail: tail))
      if reader.hasParts(of: place.log) {
        // What is gathered of a body may end here.
        markViewStale()
      } else if opening.lane != .control {
        markStale([FrameRange(log: tail, sequences: place.sequence + 1...Limits.lastSequence)])
      }
    }
    let base = StrandBase(
      log: log, parent: place.log, first: frames[0].sequence, previous: frames[0].previous)
    unsettled.isLineageStale = true
    try hold(named(frames, name, of: log), opening: opening, base: base, now: now)
    // Control frames that have moved to a strand are read anew from there.
    if opening.lane == .control { try replayControl(now: now) } else { try commit(now: now) }
    held.remarks.append(
      "\(author(of: opening)) wrote two frames for place \(place.sequence + 1) of one log: its "
        + "database was restored or copied, or it lies; all branches are kept: a fork")
  }

  private mutating func replayControl(now: ClockReading) throws {
    try commit(now: now)
    let before = control
    control = try Self.control(in: store, local: local)
    try replayControlLogs(try store.logs(), now: now)
    let change = control.difference(from: before)
    if change.haveCutsChanged || change.haveReleasesChanged { markViewStale() }
    markStale(try ranges(of: change))
    try commit(now: now)
  }

  func author(of opening: Opening) -> String {
    control.author(of: opening.certificate)?.device.short ?? "the root"
  }

  /// Refreshes the lineage and evaluates until that changes no cut: which frames are looked for in
  /// strands follows from the cuts that count. A cut depends on those of lower ranks only.
  mutating func refreshLineages(now: ClockReading) throws {
    for _ in 0..<Self.lineageRounds where unsettled.isLineageStale {
      unsettled.isLineageStale = false
      try refreshLineage(try store.logs())
      try evaluateControl(now: now)
    }
  }

  /// The same, without effects on the view, where all control frames have just been added.
  mutating func settleLineage(_ logs: [LogSummary]) throws(StoreError) {
    for _ in 0..<Self.lineageRounds {
      let named = control.named()
      try refreshLineage(logs)
      _ = control.evaluate()
      guard control.hasForks, control.named() != named else { return }
    }
  }

  private static let lineageRounds = 2 * Limits.certificateChain + 2

  /// Tells the control plane how forked logs hang together, and in which strands the frames stand
  /// that cuts name.
  mutating func refreshLineage(_ logs: [LogSummary]) throws(StoreError) {
    var lineage = Lineage(
      logs, ends: control.membership.forkEnds, overflowed: control.membership.overflowed)
    if lineage.hasForks {
      for head in control.named() where lineage.isForked(head.log) {
        guard let place = try store.strand(of: head.hash, in: head.log),
          place.sequence == head.sequence
        else { continue }
        lineage.locate(head, in: place.log)
      }
    }
    control.take(lineage)
  }
}

extension LogSummary {
  /// Whether it shows that a log of this life is forked.
  func isFork(of incarnation: Incarnation, _ certificate: CertificateHash) -> Bool {
    opening.incarnation == incarnation && opening.certificate == certificate
      && (isParted || base != nil)
  }

  /// Each strand after the one that it goes on from.
  static func inOrder(_ logs: [LogSummary]) -> [LogSummary] {
    let own = logs.filter { $0.base == nil }
    return own
      + logs.filter { $0.base != nil }.sorted { ($0.first, $0.head.log) < ($1.first, $1.head.log) }
  }
}
