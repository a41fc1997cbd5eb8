public import MusterModel

/// Where a body's writes stand. Their packed form leaves out what this says already.
public struct WritePlace: Hashable, Sendable {
  /// Part of what a row's id is hashed from.
  public let operation: OperationID
  /// Who signs: the owner of the rows that they create.
  public let author: UserID
  /// Of the frame; of several that carry one body in parts, the last one's.
  public let sequence: UInt64

  /// The caller MUST have the author from the certificate that the log was opened with.
  public init(operation: OperationID, author: UserID, sequence: UInt64) {
    self.operation = operation
    self.author = author
    self.sequence = sequence
  }
}
