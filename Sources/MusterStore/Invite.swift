public import MusterModel

/// An invitation that this device made; only this device admits by it. Its secret is never printed.
public struct Invite: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// A hash of the secret, by which a joiner names it.
  public let id: InviteID
  /// What the joiner proves to know.
  public let secret: [UInt8]
  /// What those who join by it become.
  public let role: Role
  /// How many more devices may join by it.
  public var usesLeft: UInt32
  /// By this device's clock, which the caller reads.
  public let expiresAt: Timestamp
  /// By this device's clock: a label.
  public let createdAt: Timestamp

  /// An invite with all its uses.
  public init(
    id: InviteID, secret: [UInt8], role: Role, usesLeft: UInt32, expiresAt: Timestamp,
    createdAt: Timestamp
  ) {
    self.id = id
    self.secret = secret
    self.role = role
    self.usesLeft = usesLeft
    self.expiresAt = expiresAt
    self.createdAt = createdAt
  }

  /// Withholds the secret.
  public var description: String { "invite \(id.short) for \(usesLeft) × \(role.name)" }
  /// Keeps the secret out of what `dump` and failed tests print.
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "usesLeft": usesLeft]) }
}

/// What came of a device's wish to join by an invite; the invite is as it stands afterwards.
public enum InviteUse: Hashable, Sendable {
  /// One use was taken.
  case counted(Invite)
  /// This device's use was taken before: its request was repeated, or its answer lost.
  case repeated(Invite)
  case exhausted(Invite)
  case unknown
}
