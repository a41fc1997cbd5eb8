internal import MusterModel

/// How the strands of forked logs hang together: what cuts need to know of the tree.
struct Lineage: Hashable, Sendable {
  /// Of each strand that is not a log's own, where it begins.
  private var bases: [LogID: StrandBase] = [:]
  /// Logs that have parted.
  private var forked: Set<LogID> = []
  /// Strands from which others go on.
  private(set) var parted: Set<LogID> = []
  /// The last sequence that counts of logs that are proved to have more branches than count, and of
  /// their strands; held or not.
  private(set) var ends: [LogID: UInt64] = [:]
  /// Which strand holds a frame that somebody named.
  private var located: [Head: LogID] = [:]

  init() {}

  /// - Parameters:
  ///   - ends: how far logs count that are proved to have more branches than count: the proofs
  ///     decide alone, whatever is held.
  ///   - overflowed: certificates with too many such logs.
  init(_ logs: [LogSummary], ends: [LogID: UInt64], overflowed: Set<CertificateHash>) {
    self.ends = ends
    for summary in logs {
      if summary.base != nil || summary.isParted {
        forked.insert(summary.log)
        bases[summary.head.log] = summary.base
        if summary.isParted { parted.insert(summary.head.log) }
      }
      if overflowed.contains(summary.opening.certificate) { self.ends[summary.log] = 0 }
    }
    for (strand, base) in bases { self.ends[strand] = self.ends[base.log] }
  }

  var hasForks: Bool { !forked.isEmpty }

  func isForked(_ log: LogID) -> Bool { forked.contains(log) }

  mutating func locate(_ named: Head, in strand: LogID) { located[named] = strand }

  /// The last sequences that count of each strand of a log where only these frames and what they
  /// follow do. A named frame that is not held may stand in any branch: then what all branches
  /// share counts, as far as it goes.
  func reach(of named: [Head]) -> [LogID: UInt64] {
    var reach: [LogID: UInt64] = [:]
    for head in named {
      let strand = isForked(head.log) ? located[head] : nil
      var below = strand ?? head.log
      reach[below] = max(reach[below] ?? 0, head.sequence)
      while let base = bases[below] {
        below = base.parent
        reach[below] = .max
      }
    }
    return reach
  }

  /// Whether more counts of some log than before. A log without an end any more is not stored: its
  /// proof has made room for another one, by which each stored log of the certificate ends at 0.
  func isWidened(from other: Lineage) -> Bool {
    other.ends.contains { log, end in ends[log].map { $0 > end } ?? false }
  }

  /// Of logs of which less counts than before, the sequences that do not any more.
  func narrowed(from other: Lineage) -> [LogID: ClosedRange<UInt64>] {
    guard ends != other.ends else { return [:] }
    return ends.reduce(into: [:]) { narrowed, item in
      let last = other.ends[item.key] ?? Limits.lastSequence
      if item.value < last { narrowed[item.key] = item.value + 1...last }
    }
  }
}
