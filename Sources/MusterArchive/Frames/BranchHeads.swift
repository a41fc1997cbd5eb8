internal import MusterModel

/// The newest frames of the branches of one log, and the frames after which it forks.
struct BranchHeads: Hashable {
  /// By hash, the sequence of the newest frame of a branch.
  private(set) var tips: [FrameHash: UInt64] = [:]
  /// By hash, the sequence of a frame that several frames follow.
  private(set) var forks: [FrameHash: UInt64] = [:]

  mutating func add(_ hash: FrameHash, at sequence: UInt64, isFork: Bool) {
    if isFork { forks[hash] = sequence } else { tips[hash] = sequence }
  }

  /// Takes a run that continues the newest frame of a branch, contains it, or opens the log.
  ///
  /// - Returns: its frames that are not stored yet; nil if the run does none of these. Then the
  ///   heads are unchanged, and `settle` MUST follow once the run is stored.
  mutating func extend(by run: VerifiedRun) -> ArraySlice<Frame>? {
    guard let first = run.frames.first, let last = run.frames.last else { return [] }
    var new = run.frames[...]
    if let tip = run.frames.lastIndex(where: { tips[$0.hash] != nil }) {
      new = run.frames[(tip + 1)...]
      tips[run.frames[tip].hash] = nil
    } else if first.sequence == 0 {
      guard tips.isEmpty, forks.isEmpty else { return nil }
    } else {
      guard tips.removeValue(forKey: first.previous) != nil else { return nil }
    }
    tips[last.hash] = last.sequence
    return new
  }

  /// Takes a stored run of any other kind.
  ///
  /// - Parameter held: all stored frames of the log from one before the run to one after it.
  mutating func settle(_ run: VerifiedRun, among held: [HeldName]) {
    guard let last = run.frames.last else { return }
    tips[last.hash] = last.sequence
    let following = Dictionary(grouping: held, by: \.previous)
    for (previous, next) in following {
      tips[previous] = nil
      if next.count > 1, let sequence = next.first?.sequence, sequence > 0 {
        forks[previous] = sequence - 1
      }
    }
  }
}

/// The name of a stored frame.
struct HeldName {
  let sequence: UInt64
  let hash: FrameHash
  let previous: FrameHash
}
