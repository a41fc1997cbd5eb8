/// A person, and what is known of their safety.
public struct UserSummary: Codable, Hashable, Sendable {
  /// Also the id of the user's row.
  public var id: UserID
  /// The first digits of the id while no callsign is known.
  public var callsign: String
  /// The highest that any of the user's devices has.
  public var role: Role
  /// Judged by this node from what it knows now: never show it without `reason` and age.
  public var safety: SafetyState
  /// Why, in a few words.
  public var reason: String
  /// Which rule decided.
  public var cause: SafetyCause
  /// The newest fix of any of the user's devices.
  public var fix: Fix?
  /// When that fix was taken in, by the clock of the device that did: a label.
  public var reportedAt: Timestamp?
  /// Seconds since that fix was reported.
  public var fixAgeSeconds: Int64?
  /// Empty when none was written.
  public var team: String
  /// A phone or another tracker without a key, known by another's node; its `role` says nothing.
  public var isTracker: Bool
  /// The user's own newest word.
  public var word: SafetyWord?
  /// Command's, while the user has said nothing since.
  public var override: SafetyWord?

  /// The caller MUST have judged `safety`, `reason` and the age at the same moment.
  public init(
    id: UserID, callsign: String, role: Role, safety: SafetyState, reason: String,
    cause: SafetyCause, fix: Fix?,
    reportedAt: Timestamp?, fixAgeSeconds: Int64?, team: String, isTracker: Bool, word: SafetyWord?,
    override: SafetyWord?
  ) {
    self.id = id
    self.callsign = callsign
    self.role = role
    self.safety = safety
    self.reason = reason
    self.cause = cause
    self.fix = fix
    self.reportedAt = reportedAt
    self.fixAgeSeconds = fixAgeSeconds
    self.team = team
    self.isTracker = isTracker
    self.word = word
    self.override = override
  }
}

/// Which rule decided about a user's safety.
public enum SafetyCause: UInt8, Codable, Sendable, Hashable, CaseIterable {
  /// Asked for help, or command says that they need it.
  case needsHelp = 1
  case insideHazard = 2
  /// By their own word or by command's.
  case saidSafe = 3
  /// No fix for a while.
  case silent = 4
  case insideMuster = 5
  /// Outside while a muster is called.
  case outsideMuster = 6
  case noMuster = 7
  /// Never told where they are.
  case noPosition = 8
}

/// What somebody said of a user's safety.
public struct SafetyWord: Codable, Hashable, Sendable {
  /// Safe, or in need of help.
  public var claim: SafetyClaim
  /// Empty when there is none.
  public var note: String
  /// Who said it.
  public var callsign: String
  /// When, as their clock claimed: a label.
  public var saidAt: Timestamp

  /// A word as it is kept.
  public init(claim: SafetyClaim, note: String, callsign: String, saidAt: Timestamp) {
    self.claim = claim
    self.note = note
    self.callsign = callsign
    self.saidAt = saidAt
  }
}

/// Three states, never a bare Boolean.
public enum SafetyState: String, Codable, Sendable, Hashable, CaseIterable {
  case safe
  case unsafe
  case unknown
}
