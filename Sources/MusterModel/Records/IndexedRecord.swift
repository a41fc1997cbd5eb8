/// What a node's index has of a record.
public struct IndexedRecord: Hashable, Sendable {
  /// The record's row.
  public let row: RowID
  /// The user that it belongs to.
  public let owner: UserID
  /// Its data set and key.
  public let name: RecordName
  /// The sync count at this node: greater than those of all changes that this node knew before it.
  public let syncCount: UInt64
  /// UTF-8 bytes of the key and the value; nil if it is removed.
  public let bytes: Int?

  /// Creates an entry of the index.
  public init(row: RowID, owner: UserID, name: RecordName, syncCount: UInt64, bytes: Int?) {
    self.row = row
    self.owner = owner
    self.name = name
    self.syncCount = syncCount
    self.bytes = bytes
  }
}

/// A position in the changes of a data set, which are ordered by sync count, then by row.
public struct RecordIndexPosition: Hashable, Sendable {
  /// That of the change before.
  public let syncCount: UInt64
  /// That of the change before; nil after all changes with the count.
  public let row: RowID?

  /// Creates a position.
  public init(syncCount: UInt64, row: RowID? = nil) {
    self.syncCount = syncCount
    self.row = row
  }
}
