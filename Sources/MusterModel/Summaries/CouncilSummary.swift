/// A council of commanders, or a proposal for one.
public struct CouncilSummary: Codable, Hashable, Sendable {
  /// A hash of its members, its serial and its parent.
  public var id: CouncilHash
  /// Nil where the root key signed it.
  public var parent: CouncilHash?
  /// Of several that the root key signed, the greatest replaces the others.
  public var serial: UInt32
  /// Whether it counts; false for a proposal that waits for endorsements.
  public var counts: Bool
  /// So many voices revoke a member, or endorse a child.
  public var quorum: Int
  /// By callsign, then by device.
  public var members: [Member]
  /// Members with votes against them, by callsign.
  public var cases: [Case]
  /// Members of its parent who endorse it, by callsign; empty where the root key signed it.
  public var endorsedBy: [String]
  /// So many of these it takes; 0 where the root key signed it.
  public var endorsementsNeeded: Int

  /// A commander who is listed.
  public struct Member: Codable, Hashable, Sendable {
    /// Made from the signing key.
    public var device: DeviceID
    /// Of its user.
    public var callsign: String
    /// Whether it is the one that was asked.
    public var isThisDevice: Bool
    /// Whether the root key or a council revoked it.
    public var isRevoked: Bool

    /// A member as it stands.
    public init(device: DeviceID, callsign: String, isThisDevice: Bool, isRevoked: Bool) {
      self.device = device
      self.callsign = callsign
      self.isThisDevice = isThisDevice
      self.isRevoked = isRevoked
    }
  }

  /// The votes to revoke one member.
  public struct Case: Codable, Hashable, Sendable {
    /// The device to revoke.
    public var device: DeviceID
    /// Of its user.
    public var callsign: String
    /// Who voted so, by callsign.
    public var voters: [String]
    /// Whether a quorum has, so that the device is revoked.
    public var isDecided: Bool

    /// The votes so far.
    public init(device: DeviceID, callsign: String, voters: [String], isDecided: Bool) {
      self.device = device
      self.callsign = callsign
      self.voters = voters
      self.isDecided = isDecided
    }
  }

  /// A council as it stands.
  public init(
    id: CouncilHash, parent: CouncilHash?, serial: UInt32, counts: Bool, quorum: Int,
    members: [Member], cases: [Case], endorsedBy: [String], endorsementsNeeded: Int
  ) {
    self.id = id
    self.parent = parent
    self.serial = serial
    self.counts = counts
    self.quorum = quorum
    self.members = members
    self.cases = cases
    self.endorsedBy = endorsedBy
    self.endorsementsNeeded = endorsementsNeeded
  }
}
