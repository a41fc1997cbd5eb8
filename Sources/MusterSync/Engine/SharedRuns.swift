internal import MusterModel

/// Tracks whether all runs received on one session are stored. If so, an acknowledgement states it,
/// and the other side knows at once what its peer holds.
///
/// The state is per session, not per peer: a device and its clone share one id but continue their
/// logs differently. A stored sequence therefore proves nothing; the frames must be identical.
struct SharedRuns: Sendable {
  /// The last sequence of each log through which both sides hold identical frames.
  private var shared: [LogID: UInt64] = [:]
  /// The last sequences of runs that are not known to be stored; nil after there were too many.
  private var unheld: [LogID: UInt64]? = [:]

  var areAllHeld: Bool { unheld?.isEmpty ?? false }

  func contains(_ log: LogID, through sequence: UInt64) -> Bool {
    shared[log].map { $0 >= sequence } ?? false
  }

  mutating func noteUnheld(_ log: LogID, through sequence: UInt64) {
    guard var runs = unheld, runs.count < Limits.unheldRuns || runs[log] != nil else {
      unheld = nil
      return
    }
    runs[log] = max(runs[log] ?? 0, sequence)
    unheld = runs
  }

  mutating func noteShared(_ log: LogID, through sequence: UInt64) {
    shared[log] = max(shared[log] ?? 0, sequence)
    if let last = unheld?[log], last <= sequence { unheld?[log] = nil }
  }

  /// Removes the runs that the caller knows to be stored.
  mutating func settle(_ isHeld: (LogID, UInt64) -> Bool) {
    unheld = unheld?.filter { !isHeld($0.key, $0.value) }
  }
}

extension Context {
  /// Records a run received on a session after it was processed.
  mutating func noteWhetherHeld(_ run: Run, on session: UInt32?) {
    guard let session else { return }
    let last = run.first + UInt64(run.frames.count) - 1
    if sessions[session]?.runs.contains(run.log, through: last) == true { return }
    if endsAsHeld(run) {
      sessions[session]?.runs.noteShared(run.log, through: last)
    } else {
      sessions[session]?.runs.noteUnheld(run.log, through: last)
    }
  }

  /// Records a leaf received on a session. Its hash may prove that both sides hold the
  /// same.
  mutating func noteShared(_ hint: LeafHint, on session: UInt32?) {
    let log = LogID(raw: hint.key)
    guard let session, let head = logs[log]?.head, hint == LeafHint(head) else {
      return
    }
    sessions[session]?.runs.noteShared(log, through: head.sequence)
  }

  /// Records that a session proved by its root that the other side holds the same set.
  mutating func noteSharing(of set: SetID, on session: UInt32?) {
    guard let session, var runs = sessions[session]?.runs, !runs.areAllHeld else {
      return
    }
    runs.settle { log, last in
      guard let held = logs[log], SetID(held.opening.lane) == set,
        logs.countsWhole(log)
      else { return false }
      // What was sent under a forked log's own name may be part of one of its strands.
      return held.isParted || held.head.sequence >= last
    }
    sessions[session]?.runs = runs
  }

  /// Returns whether a run ends with the head of a stored log. Hashes of earlier frames are not
  /// available here.
  private func endsAsHeld(_ run: Run) -> Bool {
    guard let held = logs[run.log], let newest = logs.newestRuns[run.log],
      held.head.sequence == run.first + UInt64(run.frames.count) - 1, run.first <= newest.first
    else { return false }
    var previous = newest.previous
    for (sequence, frame) in zip(run.first..., run.frames) where sequence >= newest.first {
      previous = FrameHeader(
        log: held.log, sequence: sequence, previous: previous, epoch: frame.epoch,
        blobList: BlobListing.hash(frame.blobs)
      ).hash(operation: local.operation, body: frame.body)
    }
    return previous == held.head.hash
  }
}
