/// A directive as people see it, and what has become of it.
public struct DirectiveSummary: Codable, Hashable, Sendable {
  /// The row that acknowledgements name.
  public var id: RowID
  /// What is asked.
  public var kind: DirectiveKind
  /// Empty where the kind says it all.
  public var text: String
  /// Whom it is for, in a few words.
  public var addressees: String
  /// The fence to go to; nil when none was given.
  public var fence: RowID?
  /// Empty while the fence has not arrived, or when none was given.
  public var fenceName: String
  /// By the commander's clock; nil when none was given.
  public var deadline: Timestamp?
  /// Open until command closes it.
  public var status: DirectiveStatus
  /// Who gave it.
  public var callsign: String
  /// As its author's clock claimed: a label.
  public var createdAt: Timestamp
  /// Those it is for, the unaccounted ones first, each by callsign.
  public var people: [Respondent]

  /// Those of whom nothing shows yet that they heard of it and are well.
  public var unaccounted: [Respondent] { people.filter { $0.state == .unaccounted } }

  /// Whether its time is over and somebody has not answered.
  public func isOverdue(now: Timestamp) -> Bool {
    guard status == .open, let deadline, now > deadline else { return false }
    return people.contains { $0.state == .unaccounted }
  }

  /// The caller MUST have judged `people` at one moment.
  public init(
    id: RowID, kind: DirectiveKind, text: String, addressees: String, fence: RowID?,
    fenceName: String, deadline: Timestamp?, status: DirectiveStatus, callsign: String,
    createdAt: Timestamp, people: [Respondent]
  ) {
    self.id = id
    self.kind = kind
    self.text = text
    self.addressees = addressees
    self.fence = fence
    self.fenceName = fenceName
    self.deadline = deadline
    self.status = status
    self.callsign = callsign
    self.createdAt = createdAt
    self.people = people
  }
}

/// One of those whom a directive is for.
public struct Respondent: Codable, Hashable, Sendable {
  /// Whose answer it is.
  public var user: UserID
  /// The first digits of the id while no callsign is known.
  public var callsign: String
  /// Whether they answered.
  public var state: State
  /// Of an answer, or why there is none, in a few words.
  public var reason: String
  /// When they answered, by the clock of who wrote it; nil when they did not.
  public var answeredAt: Timestamp?
  /// Who answered on their behalf; nil when they did themselves.
  public var answeredBy: String?
  /// Seconds since their newest fix; nil when there is none.
  public var fixAgeSeconds: Int64?

  /// What is known of their answer.
  public enum State: String, Codable, Hashable, Sendable, CaseIterable {
    case acknowledged
    /// Seen where they are to be, since the directive was given.
    case present
    case unaccounted
  }

  /// The caller MUST have judged it all at one moment.
  public init(
    user: UserID, callsign: String, state: State, reason: String, answeredAt: Timestamp?,
    answeredBy: String?, fixAgeSeconds: Int64?
  ) {
    self.user = user
    self.callsign = callsign
    self.state = state
    self.reason = reason
    self.answeredAt = answeredAt
    self.answeredBy = answeredBy
    self.fixAgeSeconds = fixAgeSeconds
  }
}
