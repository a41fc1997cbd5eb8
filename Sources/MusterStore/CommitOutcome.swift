public import MusterCRDT
public import MusterModel

/// The changes of a commit, for subscribers of the view and for counters.
public struct CommitOutcome: Hashable, Sendable {
  /// Frames that were not stored before.
  public internal(set) var framesHeld = 0
  /// Frames that were stored already: skipped, and not applied again.
  public internal(set) var framesKnown = 0
  /// Frames that were waiting and no longer are.
  public internal(set) var framesReleased = 0
  /// Writes that their author may not make, or with an invalid value.
  public internal(set) var writesRefused = 0
  /// Rows that received a write, sorted. Their visible value may be unchanged.
  public internal(set) var changedRows: [RowKey] = []
  /// The zones and reports among them as they were before: at most `Limits.replacedRows`.
  public internal(set) var replacedRows: [RowState] = []
  /// New crossings, in order of arrival.
  public internal(set) var newCrossings: [ArrivedCrossing] = []
  /// Crossings that were derived again: those that are still there may differ.
  public internal(set) var rederivedCrossings: [CrossingID] = []
  /// Topics whose record was replaced by a newer one, in the batch's order.
  public internal(set) var newRecords: [RecordTopic] = []
  /// Devices whose position changed, in the batch's order.
  public internal(set) var moved: [DeviceID] = []

  /// The lists of the new frames, whether or not other frames list the same blobs.
  public internal(set) var newLists: [ListedBlob] = []

  init() {}
}

/// A crossing with its arrival number at this node.
public struct ArrivedCrossing: Hashable, Sendable {
  /// Increases monotonically on this node; other nodes have other numbers.
  public let arrival: Int64
  /// The crossing, its id and its author.
  public let recorded: RecordedCrossing
}
