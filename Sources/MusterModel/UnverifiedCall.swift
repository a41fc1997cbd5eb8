/// A call for help whose caller is not proven: by the token of a removed login, by the shared token
/// of phones in the name of a person with a login or a device, or beyond a bound.
///
/// It changes no status. Command confirms who calls.
public struct UnverifiedCall: Codable, Hashable, Sendable {
  /// Identifies the credential that was used, at this device: one credential has one open call.
  public let credential: String
  /// The name that the message states; empty for none. MUST be a line (`TextRule`).
  public let name: String
  /// The address from which the message came; empty if it is not known.
  public let address: String
  /// What the caller wrote, or why the call is unverified.
  public let note: String
  /// The stated position.
  public let position: Coordinate?
  /// When the call was made, by the clock of the phone; nil if it states no time.
  public let madeAt: Timestamp?
  /// Why the caller is not proven.
  public let cause: UnverifiedCause

  /// Creates a call.
  public init(
    credential: String, name: String, address: String, note: String, position: Coordinate?,
    madeAt: Timestamp?, cause: UnverifiedCause = .unstated
  ) {
    self.credential = credential
    self.name = name
    self.address = address
    self.note = note
    self.position = position
    self.madeAt = madeAt
    self.cause = cause
  }
}

/// Why the caller of an unverified call is not proven. Numbers are on the wire and append-only.
public enum UnverifiedCause: UInt8, Codable, Sendable, NamedCase, Hashable {
  case unstated = 1
  /// By the token of a login that was removed. Such a token cannot be invented, so these calls have
  /// places that others cannot fill.
  case removedLogin = 2
  /// By the shared token of phones, in the name of a person with a login or a device.
  case sharedToken = 3
  /// The tables of people that call by the token are full.
  case beyondBound = 4
}
