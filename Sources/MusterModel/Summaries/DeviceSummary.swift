/// An enrolled device, according to its certificate.
public struct DeviceSummary: Codable, Hashable, Sendable {
  /// Derived from the signing key, so that a device that joins again has another id.
  public var id: DeviceID
  /// The device's user; a user may have several devices.
  public var user: UserID
  /// The user's callsign; the first digits of the user's id while no callsign is known.
  public var callsign: String
  /// The role of this device's certificate; the user's other devices may have other roles.
  public var role: Role
  /// The number of certificates between it and the root.
  public var rank: Int
  /// Whether it is the device that answers the request.
  public var isThisDevice: Bool
  /// Whether it is revoked: what it writes after the cut-off has no effect.
  public var isRevoked: Bool
  /// Whether only the votes of a council, or the root key, revoke it.
  public var isCouncilMember: Bool
  /// Of the council where most members have voted to revoke it, how many have.
  public var votes: Int
  /// So many votes revoke it there; 0 where it is in no council.
  public var quorum: Int

  /// Whether some members of a council want to revoke it, too few so far.
  public var isDisputed: Bool { votes > 0 && !isRevoked }

  /// Creates a summary. The caller MUST give only devices with valid certificates.
  public init(
    id: DeviceID, user: UserID, callsign: String, role: Role, rank: Int, isThisDevice: Bool,
    isRevoked: Bool, isCouncilMember: Bool = false, votes: Int = 0, quorum: Int = 0
  ) {
    self.id = id
    self.user = user
    self.callsign = callsign
    self.role = role
    self.rank = rank
    self.isThisDevice = isThisDevice
    self.isRevoked = isRevoked
    self.isCouncilMember = isCouncilMember
    self.votes = votes
    self.quorum = quorum
  }
}
