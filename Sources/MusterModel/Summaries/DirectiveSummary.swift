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
  /// The first of `zones`; nil when none was given.
  public var fence: RowID?
  /// Of that one: empty while it has not arrived, or when none was given.
  public var fenceName: String
  /// The zones to go to, by name; empty for any active assembly zone.
  public var zones: [DirectiveZone] = []
  /// By the commander's clock; nil when none was given.
  public var deadline: Timestamp?
  /// From when it was issued to its deadline; nil where it has none, or an older program gave a
  /// moment alone.
  public var durationSeconds: UInt32?
  /// Open until command closes it, or another directive replaces it.
  public var status: DirectiveStatus
  /// The directives that this one replaces, by id.
  public var supersedes: [RowID] = []
  /// The directive that replaces this one.
  public var supersededBy: RowID?
  /// Who gave it.
  public var callsign: String
  /// As its author's clock claimed: a label.
  public var createdAt: Timestamp
  /// Those it is for, the unaccounted ones first and late arrivals last, each by callsign.
  public var people: [Respondent]

  /// Those of whom nothing shows yet that they heard of it and are well.
  public var unaccounted: [Respondent] { people.filter { $0.state == .unaccounted } }

  /// Those it was for when it was issued: late arrivals are no part of its count.
  public var expected: [Respondent] { people.filter { !$0.isLate } }

  /// Those who were first heard of after a roll call was issued.
  public var lateArrivals: [Respondent] { people.filter(\.isLate) }

  /// How many of those it was for have answered, or were seen.
  public var answered: Int { expected.count { $0.state != .unaccounted } }

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

/// A zone that a directive names.
public struct DirectiveZone: Codable, Hashable, Sendable {
  /// The fence.
  public var id: RowID
  /// Empty while the fence has not arrived.
  public var name: String

  /// A zone as it is called now.
  public init(id: RowID, name: String) {
    self.id = id
    self.name = name
  }
}

/// The way from somebody's newest fix to the nearest zone of a directive.
public struct ZoneDirection: Codable, Hashable, Sendable {
  /// The nearest zone.
  public var zone: DirectiveZone
  /// To its edge, rounded; 0 inside.
  public var distanceMetres: Int64
  /// Clockwise from north, 0 to 359; nil inside.
  public var bearingDegrees: Int64?

  /// The zone, how far it is and where: `School, 420 m at 47° (NE)`.
  public var words: String {
    guard let bearingDegrees else {
      return distanceMetres == 0 ? "\(zone.name), where you are" : "\(zone.name), \(distanceWords)"
    }
    let points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
    let point = points[Int((bearingDegrees * 2 + 45) / 90 % 8)]
    return "\(zone.name), \(distanceWords) at \(bearingDegrees)° (\(point))"
  }

  /// `420 m` or `1.3 km`.
  public var distanceWords: String {
    if distanceMetres < 1000 {
      return "\(distanceMetres < 100 ? distanceMetres : distanceMetres / 10 * 10) m"
    }
    let tenths = distanceMetres / 100
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10) km" : "\(distanceMetres / 1000) km"
  }

  /// The caller MUST have rounded both.
  public init(zone: DirectiveZone, distanceMetres: Int64, bearingDegrees: Int64?) {
    self.zone = zone
    self.distanceMetres = distanceMetres
    self.bearingDegrees = bearingDegrees
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
  /// Whether they were first heard of after the roll call was issued.
  public var isLate = false
  /// Whether they carry a tracker that cannot answer: command answers for them.
  public var isTracker = false
  /// The way to the nearest zone; nil without a zone or a fix that tells, or where none is asked
  /// for.
  public var direction: ZoneDirection?

  /// What is known of their answer.
  public enum State: String, Codable, Hashable, Sendable, CaseIterable {
    case acknowledged
    /// Seen where they are to be, since the directive was given.
    case present
    case unaccounted
    /// Late, and not asked.
    case late
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
