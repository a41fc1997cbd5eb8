internal import MusterModel

/// The trees of strands of the forked logs, as far as cuts depend on them.
struct Lineage: Hashable, Sendable {
  /// The position at which each strand begins; logs themselves have no entry.
  private var bases: [LogID: StrandBase] = [:]
  /// Forked logs.
  private var forked: Set<LogID> = []
  /// Logs and strands that end at a fork: others continue them.
  private(set) var parted: Set<LogID> = []
  /// The last sequence that counts of each log that is proved to have too many branches, and of its
  /// strands. The frame may be missing here.
  private(set) var ends: [LogID: UInt64] = [:]
  /// The strand of each frame that a cut, release or vote names.
  private var located: [Head: LogID] = [:]

  init() {}

  /// - Parameters:
  ///   - ends: the last sequence that counts of each log with too many branches. It follows from
  ///     the fork proofs alone, and not from the frames that this node holds.
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

  /// Returns the last sequence that counts of each strand if only some frames and their
  /// predecessors count. A named frame that this node does not hold may be in any branch: then the
  /// part before the fork counts, up to the frame's sequence.
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

  /// Whether more frames of some log count than in another lineage. A log that has lost its end is
  /// not stored: its proof was replaced by another one, by which each stored log of the certificate
  /// ends at 0.
  func isWidened(from other: Lineage) -> Bool {
    other.ends.contains { log, end in ends[log].map { $0 > end } ?? false }
  }

  /// Returns the sequences that counted in another lineage and do not count here, by log.
  func narrowed(from other: Lineage) -> [LogID: ClosedRange<UInt64>] {
    guard ends != other.ends else { return [:] }
    return ends.reduce(into: [:]) { narrowed, item in
      let last = other.ends[item.key] ?? Limits.lastSequence
      if item.value < last { narrowed[item.key] = item.value + 1...last }
    }
  }
}
