/// The time since the last evidence of contact with a person: an interval, independent of wall
/// clocks.
public struct ContactAge: Codable, Hashable, Sendable {
  /// The estimate to display, inside the interval.
  public var seconds: Int64
  /// The upper bound, which decides; nil if none is known.
  public var atMostSeconds: Int64?
  /// Why the age is uncertain: `clock differs`.
  public var reason: String?

  /// Creates an age. Nothing is validated here.
  public init(seconds: Int64, atMostSeconds: Int64?, reason: String? = nil) {
    self.seconds = seconds
    self.atMostSeconds = atMostSeconds
    self.reason = reason
  }
}

/// The order that a person follows now, with the direction to its nearest zone.
public struct FollowedOrder: Codable, Hashable, Sendable {
  /// The directive.
  public var id: RowID
  /// The kind of directive.
  public var kind: DirectiveKind
  /// The nearest zone that satisfies it; nil without a zone or a usable fix.
  public var zone: RowID?
  /// Empty without a zone.
  public var zoneName: String
  /// Distance to the zone, 0 inside; nil without a zone.
  public var distanceMetres: Int64?
  /// Bearing clockwise from north, 0 to 359; nil inside and without a zone.
  public var bearingDegrees: Int64?
  /// Seconds to the earliest deadline, negative once it may have passed; nil for none.
  public var dueSeconds: Int64?

  /// Creates a value. Nothing is validated here.
  public init(
    id: RowID, kind: DirectiveKind, zone: RowID?, zoneName: String, distanceMetres: Int64?,
    bearingDegrees: Int64?, dueSeconds: Int64?
  ) {
    self.id = id
    self.kind = kind
    self.zone = zone
    self.zoneName = zoneName
    self.distanceMetres = distanceMetres
    self.bearingDegrees = bearingDegrees
    self.dueSeconds = dueSeconds
  }
}
