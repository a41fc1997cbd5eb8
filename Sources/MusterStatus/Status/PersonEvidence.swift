public import MusterModel

/// What is known of one person: the input of the status function that changes with that person.
public struct PersonEvidence: Hashable, Sendable {
  /// Who it is.
  public var identity: PersonIdentity
  /// What they said, and what was said of them.
  public var statements: PersonStatements
  /// Their devices, the revoked ones too.
  public var devices: [StatusDevice] = []
  /// Check-ins that are asked of them.
  public var timers: [TimerEvidence] = []
  /// Anything was ever received from them.
  public var wasHeard = false
  /// After how many milliseconds without a sign of life they are out of contact.
  public var silenceMilliseconds: Int64

  /// A person of whom nothing is known yet.
  public init(identity: PersonIdentity, silenceMilliseconds: Int64) {
    self.identity = identity
    self.silenceMilliseconds = silenceMilliseconds
    statements = PersonStatements()
  }
}

/// What decides which orders and permits are for a person.
public struct PersonIdentity: Hashable, Sendable {
  /// Who it is.
  public var id: UserID
  /// The highest of their devices.
  public var role: Role
  /// Empty for none.
  public var team: String
  /// They have only a phone that another's node listens to.
  public var isTracker: Bool

  /// A person as orders address them.
  public init(id: UserID, role: Role, team: String, isTracker: Bool) {
    self.id = id
    self.role = role
    self.team = team
    self.isTracker = isTracker
  }
}

/// The live values of a person's fields of safety.
public struct PersonStatements: Hashable, Sendable {
  /// The person's own reports.
  public var claims: [ClaimEvidence] = []
  /// What logins that are bound to the person said at command posts.
  public var relayed: [ClaimEvidence] = []
  /// Command says that the person needs help.
  public var helpOverrides: [ClaimEvidence] = []
  /// Command says that the person is accounted for.
  public var accountings: [AccountingEvidence] = []
  /// The person left the operation.
  public var signOff: SignOffEvidence?

  /// Nothing was said.
  public init() {}

  /// All calls for help, answered or not.
  var calls: [ClaimEvidence] {
    claims.filter { $0.claim == .needsHelp } + helpOverrides
      + relayed.filter { $0.claim == .needsHelp }
  }
}

/// A statement about a person's safety.
public struct ClaimEvidence: Hashable, Sendable {
  /// The write that made it.
  public var dot: Dot
  /// Safe or help.
  public var claim: SafetyClaim
  /// May be empty.
  public var note: String
  /// Who made it in the person's place, as people read it; nil for the person's own.
  public var by: String?
  /// The statements that it answers.
  public var seen: Set<Dot>

  /// A statement, with what its author had seen.
  public init(
    dot: Dot, claim: SafetyClaim, note: String = "", by: String? = nil, seen: Set<Dot> = []
  ) {
    self.dot = dot
    self.claim = claim
    self.note = note
    self.by = by
    self.seen = seen
  }
}

/// Command's statement that a person is safe, and what its author had seen.
public struct AccountingEvidence: Hashable, Sendable {
  /// Who made it, as people read it.
  public var by: String
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

  /// An accounting as it was written.
  public init(
    by: String, note: String = "", claims: Set<Dot>, rows: Set<RowID>,
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

/// A person's leaving of the operation.
public struct SignOffEvidence: Hashable, Sendable {
  /// Why.
  public var reason: String
  /// The orders and timers that its author had seen: they ask nothing any more.
  public var rows: Set<RowID>

  /// A sign-off as it was written.
  public init(reason: String, rows: Set<RowID>) {
    self.reason = reason
    self.rows = rows
  }
}

/// A check-in that is asked of a person.
public struct TimerEvidence: Hashable, Sendable {
  /// Its row.
  public var id: RowID
  /// When it falls due, by the observer's boot clock.
  public var due: Span
  /// Milliseconds after the latest due time until the person is unaccounted for.
  public var graceMilliseconds: Int64
  /// They have checked in.
  public var isSatisfied: Bool

  /// A check-in with its due time.
  public init(id: RowID, due: Span, graceMilliseconds: Int64, isSatisfied: Bool) {
    self.id = id
    self.due = due
    self.graceMilliseconds = graceMilliseconds
    self.isSatisfied = isSatisfied
  }
}
