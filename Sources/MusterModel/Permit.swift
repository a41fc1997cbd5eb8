/// Permission to be in a hazard zone for a limited time, as command writes it.
public struct PermitDraft: Codable, Hashable, Sendable {
  /// Users and trackers. With a team, both are permitted.
  public var people: [UserID]
  /// Empty for no team.
  public var team: String
  /// An active or inactive hazard zone.
  public var zone: RowID
  /// Seconds from now: 1 to `Limits.spanSeconds`.
  public var durationSeconds: UInt32

  /// Creates a draft. Nothing is validated here: a value out of range is rejected on write.
  public init(people: [UserID], team: String, zone: RowID, durationSeconds: UInt32) {
    self.people = people
    self.team = team
    self.zone = zone
    self.durationSeconds = durationSeconds
  }
}

/// A permit as known to this node.
public struct PermitSummary: Codable, Hashable, Sendable {
  /// The permit's row.
  public var id: RowID
  /// Callsigns, in alphabetical order.
  public var people: [String]
  /// Empty if no team is named.
  public var team: String
  /// The hazard zone.
  public var zone: RowID
  /// Empty while the zone has not arrived.
  public var zoneName: String
  /// Seconds from its first write; of several concurrent values the lowest.
  public var durationSeconds: UInt32
  /// Whether command revoked it.
  public var isRevoked: Bool
  /// Who issued it.
  public var authorship: Authorship
  /// By the commander's clock: a label.
  public var issuedAt: Timestamp

  /// Creates a summary of the current state.
  public init(
    id: RowID, people: [String], team: String, zone: RowID, zoneName: String,
    durationSeconds: UInt32, isRevoked: Bool, callsign authorship: Authorship,
    issuedAt: Timestamp
  ) {
    self.id = id
    self.people = people
    self.team = team
    self.zone = zone
    self.zoneName = zoneName
    self.durationSeconds = durationSeconds
    self.isRevoked = isRevoked
    self.authorship = authorship
    self.issuedAt = issuedAt
  }

  /// The text of `authorship`.
  public var callsign: String { authorship.text }
}
