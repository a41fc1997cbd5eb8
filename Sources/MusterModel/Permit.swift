/// Permission to be in a hazard zone for a while, as command writes it.
public struct PermitDraft: Codable, Hashable, Sendable {
  /// Users and trackers. With a team, both are permitted.
  public var people: [UserID]
  /// Empty for no team.
  public var team: String
  /// An active or inactive hazard zone.
  public var zone: RowID
  /// From now on: 1 to `Limits.spanSeconds`.
  public var durationSeconds: UInt32

  /// Nothing is checked here: what is out of range is refused when it is written.
  public init(people: [UserID], team: String, zone: RowID, durationSeconds: UInt32) {
    self.people = people
    self.team = team
    self.zone = zone
    self.durationSeconds = durationSeconds
  }
}

/// A permit as it is known here.
public struct PermitSummary: Codable, Hashable, Sendable {
  /// The permit's row.
  public var id: RowID
  /// Callsigns, in alphabetical order.
  public var people: [String]
  /// Empty where none is named.
  public var team: String
  /// The hazard zone.
  public var zone: RowID
  /// Empty while the zone has not arrived.
  public var zoneName: String
  /// From its first write on; of several concurrent values the least.
  public var durationSeconds: UInt32
  /// Command took it back.
  public var isRevoked: Bool
  /// The commander who issued it.
  public var callsign: String
  /// By their clock: a label.
  public var issuedAt: Timestamp

  /// A permit as it stands.
  public init(
    id: RowID, people: [String], team: String, zone: RowID, zoneName: String,
    durationSeconds: UInt32, isRevoked: Bool, callsign: String, issuedAt: Timestamp
  ) {
    self.id = id
    self.people = people
    self.team = team
    self.zone = zone
    self.zoneName = zoneName
    self.durationSeconds = durationSeconds
    self.isRevoked = isRevoked
    self.callsign = callsign
    self.issuedAt = issuedAt
  }
}
