/// A directive for display, with the state of its answers.
public struct DirectiveSummary: Codable, Hashable, Sendable {
  /// The row that acknowledgements name.
  public var id: RowID
  /// The kind of directive.
  public var kind: DirectiveKind
  /// Empty if the kind suffices.
  public var text: String
  /// The audience, in a few words.
  public var audience: Phrase
  /// The zones to go to, by name; empty for any active assembly zone.
  public var zones: [DirectiveZone]
  /// Nil for no deadline.
  public var deadline: DirectiveDeadline?
  /// Open until command closes it, or another directive supersedes it.
  public var status: DirectiveStatus
  /// The directives that this one supersedes, by id.
  public var supersedes: [RowID] = []
  /// The directive that supersedes this one.
  public var supersededBy: RowID?
  /// Who issued it.
  public var authorship: Authorship
  /// By its author's clock: a label.
  public var createdAt: Timestamp
  /// The people addressed: unaccounted first, late arrivals last, each sorted by callsign.
  public var people: [Respondent]

  /// The first of `zones`; nil when none is named.
  public var fence: RowID? { zones.first?.id }

  /// The name of that zone; empty while it has not arrived, or when none is named.
  public var fenceName: String { zones.first?.name ?? "" }

  /// The people without evidence that they received it and are well.
  public var unaccounted: [Respondent] { people.filter { $0.state == .unaccounted } }

  /// The people addressed at its issue: late arrivals are not in its count.
  public var expected: [Respondent] { people.filter { !$0.isLate } }

  /// The people first received from after a roll call was issued.
  public var lateArrivals: [Respondent] { people.filter(\.isLate) }

  /// How many of the people addressed are not unaccounted for.
  public var answered: Int { expected.count { $0.state != .unaccounted } }

  /// Whether the deadline has passed and a person has not answered.
  public func isOverdue(now: Timestamp) -> Bool {
    guard status == .open, let deadline, now > deadline.time else { return false }
    return people.contains { $0.state == .unaccounted }
  }

  /// Creates a summary. The caller MUST have assessed `people` at one moment.
  public init(
    id: RowID, kind: DirectiveKind, text: String, addressees: Phrase, zones: [DirectiveZone],
    deadline: DirectiveDeadline?, status: DirectiveStatus, callsign authorship: Authorship,
    createdAt: Timestamp, people: [Respondent]
  ) {
    self.id = id
    self.kind = kind
    self.text = text
    audience = addressees
    self.zones = zones
    self.deadline = deadline
    self.status = status
    self.authorship = authorship
    self.createdAt = createdAt
    self.people = people
  }

  /// The text of `authorship`.
  public var callsign: String { authorship.text }

  /// The audience in English.
  public var addressees: String { audience.text }
}

/// When the answers to a directive are due.
public struct DirectiveDeadline: Codable, Hashable, Sendable {
  /// By the commander's clock.
  public var time: Timestamp
  /// Seconds from issue to deadline; nil if an older program gave only a time.
  public var durationSeconds: UInt32?

  /// Creates a deadline.
  public init(time: Timestamp, durationSeconds: UInt32?) {
    self.time = time
    self.durationSeconds = durationSeconds
  }
}

/// A zone that a directive names.
public struct DirectiveZone: Codable, Hashable, Sendable {
  /// The fence.
  public var id: RowID
  /// Empty while the fence has not arrived.
  public var name: String

  /// Creates a zone with its current name.
  public init(id: RowID, name: String) {
    self.id = id
    self.name = name
  }
}

/// The distance and bearing from a person's newest fix to the nearest zone of a directive.
public struct ZoneDirection: Codable, Hashable, Sendable {
  /// The nearest zone.
  public var zone: DirectiveZone
  /// Distance to its edge, rounded; 0 inside.
  public var distanceMetres: Int64
  /// Bearing clockwise from north, 0 to 359; nil inside.
  public var bearingDegrees: Int64?

  /// The zone with its distance and bearing: `School, 420 m north-east (47°)`.
  public var phrase: Phrase {
    let name = Phrase.Value.text(zone.name)
    guard distanceMetres > 0 || bearingDegrees != nil else {
      return Phrase(.zoneHere, ["zone": name])
    }
    let way = Self.way(metres: distanceMetres, degrees: bearingDegrees)
    return Phrase(.zoneAway, ["zone": name, "way": way])
  }

  /// Returns a distance and a bearing as the page shows them: `420 m north-east (47°)`.
  public static func words(metres: Int64, degrees: Int64?) -> String {
    way(metres: metres, degrees: degrees).text
  }

  private static func way(metres: Int64, degrees: Int64?) -> Phrase.Value {
    let tenths = metres / 100
    let distance =
      if metres < 1000 {
        "\(metres < 100 ? metres : metres / 10 * 10) m"
      } else {
        tenths < 100 ? "\(tenths / 10).\(tenths % 10) km" : "\(metres / 1000) km"
      }
    guard let degrees else { return .text(distance) }
    let points: [PhraseKey] = [
      .compassN, .compassNe, .compassE, .compassSe, .compassS, .compassSw, .compassW, .compassNw,
    ]
    return .phrase(
      .way,
      [
        "far": .text(distance), "point": .phrase(points[Int((degrees * 2 + 45) / 90 % 8)]),
        "degrees": .number(degrees),
      ])
  }

  /// Creates a direction. The caller MUST have rounded both numbers.
  public init(zone: DirectiveZone, distanceMetres: Int64, bearingDegrees: Int64?) {
    self.zone = zone
    self.distanceMetres = distanceMetres
    self.bearingDegrees = bearingDegrees
  }
}

/// A person that a directive addresses.
public struct Respondent: Codable, Hashable, Sendable {
  /// The person.
  public var user: UserID
  /// The callsign; the first digits of the id while no callsign is known.
  public var callsign: String
  /// The state of the answer.
  public var state: State
  /// The text of the answer, or the reason for its absence.
  public var phrase: Phrase
  /// The time of the answer, by the clock of its author; nil without an answer.
  public var answeredAt: Timestamp?
  /// Who answered on their behalf; nil for the person's own answer.
  public var answeredBy: String?
  /// Seconds since their newest fix; nil without a fix.
  public var fixAgeSeconds: Int64?
  /// Whether the person was first received from after the roll call was issued.
  public var isLate = false
  /// Whether the person carries a tracker, which cannot answer: command answers for them.
  public var isTracker = false
  /// The direction to the nearest zone; nil without a zone, without a usable fix, or if not
  /// required.
  public var direction: ZoneDirection?

  /// The states of an answer.
  public enum State: String, Codable, Hashable, Sendable, CaseIterable {
    /// By an answer that satisfies the directive. An answer to an order to go to a zone shows only
    /// that it was read: `answeredAt` is set, whatever the state.
    case acknowledged
    /// Observed in the required zone since the directive was issued, or accounted for by command.
    case present
    case unaccounted
    /// A late arrival, who was not asked.
    case late
    /// Signed off since the directive was issued, which settles it.
    case signedOff
  }

  /// Creates a value. The caller MUST have assessed all of it at one moment.
  public init(
    user: UserID, callsign: String, state: State, phrase: Phrase, answeredAt: Timestamp?,
    answeredBy: String?, fixAgeSeconds: Int64?
  ) {
    self.user = user
    self.callsign = callsign
    self.state = state
    self.phrase = phrase
    self.answeredAt = answeredAt
    self.answeredBy = answeredBy
    self.fixAgeSeconds = fixAgeSeconds
  }

  /// The reason in English.
  public var reason: String { phrase.text }
}
