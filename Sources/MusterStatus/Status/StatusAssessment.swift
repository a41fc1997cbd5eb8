public import MusterModel

/// The status of one person, with all that applies to them: a pure function of what a node knows.
///
/// The table of decision 0037 is the specification. `status` is the first row that applies, except
/// that an order which a sign-off does not name yields `unaccounted` all the same; `conditions`
/// are all rows that apply, `ok` only where no other does.
///
/// It does not decide what is replicated: a status that depends on a clock never enters the state
/// hash.
public struct StatusAssessment: Hashable, Sendable {
  /// What to show first.
  public let status: PersonStatus
  /// That of the status.
  public let severity: Severity
  /// All rows that apply, in the order of the table.
  public let conditions: [StatusCondition]
  /// The open orders that are for the person, by id.
  public let orders: [OrderStanding]
  /// Which of them is shown, and the way to its nearest zone.
  public let guidance: OrderGuidance?
  /// The hazard zones that they are in, by id.
  public let hazards: [RowID]
  /// When the person gave the last sign of life, by the observer's boot clock; nil for never.
  public let heard: Span?
  /// The wall clock of the device contradicts the arrival of its record.
  public let clockDiffers: Bool
  /// The first moment at which the passing of time alone may change any of this.
  public let nextChange: Int64?

  /// Assesses one person.
  public init(of person: PersonEvidence, in scene: StatusScene, at clock: StatusClock) {
    let assessor = PersonAssessor(person, in: scene, at: clock)
    conditions = assessor.conditions
    let first = conditions.first ?? StatusCondition(status: .ok, severity: .neutral, reason: "")
    let unaccounted = conditions.first { $0.status == .unaccounted }
    let decisive = first.status == .signedOff ? unaccounted ?? first : first
    status = decisive.status
    severity = decisive.severity
    orders = assessor.standings
    guidance = assessor.guidance
    hazards = assessor.hazards.map(\.id).sorted()
    (heard, clockDiffers) = assessor.contacts.lastSign
    nextChange = assessor.nextChange
  }

  /// Why the person has this status.
  public var reason: String { conditions.first { $0.status == status }?.reason ?? "" }
  /// The open orders that the person satisfies.
  public var satisfiedOrders: [RowID] { orders.filter(\.isSatisfied).map(\.id) }
}

/// Where a person stands with an open order that is for them.
public struct OrderStanding: Hashable, Sendable {
  /// Its row.
  public var id: RowID
  /// Whether it is satisfied, and by what.
  public var state: State
  /// When it falls due, by the observer's boot clock; nil for never.
  public var due: Span?

  /// What is known of it.
  public enum State: Hashable, Sendable {
    /// A fix inside a zone of the order, reported after it was issued.
    case present(zone: RowID)
    case acknowledged
    /// By command.
    case accountedFor
    /// Its deadline has not passed.
    case ordered
    case overdue
    case unaccounted
  }

  /// Whether nothing more is asked.
  public var isSatisfied: Bool {
    switch state {
    case .present, .acknowledged, .accountedFor: true
    case .ordered, .overdue, .unaccounted: false
    }
  }
}

/// The order that a person sees, and the way.
public struct OrderGuidance: Hashable, Sendable {
  /// Its row.
  public var order: RowID
  /// What is asked.
  public var kind: DirectiveKind
  /// When it falls due, by the observer's boot clock; nil for never.
  public var due: Span?
  /// The nearest zone that satisfies it; nil without a zone or without a fix.
  public var zone: RowID?
  /// Metres to that zone, 0 inside; nil without a zone.
  public var distanceMetres: Double?
  /// Degrees clockwise from north; nil inside and without a zone.
  public var bearingDegrees: Double?
}
