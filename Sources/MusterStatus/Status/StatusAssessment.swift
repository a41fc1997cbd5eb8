public import MusterModel

/// The status of one person with all conditions: a pure function of the data at a node.
///
/// The table of decision 0037 is the specification. `status` is the first row that applies, except
/// that an order which a sign-off does not name yields `unaccounted` nevertheless. `conditions` are
/// all rows that apply, `ok` only if no other does.
///
/// It does not decide what is replicated: a status that depends on a clock never enters the state
/// hash.
public struct StatusAssessment: Hashable, Sendable {
  /// The status to show first.
  public let status: PersonStatus
  /// The severity of the status.
  public let severity: Severity
  /// All rows that apply, in the order of the table.
  public let conditions: [StatusCondition]
  /// The open orders that address the person, by id.
  public let orders: [OrderStanding]
  /// The check-ins that the person owes and that no sign-off settles, by id.
  public let timers: [CheckInStanding]
  /// Whether the first condition is a call under duress, which only command may see.
  public let isUnderDuress: Bool
  /// The shown order, with the direction to its nearest zone.
  public let guidance: OrderGuidance?
  /// The hazard zones in which they are, by id.
  public let hazards: [RowID]
  /// The last evidence of contact, by the observer's boot clock; nil for never.
  public let received: Span?
  /// Whether the device's wall clock contradicts the arrival of its record.
  public let clockDiffers: Bool
  /// Whether the person had devices, and all of them are revoked.
  public let isRevoked: Bool
  /// The earliest time at which the passing of time alone may change any of this.
  public let nextChange: Int64?

  /// Assesses one person.
  public init(of person: PersonEvidence, in scene: StatusScene, at clock: StatusClock) {
    let assessor = PersonAssessor(person, in: scene, at: clock)
    conditions = assessor.conditions
    let decisive = StatusCondition.decisive(of: conditions)
    status = decisive.status
    severity = decisive.severity
    orders = assessor.standings
    timers = assessor.checkIns
    isUnderDuress = person.isUnderDuress
    guidance = assessor.guidance
    hazards = assessor.hazards.map(\.id).sorted()
    (received, clockDiffers) = assessor.contacts.lastSign
    isRevoked = assessor.contacts.isRevoked
    nextChange = assessor.nextChange
  }

  /// The reason of the status.
  public var reason: String { conditions.first { $0.status == status }?.reason ?? "" }
}

/// The state of an open order that addresses a person.
public struct OrderStanding: Hashable, Sendable {
  /// Its row.
  public var id: RowID
  /// Whether it is satisfied, and by what.
  public var state: State
  /// The due time, by the observer's boot clock; nil for none.
  public var due: Span?
  /// Of an unanswered roll call, the assembly zone in which a device of the person certainly was
  /// after it was issued; nil for none.
  public let sighting: RowID?

  /// The states of an order.
  public enum State: Hashable, Sendable {
    /// A fix inside a zone of the order, reported after it was issued.
    case present(zone: RowID)
    case acknowledged
    /// By command's accounting.
    case accountedFor
    /// Not satisfied, and its deadline has not passed.
    case ordered
    case overdue
    case unaccounted
  }

  /// Whether the order requires nothing more.
  public var isSatisfied: Bool {
    switch state {
    case .present, .acknowledged, .accountedFor: true
    case .ordered, .overdue, .unaccounted: false
    }
  }
}

/// The state of a check-in that a person owes.
public struct CheckInStanding: Hashable, Sendable {
  /// Its row.
  public var id: RowID
  /// The state by the observer's clock.
  public var state: CheckInState
  /// The due time with regard to movement, by the observer's boot clock.
  public var due: Span
  /// The due time without regard to movement.
  public var regularDue: Span
  /// Whether command's accounting names it.
  public var isSettled: Bool
  /// Whether the state follows from a lack of movement.
  public var isStill: Bool
}

/// The order that is shown to a person, with the direction.
public struct OrderGuidance: Hashable, Sendable {
  /// Its row.
  public var order: RowID
  /// The kind of order.
  public var kind: DirectiveKind
  /// The due time, by the observer's boot clock; nil for none.
  public var due: Span?
  /// The nearest zone that satisfies it; nil without a zone or without a fix.
  public var zone: RowID?
  /// Distance to that zone in metres, 0 inside; nil without a zone.
  public var distanceMetres: Double?
  /// Degrees clockwise from north; nil inside and without a zone.
  public var bearingDegrees: Double?
}
