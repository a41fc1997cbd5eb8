/// An ENTER or EXIT as people see it.
public struct CrossingSummary: Codable, Hashable, Sendable {
  /// The same on every node, unlike `arrival`.
  public var id: CrossingID
  /// Counts what this node learned of, in the order in which it did: where a follower resumes.
  public var arrival: Int64
  /// What the subject did, seen from the fence.
  public var type: CrossingType
  /// Its row, which need not have arrived.
  public var fence: RowID
  /// Empty while the fence itself has not arrived.
  public var fenceName: String
  /// The device that crossed, which is also the one that signed it.
  public var subject: DeviceID
  /// Of the subject's user; the first digits of the user's id while no callsign is known.
  public var callsign: String
  /// When it happened, by the source of the fix.
  public var sampleTime: Timestamp
  /// Where the deciding fix lay, which is not where the edge was crossed.
  public var position: Coordinate
  /// An ENTER by a first fix that was already inside: the subject may have come in long before.
  public var isBaseline: Bool

  /// `arrival` MUST be this node's own: another's numbers mean nothing here.
  public init(
    id: CrossingID, arrival: Int64, type: CrossingType, fence: RowID, fenceName: String,
    subject: DeviceID, callsign: String, sampleTime: Timestamp, position: Coordinate,
    isBaseline: Bool
  ) {
    self.id = id
    self.arrival = arrival
    self.type = type
    self.fence = fence
    self.fenceName = fenceName
    self.subject = subject
    self.callsign = callsign
    self.sampleTime = sampleTime
    self.position = position
    self.isBaseline = isBaseline
  }
}
