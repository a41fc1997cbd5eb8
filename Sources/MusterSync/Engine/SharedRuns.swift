internal import MusterModel

/// Of what came in runs on one session, whether all of it is held: then an acknowledgement says so,
/// and the other side knows at once who holds what it has just sent.
///
/// A session is with one machine. Of a peer that would not be true: a laptop and its copy have one
/// name, and each goes on with their logs in its own way. So a sequence that is held proves
/// nothing; the frames must be the same.
struct SharedRuns: Sendable {
  /// Through which sequence the frames of a log are the same on both sides.
  private var shared: [LogID: UInt64] = [:]
  /// The last sequences of runs that are not known to be held; nil once they were too many to tell.
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

  /// Forgets those unheld runs of which the caller knows that they are held.
  mutating func settle(_ isHeld: (LogID, UInt64) -> Bool) {
    unheld = unheld?.filter { !isHeld($0.key, $0.value) }
  }
}

extension SyncEngine {
  /// A run came on the session at hand, and was taken as far as it could be.
  mutating func noteWhetherHeld(_ run: Run) {
    guard let arrivalSession else { return }
    let last = run.first + UInt64(run.frames.count) - 1
    if sessions[arrivalSession]?.runs.contains(run.log, through: last) == true { return }
    if endsAsHeld(run) {
      sessions[arrivalSession]?.runs.noteShared(run.log, through: last)
    } else {
      sessions[arrivalSession]?.runs.noteUnheld(run.log, through: last)
    }
  }

  /// A leaf came on the session at hand, which may show by its hash that both sides hold the same.
  mutating func noteShared(_ hint: LeafHint) {
    let log = LogID(raw: hint.key)
    guard let arrivalSession, let head = shelf.logs[log]?.head, hint == LeafHint(head) else {
      return
    }
    sessions[arrivalSession]?.runs.noteShared(log, through: head.sequence)
  }

  /// The session at hand has shown by its root that the other side holds the same of a set.
  mutating func noteSharing(of set: SetID) {
    guard let arrivalSession, var runs = sessions[arrivalSession]?.runs, !runs.areAllHeld else {
      return
    }
    runs.settle { log, last in
      guard let held = shelf.logs[log], SetID(held.opening.lane) == set, shelf.countsWhole(log)
      else { return false }
      // What was sent under a forked log's own name may stand in one of its strands.
      return held.isParted || held.head.sequence >= last
    }
    sessions[arrivalSession]?.runs = runs
  }

  /// Whether a run ends with the frame that a log held here does. Of frames further down nobody
  /// here knows the hashes.
  private func endsAsHeld(_ run: Run) -> Bool {
    guard let held = shelf.logs[run.log], let newest = shelf.newestRuns[run.log],
      held.head.sequence == run.first + UInt64(run.frames.count) - 1, run.first <= newest.first
    else { return false }
    var previous = newest.previous
    for (sequence, frame) in zip(run.first..., run.frames) where sequence >= newest.first {
      previous =
        Frame(
          log: held.log, sequence: sequence, previous: previous, epoch: frame.epoch,
          body: frame.body, hash: .none, signature: nil
        ).computedHash(operation: local.operation)
    }
    return previous == held.head.hash
  }
}
