public import MusterModel

/// What a commit changed, for the subscribers of the view and for the counters.
public struct CommitOutcome: Hashable, Sendable {
  /// Frames that were not held before.
  public internal(set) var framesHeld = 0
  /// Frames that were held already: skipped, and applied no second time.
  public internal(set) var framesKnown = 0
  /// Frames that were waiting and no longer are.
  public internal(set) var framesReleased = 0
  /// Writes whose author may not make them, or whose value is not the field's.
  public internal(set) var writesRefused = 0
  /// Rows that a write went to, sorted; what is shown of one may be as before.
  public internal(set) var changedRows: [RowKey] = []
  /// Crossings that were not known before, in the order of their arrival.
  public internal(set) var newCrossings: [ArrivedCrossing] = []
  /// Topics whose record was replaced by a newer one, in the batch's order.
  public internal(set) var newRecords: [RecordTopic] = []
  /// Devices whose position changed, in the batch's order.
  public internal(set) var moved: [DeviceID] = []

  init() {}
}

/// A crossing in the order in which this node came to know it.
public struct ArrivedCrossing: Hashable, Sendable {
  /// Only ever grows, on this node; another node has other numbers.
  public let arrival: Int64
  /// The crossing, its id and its author.
  public let recorded: RecordedCrossing

  /// A crossing under the number that the store gave it.
  public init(arrival: Int64, recorded: RecordedCrossing) {
    self.arrival = arrival
    self.recorded = recorded
  }
}
