public import MusterModel

/// The change counts of the data sets at this node, with the last changes, so that a reconnecting
/// reader receives the changes that it missed, or reloads.
///
/// Counts only grow, also over restarts and without disk writes: each start of a node uses the next
/// block of 2^32. Changes before the start are not remembered individually.
public struct ChangeLog: Sendable {
  /// The current counts.
  public private(set) var counts = ChangeCounts()
  /// The newest `Limits.rememberedChanges`, oldest first.
  private var recent: [Change] = []
  /// Changes with a lower count are forgotten, per data set.
  private var forgotten: ChangeCounts

  private struct Change: Sendable {
    let dataset: Dataset
    let count: UInt64
    /// Nil for a crossing, a movement, an alert, or a change of the topology.
    let row: RowKey?
  }

  /// The changes of one data set that a reader has missed.
  public enum MissedChanges: Hashable, Sendable {
    /// None, or only these rows; positions may have changed too.
    case changed([RowKey])
    /// More than is remembered.
    case reload
  }

  /// - Parameter starts: how often this node has started, including this time.
  public init(starts: UInt64) {
    for dataset in Dataset.allCases { counts[dataset] = starts << 32 }
    forgotten = counts
  }

  /// Records the outcome of a piece of work. Returns whether anything changed.
  public mutating func note(_ outcome: Replica.Outcome) -> Bool {
    let before = counts
    for key in outcome.changedRows {
      guard let dataset = Dataset(key.kind) else { continue }
      // A row that changes how others are shown is not itself a member of a set.
      let isMember = ![
        .permit, .alertAcknowledgement, .checkIn, .settings, .exposure, .unverifiedCall,
      ].contains(key.kind)
      add(dataset, isMember ? key : nil)
    }
    for _ in outcome.crossings { add(.events, nil) }
    if outcome.hasMovement { add(.users, nil) }
    if !outcome.alertChanges.isEmpty { add(.alerts, nil) }
    if outcome.hasMeshChanged { add(.mesh, nil) }
    return counts != before
  }

  /// Records that other exposure notices concern the user of this node.
  public mutating func noteExposures() { add(.proximity, nil) }

  private mutating func add(_ dataset: Dataset, _ row: RowKey?) {
    counts[dataset] += 1
    recent.append(Change(dataset: dataset, count: counts[dataset], row: row))
    // In blocks, so that the cost of a change does not depend on the number remembered.
    guard recent.count >= 2 * Limits.rememberedChanges else { return }
    for change in recent.prefix(Limits.rememberedChanges) {
      forgotten[change.dataset] = change.count
    }
    recent.removeFirst(Limits.rememberedChanges)
  }

  /// Returns the changes of a data set since a reader's count.
  public func missedChanges(of dataset: Dataset, since count: UInt64) -> MissedChanges {
    guard (forgotten[dataset]...counts[dataset]).contains(count) else { return .reload }
    let rows = recent.filter { $0.dataset == dataset && $0.count > count }.compactMap(\.row)
    return .changed(Set(rows).sorted())
  }
}
