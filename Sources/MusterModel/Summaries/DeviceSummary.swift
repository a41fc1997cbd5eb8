/// An enrolled device, as its certificate says.
public struct DeviceSummary: Codable, Hashable, Sendable {
  /// Made from the signing key, so that a device that joins again has another.
  public var id: DeviceID
  /// Whose it is; a user may have several devices.
  public var user: UserID
  /// Of its user; the first digits of the user's id while no callsign is known.
  public var callsign: String
  /// What this device's certificate grants, whatever the user's other devices have.
  public var role: Role
  /// Certificates between it and the root.
  public var rank: Int
  /// Whether it is the one that was asked.
  public var isThisDevice: Bool
  /// Whether what it writes from its revocation on counts for nobody.
  public var isRevoked: Bool

  /// The caller MUST give only devices whose certificates count.
  public init(
    id: DeviceID, user: UserID, callsign: String, role: Role, rank: Int, isThisDevice: Bool,
    isRevoked: Bool
  ) {
    self.id = id
    self.user = user
    self.callsign = callsign
    self.role = role
    self.rank = rank
    self.isThisDevice = isThisDevice
    self.isRevoked = isRevoked
  }
}
