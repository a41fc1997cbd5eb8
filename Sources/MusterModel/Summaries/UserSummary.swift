/// A person, and what is known of their safety.
public struct UserSummary: Codable, Hashable, Sendable {
  /// Also the id of the user's row.
  public var id: UserID
  /// The first digits of the id while no callsign is known.
  public var callsign: String
  /// The highest that any of the user's devices has.
  public var role: Role
  /// Assessed by this node from what it knows now: never show it without `reason` and age.
  public var status: PersonStatus
  /// That of the status.
  public var severity: Severity
  /// Why, in a few words.
  public var reason: String
  /// All that applies, in the order of the table of statuses.
  public var conditions: [StatusCondition] = []
  /// Since the last sign of life; nil when there was none.
  public var age: ContactAge?
  /// What they are to do; nil without an open order.
  public var order: FollowedOrder?
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

  /// The caller MUST have assessed `status`, `reason` and the age at the same moment.
  public init(
    id: UserID, callsign: String, role: Role, status: PersonStatus, severity: Severity,
    reason: String, fix: Fix?,
    reportedAt: Timestamp?, fixAgeSeconds: Int64?, team: String, isTracker: Bool, word: SafetyWord?,
    override: SafetyWord?
  ) {
    self.id = id
    self.callsign = callsign
    self.role = role
    self.status = status
    self.severity = severity
    self.reason = reason
    self.fix = fix
    self.reportedAt = reportedAt
    self.fixAgeSeconds = fixAgeSeconds
    self.team = team
    self.isTracker = isTracker
    self.word = word
    self.override = override
  }
}

extension UserSummary {
  /// The three states of older programs, from the severity.
  public var safety: SafetyState { severity.safety(of: status) }

  /// Whether a row of the table of statuses applies, whatever the status is.
  public func has(_ status: PersonStatus) -> Bool {
    self.status == status || conditions.contains { $0.status == status }
  }

  /// The order of lists: the worst first, then by the table of statuses, then those who gave the
  /// last sign of life longest ago.
  public static func isListed(_ left: UserSummary, before right: UserSummary) -> Bool {
    if left.severity != right.severity { return left.severity < right.severity }
    if left.status != right.status { return left.status < right.status }
    let (leftAge, rightAge) = (left.age?.seconds ?? 0, right.age?.seconds ?? 0)
    if leftAge != rightAge { return leftAge > rightAge }
    return (left.callsign, left.id) < (right.callsign, right.id)
  }
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
