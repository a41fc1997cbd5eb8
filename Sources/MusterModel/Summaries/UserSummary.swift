/// A person, and what is known of their safety.
public struct UserSummary: Hashable, Sendable {
  public var id: UserID
  public var callsign: String
  public var role: Role
  public var safety: SafetyState
  /// Why, in a few words.
  public var reason: String
  /// The newest fix of any of the user's devices.
  public var fix: Fix?
  /// Seconds since that fix was reported.
  public var fixAgeSeconds: Int64?
  public var team: String

  public init(
    id: UserID, callsign: String, role: Role, safety: SafetyState, reason: String, fix: Fix?,
    fixAgeSeconds: Int64?, team: String
  ) {
    self.id = id
    self.callsign = callsign
    self.role = role
    self.safety = safety
    self.reason = reason
    self.fix = fix
    self.fixAgeSeconds = fixAgeSeconds
    self.team = team
  }
}

/// Three states, never a bare Boolean.
public enum SafetyState: String, Sendable, Hashable, CaseIterable {
  case safe
  case unsafe
  case unknown
}
