internal import MusterModel

/// How the strands of forked logs hang together: what cuts need to know of the tree.
struct Lineage: Hashable, Sendable {
  /// Of each strand that is not a log's own, where it begins.
  private var bases: [LogID: StrandBase] = [:]
  /// Logs that have parted.
  private var forked: Set<LogID> = []
  /// Strands from which others go on.
  private(set) var parted: Set<LogID> = []
  /// Strands of logs with more branches than count.
  private(set) var lost: Set<LogID> = []
  /// Which strand holds a frame that somebody named.
  private var located: [Head: LogID] = [:]

  init() {}

  init(_ logs: [LogSummary]) {
    var tips: [LogID: Int] = [:]
    for summary in logs where summary.base != nil || summary.isParted {
      forked.insert(summary.log)
      bases[summary.head.log] = summary.base
      if summary.isParted {
        parted.insert(summary.head.log)
      } else {
        tips[summary.log, default: 0] += 1
      }
    }
    for (strand, base) in bases where tips[base.log] ?? 0 > Limits.branchesPerLog {
      lost.insert(strand)
    }
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
}
