/// An ENTER or EXIT as people see it.
public struct CrossingSummary: Hashable, Sendable {
  public var id: CrossingID
  /// Counts what this node learned of, in the order in which it did: where a follower resumes.
  public var arrival: Int64
  public var type: CrossingType
  public var fence: RowID
  /// Empty while the fence itself has not arrived.
  public var fenceName: String
  public var subject: DeviceID
  public var callsign: String
  public var sampleTime: Timestamp
  public var position: Coordinate
  public var isBaseline: Bool

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
