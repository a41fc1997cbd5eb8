internal import MusterModel

/// What of a batch is new, given the heads of its logs.
///
///     a run continues a tip, or opens a log ─▶ all of it is new
///     a run contains a tip                  ─▶ the frames after the tip are new
///     a run ends with a stored frame        ─▶ nothing of it is new
///     anything else                         ─▶ a branch: merged with what is stored
///
/// The first two need no comparison with stored frames: no stored frame follows a tip. Nearly all
/// runs are of these kinds, and are copied straight into the table.
///
/// The heads MUST have been read under the lock of the operation.
struct StorePlan {
  /// The heads after what is new is stored. Branches are not in them.
  private(set) var heads: [LogID: BranchHeads]
  /// Frames that are not stored.
  private(set) var new: [Frame] = []
  /// Runs of which a part may be stored, in order.
  private(set) var branches: [VerifiedRun] = []
  /// The logs whose heads change.
  private(set) var changed: Set<LogID> = []

  /// - Parameter stored: hashes of frames that are known to be stored.
  init(
    _ runs: [VerifiedRun], after heads: [LogID: BranchHeads], stored: Set<FrameHash> = []
  ) {
    self.heads = heads
    var branched: Set<LogID> = []
    for run in runs {
      if let last = run.frames.last, stored.contains(last.hash) { continue }
      // After a branch, the heads of its log are not known here.
      if !branched.contains(run.log),
        let some = self.heads[run.log, default: BranchHeads()].extend(by: run)
      {
        new += some
        if !some.isEmpty { changed.insert(run.log) }
      } else {
        branches.append(run)
        branched.insert(run.log)
        changed.insert(run.log)
      }
    }
  }
}
