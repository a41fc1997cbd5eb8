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

/// A record of this device's user, as known to this node.
public struct RecordSummary: Codable, Hashable, Sendable {
  /// The key in its data set.
  public let key: String
  /// Nil for a removed record.
  public let value: String?
  /// The sync count of the shown value.
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

/// A data set of this device's user, as known to this node.
public struct RecordDataset: Codable, Hashable, Sendable {
  /// The name of the data set.
  public let name: String
  /// Removed ones included: they count towards `syncCount`.
  public let records: [RecordSummary]

  /// Creates a data set; `records` in the order of their keys.
  public init(name: String, records: [RecordSummary]) {
    self.name = name
    self.records = records
  }

  /// The greatest sync count of its records, removed ones included; 0 without any.
  public var syncCount: UInt64 { records.map(\.syncCount).max() ?? 0 }
  /// How many records are not removed.
  public var recordCount: Int { records.count { $0.value != nil } }
}
