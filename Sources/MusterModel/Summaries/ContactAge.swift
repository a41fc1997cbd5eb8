/// How long ago somebody gave a sign of life: an interval, whatever the clocks.
public struct ContactAge: Codable, Hashable, Sendable {
  /// What to display: a guess inside the interval.
  public var seconds: Int64
  /// The upper bound, which decides; nil where none is known.
  public var atMostSeconds: Int64?
  /// Why it is to be doubted: `clock differs`.
  public var reason: String?

  /// Nothing is checked here.
  public init(seconds: Int64, atMostSeconds: Int64?, reason: String? = nil) {
    self.seconds = seconds
    self.atMostSeconds = atMostSeconds
    self.reason = reason
  }
}

/// The order that a person follows now, and the way to its nearest zone.
public struct FollowedOrder: Codable, Hashable, Sendable {
  /// The directive.
  public var id: RowID
  /// What is asked.
  public var kind: DirectiveKind
  /// The nearest zone that satisfies it; nil without a zone or a usable fix.
  public var zone: RowID?
  /// Empty without a zone.
  public var zoneName: String
  /// To the zone, 0 inside; nil without a zone.
  public var distanceMetres: Int64?
  /// Clockwise from north, 0 to 359; nil inside and without a zone.
  public var bearingDegrees: Int64?
  /// To the earliest deadline, negative once it may have passed; nil for none.
  public var dueSeconds: Int64?

  /// Nothing is checked here.
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
