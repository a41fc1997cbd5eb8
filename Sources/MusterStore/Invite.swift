public import MusterModel

/// An invite that this device created. Only this device can admit joiners with it. Its secret is
/// never printed.
public struct Invite: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// A hash of the secret, by which a joiner identifies it.
  public let id: InviteID
  /// The secret whose knowledge the joiner proves.
  public let secret: [UInt8]
  /// The role of devices that join with it.
  public let role: Role
  /// The person who receives another device with it; nil if each device is that of a new person.
  public let user: UserID?
  /// How many devices of that person were revoked when it was made; nil if that is not known. A
  /// later revocation closes it.
  public let revokedDevices: UInt32?
  /// How many more devices may join with it.
  public var usesLeft: UInt32
  /// The expiry by this device's clock, which the caller reads.
  public let expiresAt: Timestamp
  /// For display, by this device's clock.
  public let createdAt: Timestamp
  /// When a commander withdrew it, by this device's clock; nil if none did.
  public let withdrawnAt: Timestamp?

  /// Creates an invite with all its uses.
  public init(
    id: InviteID, secret: [UInt8], role: Role, user: UserID? = nil, revokedDevices: UInt32? = nil,
    usesLeft: UInt32, expiresAt: Timestamp, createdAt: Timestamp, withdrawnAt: Timestamp? = nil
  ) {
    self.id = id
    self.secret = secret
    self.role = role
    self.user = user
    self.revokedDevices = revokedDevices
    self.usesLeft = usesLeft
    self.expiresAt = expiresAt
    self.createdAt = createdAt
    self.withdrawnAt = withdrawnAt
  }

  /// The invite, without its secret.
  public var description: String { "invite \(id.short) for \(usesLeft) × \(role.name)" }
  /// Keeps the secret out of what `dump` and failed tests print.
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "usesLeft": usesLeft]) }
}

/// The result of using an invite, with the invite after it.
public enum InviteUse: Hashable, Sendable {
  /// One use was taken.
  case counted(Invite)
  /// This device was admitted before: its request was repeated, or the answer was lost.
  case repeated(Invite)
  case exhausted(Invite)
  case unknown
}
