/// An ENTER or EXIT event for display.
public struct CrossingSummary: Codable, Hashable, Sendable {
  /// The same on every node, unlike `arrival`.
  public var id: CrossingID
  /// This node's arrival number of the event, where a reader of the event stream resumes.
  public var arrival: Int64
  /// What the subject did, relative to the fence.
  public var type: CrossingType
  /// The fence's row, which need not have arrived.
  public var fence: RowID
  /// Empty while the fence itself has not arrived.
  public var fenceName: String
  /// The collection of the fence; empty for none.
  public var fenceCollection = ""
  /// The device that crossed, which also signed the event.
  public var subject: DeviceID
  /// The user's callsign; the first digits of the user's id while no callsign is known.
  public var callsign: String
  /// The time of the event, by the source of the fix.
  public var sampleTime: Timestamp
  /// The position of the fix that caused the event, which is not on the edge.
  public var position: Coordinate
  /// An ENTER by a first fix that was already inside: the subject may have entered long before.
  public var isBaseline: Bool

  /// Creates a summary. `arrival` MUST be this node's own number: it has no meaning elsewhere.
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
