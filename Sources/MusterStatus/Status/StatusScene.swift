public import MusterGeo
public import MusterModel

/// What concerns everybody: zones, orders and permits.
public struct StatusScene: Sendable {
  /// Orders, the closed ones too: one may have replaced an open one.
  public let orders: [OrderEvidence]
  /// Entry permits.
  public let permits: [PermitEvidence]
  /// By id, the inactive ones too.
  public let zones: [RowID: StatusZone]
  /// Active hazard zones, by id.
  public let hazards: [StatusZone]
  /// Active assembly zones, by id.
  public let assembly: [StatusZone]

  /// Sorts out which zones are active.
  public init(zones: [StatusZone], orders: [OrderEvidence], permits: [PermitEvidence]) {
    let sorted = zones.sorted { $0.id < $1.id }
    self.zones = Dictionary(sorted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    hazards = sorted.filter { $0.isActive && $0.kind == .hazard }
    assembly = sorted.filter { $0.isActive && $0.kind == .muster }
    self.orders = orders.sorted { $0.id < $1.id }
    self.permits = permits
  }

  /// The hazard zones that a fix shows danger of.
  public func hazards(at fix: FixEvidence) -> [StatusZone] {
    fix.isUsable ? hazards.filter { $0.isDanger(at: fix) } : []
  }
}

/// A zone with its meaning.
public struct StatusZone: Sendable {
  /// Its row.
  public let id: RowID
  /// As people call it.
  public let name: String
  /// What being inside means.
  public let kind: FenceKind
  /// Whether it means that now.
  public let isActive: Bool
  /// Its outline.
  public let fence: PreparedFence

  /// A zone as it is shown now.
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

  /// Whether a fix that shows no danger ends an earlier one: a coarse one only if its whole
  /// circle is outside.
  func isCleared(by fix: FixEvidence) -> Bool {
    fix.isFine || fence.distanceMetres(from: fix.position, within: fix.accuracyMetres) == nil
  }

  /// Whether it is a zone that an order can name: people are not sent into a hazard.
  var isRefuge: Bool { isActive && kind != .hazard }
}

/// An order as the status function reads it: a directive of kind evacuate, muster or roll call.
public struct OrderEvidence: Sendable {
  /// Milliseconds after the latest deadline until a person is unaccounted for.
  public static let graceMilliseconds: Int64 = 120_000

  /// Its row.
  public var id: RowID
  /// What is asked; of other kinds it is no order.
  public var kind: DirectiveKind
  /// Not closed.
  public var isOpen: Bool
  /// Whom it is for.
  public var audience: OrderAudience
  /// Decides, with `dot`, which of concurrent orders is shown.
  public var role: Role
  /// Of its first write.
  public var dot: Dot
  /// When its first write was made.
  public var made: Evidence
  /// Milliseconds from then to the deadline: the least of the live values; nil for none.
  public var durationMilliseconds: Int64?
  /// The zones that it names.
  public var zones: [RowID]
  /// The orders that it replaces.
  public var supersedes: Set<RowID>
  /// Who has acknowledged it, or for whom command did.
  public var acknowledged: Set<UserID>

  /// An order as its row is shown now.
  public init(
    id: RowID, kind: DirectiveKind, isOpen: Bool, audience: OrderAudience, role: Role, dot: Dot,
    made: Evidence, durationMilliseconds: Int64?, zones: [RowID], supersedes: Set<RowID>,
    acknowledged: Set<UserID>
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
    self.supersedes = supersedes
    self.acknowledged = acknowledged
  }

  /// Whether it sends people somewhere.
  public var moves: Bool { kind == .evacuate || kind == .muster }
  /// Whether it counts for a person's status.
  public var isOrder: Bool { moves || kind == .rollcall }

  /// When it falls due.
  public func deadline(at clock: StatusClock) -> Deadline? {
    durationMilliseconds.map {
      Deadline(made: made.moment(at: clock), durationMilliseconds: $0)
    }
  }

  /// Whether it is shown before another one: evacuate first, then the higher role, then the
  /// greater dot.
  func isShown(before other: OrderEvidence) -> Bool {
    if (kind == .evacuate) != (other.kind == .evacuate) { return kind == .evacuate }
    if role != other.role { return role.rawValue < other.role.rawValue }
    return dot > other.dot
  }
}

/// Whom an order is for.
public struct OrderAudience: Hashable, Sendable {
  /// Who gave it: not for them, unless they are named.
  public var owner: UserID?
  /// Named people.
  public var users: Set<UserID>
  /// Those of a role.
  public var role: Role?
  /// Those of a team.
  public var team: String?
  /// The list of a roll call, as it was when it was issued; nil where there is none.
  public var expected: Set<UserID>?

  /// With no user, role and team it is for everybody in the field.
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

  /// Whether an order with this audience is for a person.
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

/// A permission to be in a hazard zone for a while.
public struct PermitEvidence: Hashable, Sendable {
  /// The zone.
  public var zone: RowID
  /// Named people.
  public var users: Set<UserID>
  /// Those of a team; nil for none.
  public var team: String?
  /// When its first write was made.
  public var made: Evidence
  /// Milliseconds from then to its end: the least of the live values.
  public var durationMilliseconds: Int64
  /// Taken back.
  public var isRevoked: Bool

  /// A permit as its row is shown now.
  public init(
    zone: RowID, users: Set<UserID>, team: String?, made: Evidence, durationMilliseconds: Int64,
    isRevoked: Bool
  ) {
    self.zone = zone
    self.users = users
    self.team = team
    self.made = made
    self.durationMilliseconds = durationMilliseconds
    self.isRevoked = isRevoked
  }

  /// Whether it is for a person.
  func includes(_ person: PersonIdentity) -> Bool {
    users.contains(person.id) || (team.map { !$0.isEmpty && $0 == person.team } ?? false)
  }

  /// The earliest moment at which it can end.
  func end(at clock: StatusClock) -> Int64 {
    Deadline(made: made.moment(at: clock), durationMilliseconds: durationMilliseconds)
      .time.earliest
  }
}
