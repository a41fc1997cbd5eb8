/// A record with its row, user and data set.
public struct UserRecord: Codable, Hashable, Sendable {
  /// The row, the same on every node.
  public let row: RowID
  /// The user that it belongs to.
  public let user: UserID
  /// Its data set.
  public let dataset: String
  /// Key and value.
  public let record: RecordSummary

  /// Creates a record.
  public init(row: RowID, user: UserID, dataset: String, record: RecordSummary) {
    self.row = row
    self.user = user
    self.dataset = dataset
    self.record = record
  }
}
