public import MusterModel

/// What a signed record contributes to the evidence of age.
public struct StampedRecord: Hashable, Sendable {
  /// The id that echoes name.
  public let id: StampedRecordID
  /// The signing device; the caller MUST have verified the signature.
  public let author: DeviceID
  /// Read after `echoes` were chosen and before the record was signed.
  public let stamp: Stamp
  /// The echoed records, which its author held; nil in a record that is not an anchor: it is dated,
  /// but neither echoed nor remembered.
  public let echoes: [StampedRecordID]?

  /// Returns nil if there are more echoes than `RecordStamp.echoLimit`.
  public init?(
    id: StampedRecordID, author: DeviceID, stamp: Stamp, echoes: [StampedRecordID]?
  ) {
    guard let stated = RecordStamp(stamp, echoes: echoes) else { return nil }
    self.init(id: id, author: author, stated)
  }

  /// Creates a value from what a verified record states.
  public init(id: StampedRecordID, author: DeviceID, _ stated: RecordStamp) {
    (self.id, self.author, stamp, echoes) = (id, author, stated.stamp, stated.echoes)
  }
}
