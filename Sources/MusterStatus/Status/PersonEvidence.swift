public import MusterModel

/// The evidence about one person: the input of the status function that is specific to that person.
public struct PersonEvidence: Hashable, Sendable {
  /// Identifies the person to orders and permits.
  public var identity: PersonIdentity
  /// The statements by and about the person.
  public var statements: PersonStatements
  /// Their devices, including revoked ones.
  public var devices: [StatusDevice] = []
  /// Check-ins that they owe.
  public var timers: [TimerEvidence] = []
  /// Whether they checked in under duress: known at command only.
  public var isUnderDuress = false
  /// Whether anything was ever received from them.
  public var wasReceived = false
  /// The milliseconds without contact after which they are out of contact.
  public var silenceMilliseconds: Int64
  /// How much later than the last one that was received a contact may have been: contacts of a
  /// tracker are not all published.
  public var unpublishedMilliseconds: Int64 = 0

  /// Creates a person without evidence.
  public init(identity: PersonIdentity, silenceMilliseconds: Int64) {
    self.identity = identity
    self.silenceMilliseconds = silenceMilliseconds
    statements = PersonStatements()
  }
}

/// The attributes that determine which orders and permits address a person.
public struct PersonIdentity: Hashable, Sendable {
  /// The person.
  public var id: UserID
  /// The highest role of their devices.
  public var role: Role
  /// The team; empty for none.
  public var team: String
  /// Whether they have only a tracker, which another person's node records.
  public var isTracker: Bool
  /// Whether only rows name them: their certificate or their tracker has not arrived here.
  public let isUnknown: Bool

  /// Creates an identity.
  public init(
    id: UserID, role: Role, team: String, isTracker: Bool, isUnknown: Bool = false
  ) {
    self.id = id
    self.role = role
    self.team = team
    self.isTracker = isTracker
    self.isUnknown = isUnknown
  }
}

/// The live values of a person's safety fields.
public struct PersonStatements: Hashable, Sendable {
  /// The person's own reports.
  public var claims: [ClaimEvidence] = []
  /// Claims of logins that are bound to the person, at command posts.
  public var relayed: [ClaimEvidence] = []
  /// Command's overrides that the person needs help.
  public var helpOverrides: [ClaimEvidence] = []
  /// Command's statements that the person is accounted for.
  public var accountings: [AccountingEvidence] = []
  /// The sign-off, if the person left the operation.
  public var signOff: SignOffEvidence?

  /// Creates an empty set of statements.
  public init() {}

  /// All help claims, answered or not: the person's own first.
  var calls: [ClaimEvidence] {
    claims.filter { $0.claim == .needsHelp } + helpOverrides
      + relayed.filter { $0.claim == .needsHelp }
  }

  /// The calls for help that no later statement names.
  public var openCalls: [ClaimEvidence] {
    var answered: Set<Dot> = []
    for claim in helpOverrides + relayed { answered.formUnion(claim.seen) }
    for accounting in accountings { answered.formUnion(accounting.claims) }
    return calls.filter { !answered.contains($0.dot) }
  }
}

/// A statement about a person's safety.
public struct ClaimEvidence: Hashable, Sendable {
  /// The write of the statement.
  public var dot: Dot
  /// Safe or help.
  public var claim: SafetyClaim
  /// May be empty.
  public var note: String
  /// Who made it on the person's behalf; nil for the person's own.
  public var by: Phrase.Value?
  /// The statements that it answers.
  public var seen: Set<Dot>

  /// Creates a statement, with what its author had seen.
  public init(
    dot: Dot, claim: SafetyClaim, note: String = "", by: Phrase.Value? = nil, seen: Set<Dot> = []
  ) {
    self.dot = dot
    self.claim = claim
    self.note = note
    self.by = by
    self.seen = seen
  }
}

/// Command's statement that a person is safe, with what its author had seen.
public struct AccountingEvidence: Hashable, Sendable {
  /// The author.
  public var by: Phrase.Value
  /// May be empty.
  public var note: String
  /// The statements that it answers.
  public var claims: Set<Dot>
  /// The orders and timers that it settles.
  public var rows: Set<RowID>
  /// The newest position of each device.
  public var positions: [DeviceID: RecordOrder]
  /// Devices that are not with the person.
  public var away: Set<DeviceID>

  /// Creates an accounting.
  public init(
    by: Phrase.Value, note: String = "", claims: Set<Dot>, rows: Set<RowID>,
    positions: [DeviceID: RecordOrder], away: Set<DeviceID>
  ) {
    self.by = by
    self.note = note
    self.claims = claims
    self.rows = rows
    self.positions = positions
    self.away = away
  }
}

/// A person's sign-off.
public struct SignOffEvidence: Hashable, Sendable {
  /// The reason.
  public var reason: String
  /// The orders and timers that its author had seen, which no longer apply.
  public var rows: Set<RowID>

  /// Creates a sign-off.
  public init(reason: String, rows: Set<RowID>) {
    self.reason = reason
    self.rows = rows
  }
}

/// A check-in that a person owes.
public struct TimerEvidence: Hashable, Sendable {
  /// Its row.
  public let id: RowID
  /// The due time, by the observer's boot clock.
  public let due: Span
  /// Milliseconds after the latest due time until the person is unaccounted for.
  public let graceMilliseconds: Int64
  /// Milliseconds before the earliest due time at which the person is reminded.
  public let reminderMilliseconds: Int64
  /// Whether they have checked in.
  public let isSatisfied: Bool
  /// Milliseconds without movement after which the person is asked; 0 for never.
  public let stillMilliseconds: Int64
  /// The latest time of the newest report or of the start, by the observer's boot clock: stillness
  /// counts from it at the earliest.
  public let answered: Int64
  /// When the person is overdue because of a lack of movement; nil while they move.
  var stillDue: Int64?

  /// Creates a check-in with its due time.
  public init(
    id: RowID, due: Span, graceMilliseconds: Int64, reminderMilliseconds: Int64 = 0,
    isSatisfied: Bool, stillMilliseconds: Int64 = 0, answered: Int64 = 0
  ) {
    self.id = id
    self.due = due
    self.graceMilliseconds = graceMilliseconds
    self.reminderMilliseconds = reminderMilliseconds
    self.isSatisfied = isSatisfied
    self.stillMilliseconds = stillMilliseconds
    self.answered = answered
  }
}
