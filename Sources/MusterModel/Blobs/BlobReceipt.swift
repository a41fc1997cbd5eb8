/// A command device's statement of which blobs of one log it keeps. Only the newest counts. Others
/// delete their copies only of blobs that such a receipt covers.
public struct BlobReceipt: Hashable, Sendable {
  /// The log whose frames list the blobs.
  public let log: LogID
  /// It keeps all blobs that frames up to this sequence list, with these exceptions.
  public let sequence: UInt64
  /// At most `Limits.blobExceptions`, in ascending order.
  public let missing: [BlobID]

  /// Creates a receipt. `missing` MUST be in ascending order.
  public init(log: LogID, sequence: UInt64, missing: [BlobID]) {
    self.log = log
    self.sequence = sequence
    self.missing = missing
  }

  /// Whether it covers a blob that a frame of its log lists.
  public func covers(_ blob: BlobID, listedAt sequence: UInt64) -> Bool {
    sequence <= self.sequence && !missing.contains(blob)
  }
}
