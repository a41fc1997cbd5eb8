/// A change that a client wants to make to one record.
public struct RecordChange: Codable, Hashable, Sendable {
  /// The key in the data set.
  public let key: String
  /// Nil removes the record.
  public let value: String?
  /// The record's sync count that the client has seen; 0 if it has seen none.
  public let seenCount: UInt64
  /// When the client made the change, by its clock; nil for now.
  public let modifiedAt: Timestamp?

  /// Creates a change. Nothing is validated here.
  public init(key: String, value: String?, seenCount: UInt64, modifiedAt: Timestamp? = nil) {
    self.key = key
    self.value = value
    self.seenCount = seenCount
    self.modifiedAt = modifiedAt
  }
}

/// A record of a user, as known to this node.
public struct RecordSummary: Codable, Hashable, Sendable {
  /// The key in its data set.
  public let key: String
  /// Nil for a removed record.
  public let value: String?
  /// The sync count at this node: greater than those of all changes that this node knew before it.
  public let syncCount: UInt64
  /// When the client changed it, by the client's clock: a label.
  public let modifiedAt: Timestamp
  /// When the device wrote it, by its own clock: a label.
  public let writtenAt: Timestamp
  /// The values of concurrent writes that are not shown, until the next write supersedes them; nil
  /// for a removal.
  public let otherValues: [String?]

  /// Creates a summary.
  public init(
    key: String, value: String?, syncCount: UInt64, modifiedAt: Timestamp, writtenAt: Timestamp,
    otherValues: [String?] = []
  ) {
    self.key = key
    self.value = value
    self.syncCount = syncCount
    self.modifiedAt = modifiedAt
    self.writtenAt = writtenAt
    self.otherValues = otherValues
  }
}

/// A data set of a user, as known to this node.
public struct RecordDataset: Hashable, Sendable {
  /// The name of the data set.
  public let name: String
  /// The greatest sync count of its records at this node, removed ones included.
  public let syncCount: UInt64
  /// How many records are not removed.
  public let recordCount: Int
  /// How many records it has or had.
  public let rowCount: Int
  /// UTF-8 bytes of the keys and values.
  public let bytes: Int
  /// When the first record was written, by the clock of its device: a label.
  public let createdAt: Timestamp
  /// When the last record was written, likewise.
  public let modifiedAt: Timestamp

  /// Creates a data set.
  public init(
    name: String, syncCount: UInt64, recordCount: Int, rowCount: Int, bytes: Int,
    createdAt: Timestamp, modifiedAt: Timestamp
  ) {
    self.name = name
    self.syncCount = syncCount
    self.recordCount = recordCount
    self.rowCount = rowCount
    self.bytes = bytes
    self.createdAt = createdAt
    self.modifiedAt = modifiedAt
  }
}

/// The records of a data set that changed after a position.
public struct RecordPage: Sendable {
  /// In the order of their sync counts.
  public let records: [RecordSummary]
  /// The position after the last one; nil on the last page.
  public let next: RecordIndexPosition?

  /// Creates a page.
  public init(records: [RecordSummary], next: RecordIndexPosition?) {
    self.records = records
    self.next = next
  }
}
