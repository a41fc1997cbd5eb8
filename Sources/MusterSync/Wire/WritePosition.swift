public import MusterModel

/// The position of the writes of a body. Their packed encoding omits what follows from it.
public struct WritePosition: Hashable, Sendable {
  /// The operation, which is hashed into the ids of rows.
  public let operation: OperationID
  /// The author of the log: the owner of the rows that the writes create.
  public let author: UserID
  /// The sequence of the frame; for a body in parts, of the last frame.
  public let sequence: UInt64

  /// Creates a place. The caller MUST take the author from the certificate of the log's opening.
  public init(operation: OperationID, author: UserID, sequence: UInt64) {
    self.operation = operation
    self.author = author
    self.sequence = sequence
  }
}
