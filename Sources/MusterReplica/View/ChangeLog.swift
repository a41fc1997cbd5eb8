public import MusterModel

/// How often each set of things has changed at this node, and what the last changes were, so that
/// a reader who was away learns what it missed, or that it has to read all anew.
///
/// Counts only grow, over restarts too, without a word to the disk: each start of a node takes the
/// next block of 2^32. What changed before the start is not remembered one by one.
public struct ChangeLog: Sendable {
  /// Where each set stands.
  public private(set) var counts = ChangeCounts()
  /// The newest `Limits.rememberedChanges`, oldest first.
  private var recent: [Change] = []
  /// Changes with a lesser count, by set, are forgotten.
  private var forgotten: ChangeCounts

  private struct Change: Sendable {
    let dataset: Dataset
    let count: UInt64
    /// Nil where it was a crossing, a movement of somebody, an alert, or who hears whom.
    let row: RowKey?
  }

  /// What a reader that was away has missed of one set.
  public enum News: Hashable, Sendable {
    /// Nothing at all, or just these rows; others may have moved.
    case changed([RowKey])
    /// More than is remembered.
    case reload
  }

  /// - Parameter starts: how often this node has started, this time counted in.
  public init(starts: UInt64) {
    for dataset in Dataset.allCases { counts[dataset] = starts << 32 }
    forgotten = counts
  }

  /// Takes what came of a piece of work. Returns whether anything did.
  public mutating func note(_ outcome: Replica.Outcome) -> Bool {
    let before = counts
    for key in outcome.changedRows {
      guard let dataset = Dataset(key.kind) else { continue }
      // What changes how others are shown is no member of the set itself.
      let isMember = key.kind != .permit && key.kind != .alertAcknowledgement
      add(dataset, isMember ? key : nil)
    }
    for _ in outcome.crossings { add(.events, nil) }
    if outcome.hasMovement { add(.users, nil) }
    if !outcome.alertChanges.isEmpty { add(.alerts, nil) }
    if outcome.hasMeshChanged { add(.mesh, nil) }
    return counts != before
  }

  private mutating func add(_ dataset: Dataset, _ row: RowKey?) {
    counts[dataset] += 1
    recent.append(Change(dataset: dataset, count: counts[dataset], row: row))
    // In blocks, so that a change costs the same however many are remembered.
    guard recent.count >= 2 * Limits.rememberedChanges else { return }
    for change in recent.prefix(Limits.rememberedChanges) {
      forgotten[change.dataset] = change.count
    }
    recent.removeFirst(Limits.rememberedChanges)
  }

  /// What of a set is new to a reader that knows it up to a count.
  public func news(of dataset: Dataset, since count: UInt64) -> News {
    guard (forgotten[dataset]...counts[dataset]).contains(count) else { return .reload }
    let rows = recent.filter { $0.dataset == dataset && $0.count > count }.compactMap(\.row)
    return .changed(Set(rows).sorted())
  }
}
