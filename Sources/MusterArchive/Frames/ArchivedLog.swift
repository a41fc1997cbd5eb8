internal import MusterModel

/// Divides the archived frames of one log into runs as a bundle contains them: each ends with a
/// signature, after at most 33 frames.
///
/// Frames are added by sequence. A log that has forked is a tree: `runs(ofTree:)` walks it branch
/// by branch.
struct ArchivedLog {
  private var waiting: [Frame] = []

  /// Adds the next frame, and returns a run if it completes one.
  mutating func add(_ frame: Frame) -> [Frame]? {
    waiting.append(frame)
    let isBoundary = frame.sequence > 0 && frame.sequence % Limits.signatureInterval == 0
    return isBoundary ? takeRun() : nil
  }

  /// Returns the proved frames that wait; nil if there are none.
  mutating func takeRun() -> [Frame]? {
    guard let last = waiting.lastIndex(where: { $0.signature != nil }) else { return nil }
    defer { waiting.removeFirst(last + 1) }
    return Array(waiting[...last])
  }

  /// Returns the runs of a log that has forked, a parent before its branches.
  static func runs(ofTree frames: [Frame]) -> [[Frame]] {
    let following = Dictionary(grouping: frames, by: \.previous)
    var runs: [[Frame]] = []
    var starts = following[.none] ?? []
    while let start = starts.popLast() {
      var branch = ArchivedLog()
      var next: Frame? = start
      while let frame = next {
        if let run = branch.add(frame) { runs.append(run) }
        // The sequence increases, whatever the rows of the database state.
        let children = (following[frame.hash] ?? []).filter {
          $0.sequence == frame.sequence + 1
        }.sorted { $0.hash < $1.hash }
        next = children.first
        starts += children.dropFirst()
      }
      if let run = branch.takeRun() { runs.append(run) }
    }
    return runs
  }
}
