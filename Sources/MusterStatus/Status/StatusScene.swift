public import MusterGeo
public import MusterModel

/// The input that concerns all people: zones, orders and permits.
public struct StatusScene: Sendable {
  /// Orders, including closed ones: one may have superseded an open one.
  public let orders: [OrderEvidence]
  /// Entry permits.
  public let permits: [PermitEvidence]
  /// All zones by id, including inactive ones.
  public let zones: [RowID: StatusZone]
  /// Active hazard zones, by id.
  public let hazards: [StatusZone]
  /// Active assembly zones, by id.
  public let assembly: [StatusZone]

  /// Creates a scene, and selects the active zones.
  public init(zones: [StatusZone], orders: [OrderEvidence], permits: [PermitEvidence]) {
    let sorted = zones.sorted { $0.id < $1.id }
    self.zones = Dictionary(sorted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    hazards = sorted.filter { $0.isActive && $0.kind == .hazard }
    assembly = sorted.filter { $0.isActive && $0.kind == .muster }
    self.orders = orders.sorted { $0.id < $1.id }
    self.permits = permits
  }

  private init(_ other: StatusScene, orders: [OrderEvidence], permits: [PermitEvidence]) {
    (zones, hazards, assembly) = (other.zones, other.hazards, other.assembly)
    self.orders = orders.sorted { $0.id < $1.id }
    self.permits = permits
  }

  /// The same zones with other orders and permits.
  func replacing(orders: [OrderEvidence], permits: [PermitEvidence]) -> StatusScene {
    StatusScene(self, orders: orders, permits: permits)
  }
}

/// A zone with its meaning.
public struct StatusZone: Sendable {
  /// Its row.
  public let id: RowID
  /// The name.
  public let name: String
  /// The meaning of being inside.
  public let kind: FenceKind
  /// Whether it is in force now.
  public let isActive: Bool
  /// Its outline.
  public let fence: PreparedFence

  /// Creates a zone with its current values.
  public init(id: RowID, name: String, kind: FenceKind, isActive: Bool, fence: PreparedFence) {
    self.id = id
    self.name = name
    self.kind = kind
    self.isActive = isActive
    self.fence = fence
  }

  /// A fix this close to a hazard zone counts as inside, or as close as its accuracy if that is
  /// less.
  static let reachMetres = 100.0

  /// Inside or within min(accuracy, 100 m).
  func isDanger(at fix: FixEvidence) -> Bool {
    let reach = min(fix.accuracyMetres, Self.reachMetres)
    return fence.distanceMetres(from: fix.position, within: reach) != nil
  }

  /// Whether a fix that shows no danger clears an earlier one: a coarse one only if its whole
  /// circle is outside, and one that was old when it was received never.
  func isCleared(by fix: FixEvidence) -> Bool {
    guard !fix.age.wasOld else { return false }
    return fix.isFine
      || fence.distanceMetres(from: fix.position, within: fix.accuracyMetres) == nil
  }

  /// Whether an order can name the zone: people are not sent into a hazard.
  var isRefuge: Bool { isActive && kind != .hazard }
}

/// An order as input of the status function: a directive of kind evacuate, muster or roll call.
public struct OrderEvidence: Hashable, Sendable {
  /// Milliseconds after the latest deadline until a person is unaccounted for.
  public static let graceMilliseconds: Int64 = 120_000

  /// Its row.
  public var id: RowID
  /// The kind of directive; other kinds are not orders.
  public var kind: DirectiveKind
  /// Whether it is not closed.
  public var isOpen: Bool
  /// The people addressed.
  public var audience: OrderAudience
  /// Determines, with `dot`, which of several concurrent orders is shown.
  public var role: Role
  /// The dot of its first write.
  public var dot: Dot
  /// The time of its first write.
  public var made: Evidence
  /// Milliseconds from then to the deadline: the lowest of the live values; nil for none.
  public var durationMilliseconds: Int64?
  /// The zones that it names.
  public var zones: [RowID]
  /// Whether a zone that it names has not arrived here: no other zone stands in for that one.
  public let awaitsZones: Bool
  /// The orders that it supersedes.
  public var supersedes: Set<RowID>
  /// The people who have acknowledged it, themselves or through command.
  public var acknowledged: Set<UserID>

  /// Creates an order with the current values of its row.
  public init(
    id: RowID, kind: DirectiveKind, isOpen: Bool, audience: OrderAudience, role: Role, dot: Dot,
    made: Evidence, durationMilliseconds: Int64?, zones: [RowID], awaitsZones: Bool = false,
    supersedes: Set<RowID>, acknowledged: Set<UserID>
  ) {
    self.id = id
    self.kind = kind
    self.isOpen = isOpen
    self.audience = audience
    self.role = role
    self.dot = dot
    self.made = made
    self.durationMilliseconds = durationMilliseconds
    self.zones = zones
    self.awaitsZones = awaitsZones
    self.supersedes = supersedes
    self.acknowledged = acknowledged
  }

  /// Whether it sends people to a zone.
  public var moves: Bool { kind == .evacuate || kind == .muster }
  /// Whether it affects a person's status.
  public var isOrder: Bool { moves || kind == .rollcall }

  /// Returns the deadline.
  public func deadline(at clock: StatusClock) -> Deadline? {
    durationMilliseconds.map {
      Deadline(made: made.moment(at: clock), durationMilliseconds: $0)
    }
  }

  /// Whether it is shown instead of another: evacuate first, then the higher role, then the greater
  /// dot.
  func isShown(before other: OrderEvidence) -> Bool {
    if (kind == .evacuate) != (other.kind == .evacuate) { return kind == .evacuate }
    if role != other.role { return role.rawValue < other.role.rawValue }
    return dot > other.dot
  }
}

/// The audience of an order.
public struct OrderAudience: Hashable, Sendable {
  /// The author, who is only addressed if named.
  public var owner: UserID?
  /// Named people.
  public var users: Set<UserID>
  /// People with a role.
  public var role: Role?
  /// People of a team.
  public var team: String?
  /// The list of a roll call, as of its issue; nil without one.
  public var expected: Set<UserID>?

  /// Creates an audience. Without users, role and team it addresses everyone in the field.
  public init(
    owner: UserID?, users: Set<UserID> = [], role: Role? = nil, team: String? = nil,
    expected: Set<UserID>? = nil
  ) {
    self.owner = owner
    self.users = users
    self.role = role
    self.team = team
    self.expected = expected
  }

  /// Whether an order with this audience addresses a person.
  public func includes(_ person: PersonIdentity) -> Bool {
    if let expected { return expected.contains(person.id) }
    if users.contains(person.id) { return true }
    guard person.id != owner else { return false }
    if let role, !person.isTracker, person.role == role { return true }
    if let team, !team.isEmpty, person.team == team { return true }
    guard users.isEmpty, role == nil, team == nil else { return false }
    return person.isTracker || person.role == .command || person.role == .member
  }
}

/// Permission to be in a hazard zone for a limited time.
public struct PermitEvidence: Hashable, Sendable {
  /// The zone.
  public var zone: RowID
  /// Named people. A permit for a team names those who were in it when it was issued.
  public var users: Set<UserID>
  /// The time of its first write.
  public var made: Evidence
  /// Milliseconds from then to its end: the lowest of the live values.
  public var durationMilliseconds: Int64
  /// Whether command revoked it.
  public var isRevoked: Bool

  /// Creates a permit with the current values of its row.
  public init(
    zone: RowID, users: Set<UserID>, made: Evidence, durationMilliseconds: Int64, isRevoked: Bool
  ) {
    self.zone = zone
    self.users = users
    self.made = made
    self.durationMilliseconds = durationMilliseconds
    self.isRevoked = isRevoked
  }

  /// Whether it applies to a person.
  func includes(_ person: PersonIdentity) -> Bool { users.contains(person.id) }

  /// Returns the earliest time at which it can end.
  func end(at clock: StatusClock) -> Int64 {
    Deadline(made: made.moment(at: clock), durationMilliseconds: durationMilliseconds)
      .time.earliest
  }
}
