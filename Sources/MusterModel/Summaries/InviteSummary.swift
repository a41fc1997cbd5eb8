/// An invite that this device made, for display. Its secret is not part of it.
public struct InviteSummary: Codable, Hashable, Sendable {
  /// Whether a device can still join with an invite.
  public enum State: String, NamedCase, Codable, Hashable, Sendable {
    /// Until it expires.
    case open
    /// As many devices have joined as it was for.
    case used
    case expired
    /// A commander has withdrawn it.
    case withdrawn
    /// A device that used it, or one of its person, was revoked.
    case closed
  }

  /// A hash of the secret.
  public let id: InviteID
  /// The role of devices that join with it.
  public let role: Role
  /// The person who receives another device with it; nil for new people.
  public let user: UserID?
  /// How many more devices it is for.
  public let usesLeft: UInt32
  /// By this device's clock.
  public let createdAt: Timestamp
  /// By this device's clock.
  public let expiresAt: Timestamp
  /// Whether a device can still join.
  public let state: State
  /// The devices that have joined with it, by id.
  public let devices: [DeviceID]

  /// Creates a value.
  public init(
    id: InviteID, role: Role, user: UserID?, usesLeft: UInt32, createdAt: Timestamp,
    expiresAt: Timestamp, state: State, devices: [DeviceID]
  ) {
    self.id = id
    self.role = role
    self.user = user
    self.usesLeft = usesLeft
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.state = state
    self.devices = devices
  }
}
