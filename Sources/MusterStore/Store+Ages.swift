internal import GRDB
public import MusterModel

/// Stamps, and when things arrived. They are kept by a `Batch`.
extension Store {
  /// The boot of this machine in which the node ran last; nil before the first start.
  public func newestBoot() throws(StoreError) -> KnownBoot? { try read(AgeTable.newestBoot) }

  /// The anchors that are kept, in the order of arrival: all of the newest boot.
  public func anchors() throws(StoreError) -> [StoredAnchor] { try read(AgeTable.anchors) }

  /// How many anchors are kept.
  public func anchorCount() throws(StoreError) -> Int { try read(AgeTable.anchorCount) }

  /// The newest stamp of each subject and source.
  public func stamps() throws(StoreError) -> [StoredStamp] { try read(AgeTable.stamps) }

  /// When a frame of the urgent lane was made; nil for another, or one that was held before
  /// arrivals were kept.
  ///
  /// - Parameter name: the first half of its hash, as dots have it.
  public func arrival(ofFrame name: Bytes16) throws(StoreError) -> FrameArrival? {
    try read { try AgeTable.frame(name, in: $0) }
  }

  /// The whole journal of arrivals: frames in the order of the log, then records, the oldest first.
  public func journal() throws(StoreError) -> [JournalEntry] { try read(JournalTable.entries) }

  /// How many entries of the journal contradict the log, or one another. Takes seconds for a large
  /// journal.
  public func journalContradictions() throws(StoreError) -> Int {
    try read(JournalTable.contradictions)
  }
}
