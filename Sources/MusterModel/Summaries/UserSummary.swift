/// A person with their safety status.
public struct UserSummary: Codable, Hashable, Sendable {
  /// Also the id of the user's row.
  public var id: UserID
  /// The first digits of the id while no callsign is known; with "unknown person" or "unknown
  /// tracker" if that has not arrived either.
  public var callsign: String
  /// The highest role of the user's devices; member for an unknown person, so that orders to
  /// everyone address them.
  public var role: Role
  /// Assessed by this node from what it knows now. MUST be shown with `reason` and age.
  public var status: PersonStatus
  /// The severity of the status.
  public var severity: Severity
  /// The reason, in a few words.
  public var reason: String
  /// All conditions that apply, in the order of the status table.
  public var conditions: [StatusCondition] = []
  /// The time since the last evidence of contact; nil without any.
  public var age: ContactAge?
  /// The order to follow; nil without an open order.
  public var order: FollowedOrder?
  /// The newest fix of any of the user's devices.
  public var fix: Fix?
  /// When that fix was made, by the clock of the reporting device: a label. Nil if that is unknown.
  public var reportedAt: Timestamp?
  /// Seconds since that fix was made; nil if that is unknown.
  public var fixAgeSeconds: Int64?
  /// Empty if not set.
  public var team: String
  /// The owner of a tracker without a key, whose node records it; its `role` has no meaning. Nil
  /// for a user.
  public var trackerOwner: UserID?
  /// The user's newest self-report.
  public var selfReport: SafetyStatement?
  /// Command's override, while no newer self-report exists.
  public var override: SafetyStatement?
  /// The lowest charge that their devices stated last, in percent, revoked ones excepted; nil if
  /// none stated any.
  public var batteryPercent: UInt8?
  /// What this node notes about the messages of their phone; nil for nothing, or if it reports
  /// elsewhere.
  public var phone: PhoneSummary?

  /// Creates a summary. `status`, `reason` and the age MUST be assessed at one moment.
  public init(
    id: UserID, callsign: String, role: Role, status: PersonStatus, severity: Severity,
    reason: String, fix: Fix?,
    reportedAt: Timestamp?, fixAgeSeconds: Int64?, team: String,
    trackerOwner: UserID?, selfReport: SafetyStatement?, override: SafetyStatement?
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
    self.trackerOwner = trackerOwner
    self.selfReport = selfReport
    self.override = override
  }
}

extension UserSummary {
  /// Whether this is the carrier of a tracker.
  public var isTracker: Bool { trackerOwner != nil }

  /// Why nothing but the id is certain of a person that rows name; nil for a known person.
  public var unknownReason: String? {
    conditions.first(where: \.isUnknown)?.reason
  }

  /// Whether rows name the person, and their certificate or tracker has not arrived here.
  public var isUnknown: Bool { unknownReason != nil }

  /// The callsign for alerts, with the reason if the person is unknown.
  public var alertName: Phrase.Value {
    guard let unknown = conditions.first(where: \.isUnknown) else { return .text(callsign) }
    return .phrase(.named, ["name": shownName, "reason": .phrase(unknown.phrase)])
  }

  /// The callsign in a text of the node, also of a person without one.
  public var shownName: Phrase.Value {
    let nameless = Phrase(isTracker ? .unknownTracker : .unknownPerson, ["id": .text(id.short)])
    return isUnknown && callsign == nameless.text ? .phrase(nameless) : .text(callsign)
  }

  /// The reason of the status.
  public var phrase: Phrase {
    conditions.first { $0.status == status }?.phrase ?? Phrase(verbatim: reason)
  }

  /// The role for people: that of a tracker or of an unknown person has no meaning.
  public var roleName: String { isUnknown ? "unknown" : isTracker ? "tracker" : role.name }

  /// The three states of older programs, derived from the severity.
  public var safety: SafetyState { severity.safety(of: status) }

  /// Whether the battery of one of their devices is low.
  public var hasLowBattery: Bool {
    batteryPercent.map { $0 <= Telemetry.lowBatteryPercent } ?? false
  }

  /// Whether a condition of the status table applies, whatever the status is.
  public func has(_ status: PersonStatus) -> Bool {
    self.status == status || conditions.contains { $0.status == status }
  }

  /// The person as everyone but command may see them: without a call under duress.
  public var withoutDuress: UserSummary {
    guard conditions.contains(.underDuress) else { return self }
    var shown = self
    shown.conditions.removeAll { $0 == .underDuress }
    if shown.conditions.isEmpty { shown.conditions = [.inContact] }
    let decisive = StatusCondition.decisive(of: shown.conditions)
    (shown.status, shown.severity, shown.reason) =
      (decisive.status, decisive.severity, decisive.reason)
    return shown
  }

  /// The order of lists: the worst severity first, then by the status table, then the oldest
  /// contact first.
  public static func isListed(_ left: UserSummary, before right: UserSummary) -> Bool {
    if left.severity != right.severity { return left.severity < right.severity }
    if left.status != right.status { return left.status < right.status }
    let (leftAge, rightAge) = (left.age?.seconds ?? 0, right.age?.seconds ?? 0)
    if leftAge != rightAge { return leftAge > rightAge }
    return (left.callsign, left.id) < (right.callsign, right.id)
  }
}

/// A statement about a user's safety.
public struct SafetyStatement: Codable, Hashable, Sendable {
  /// Safe, or in need of help.
  public var claim: SafetyClaim
  /// Empty if there is none.
  public var note: String
  /// The callsign of the author.
  public var callsign: String
  /// By the author's clock: a label.
  public var statedAt: Timestamp

  /// Creates a statement.
  public init(claim: SafetyClaim, note: String, callsign: String, statedAt: Timestamp) {
    self.claim = claim
    self.note = note
    self.callsign = callsign
    self.statedAt = statedAt
  }
}

/// The three states of safety.
public enum SafetyState: String, Codable, Sendable, Hashable, CaseIterable {
  case safe
  case unsafe
  case unknown
}
