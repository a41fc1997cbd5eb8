internal import GRDB
internal import MusterModel

/// The history of people at this node. See `HistoryBatch`.
extension Store {
  /// Stores what was learnt since the last call, in a transaction of its own.
  public func keepHistory(_ batch: HistoryBatch) throws(StoreError) {
    try write { try HistoryTable.keep(batch, in: $0) }
  }

  /// Returns the batches of the current period, in the order in which they were stored.
  public func historyTail() throws(StoreError) -> [[UInt8]] { try read(HistoryTable.tail) }

  /// Returns the periods that are kept, the oldest first.
  public func historyPeriods() throws(StoreError) -> [HistoryPeriod] {
    try read(HistoryTable.periods)
  }

  /// Returns what a period has of these kinds, by kind and subject.
  public func historyRows(
    of period: Int64, kinds: ClosedRange<UInt8>
  ) throws(StoreError) -> [HistoryRow] {
    try read { try HistoryTable.rows(of: period, kinds, in: $0) }
  }

  /// Returns the bytes of all periods and late entries, without indexes.
  public func historyBytes() throws(StoreError) -> Int { try read(HistoryTable.bytes) }

  /// Returns when the node recorded, encoded; nil before the first run.
  public func historyRuns() throws(StoreError) -> [UInt8]? { try local(HistoryTable.runsKey) }

  /// Returns the late entries of a kind, in the order of arrival.
  public func lateHistory(_ kind: UInt8) throws(StoreError) -> [LateHistoryRow] {
    try read { try HistoryTable.late(kind, in: $0) }
  }

  /// Returns one late entry of each subject about a time up to `event`, with the time at which it
  /// was learnt.
  ///
  /// - Parameters:
  ///   - event: milliseconds of this machine's wall clock.
  ///   - byArrival: whether to take the one that was learnt last, instead of the one about the
  ///     latest time.
  public func newestLateHistory(
    _ kind: UInt8, upTo event: Int64, byArrival: Bool
  ) throws(StoreError) -> [(row: HistoryRow, learnt: Int64)] {
    try read { try HistoryTable.newestLate(kind, upTo: event, byArrival: byArrival, in: $0) }
  }
}
