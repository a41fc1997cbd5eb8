internal import MusterGeo
public import MusterModel

/// A person as the rules of zones see them.
public struct ZonePerson: Hashable, Sendable {
  /// The person.
  public let id: UserID
  /// The highest role of their devices; without meaning for the carrier of a tracker.
  public let role: Role
  /// The team; empty for none.
  public let team: String
  /// Whether they have only a tracker.
  public let isTracker: Bool
  /// Whether they were received from within the silence setting, with a position of that time.
  public let isInContact: Bool
  /// Whether they left the operation: then no rule counts them.
  public var hasSignedOff: Bool
  /// Their newest fix; nil without one.
  public let fix: Fix?

  /// Creates a person with their newest fix.
  public init(
    id: UserID, role: Role, team: String, isTracker: Bool, isInContact: Bool, hasSignedOff: Bool,
    fix: Fix?
  ) {
    self.id = id
    self.role = role
    self.team = team
    self.isTracker = isTracker
    self.isInContact = isInContact
    self.hasSignedOff = hasSignedOff
    self.fix = fix
  }

  /// The fix if it is accurate enough for zones: at most 1 km, and not at 0,0.
  fileprivate var usableFix: Fix? {
    guard let fix, (fix.accuracyDecimetres ?? 0) <= FixEvidence.coarsestDecimetres,
      (fix.position.latitudeE7, fix.position.longitudeE7) != (0, 0)
    else { return nil }
    return fix
  }
}

/// A rule of a zone, with the time from which it counts.
public struct ZoneRuleEvidence: Hashable, Sendable {
  /// The rule.
  public let rule: ZoneRule
  /// The time of its write.
  public let made: Evidence

  /// Creates a rule with its time.
  public init(rule: ZoneRule, made: Evidence) {
    self.rule = rule
    self.made = made
  }

  /// Whether the deadline of a rule about an entry has certainly passed, or may have.
  public enum Lateness: Hashable, Sendable {
    case none
    case possible
    case certain
  }

  /// Returns the lateness of a rule about an entry; `none` for other rules.
  public func lateness(at clock: StatusClock) -> Lateness {
    guard rule.kind == .entryBy else { return .none }
    let due = Deadline(
      made: made.moment(at: clock), durationMilliseconds: Int64(rule.number) * 1000
    ).time
    if clock.boot >= due.latest { return .certain }
    return clock.boot >= due.earliest ? .possible : .none
  }
}

/// A rule that is violated.
public struct ZoneRuleViolation: Hashable, Sendable {
  /// The index of the rule.
  public var index: Int
  /// How many people are inside that the rule counts.
  public var count: Int
  /// Who is too close, by id; empty for other rules.
  public var people: [UserID]
  /// Whether the deadline has certainly passed; false for other rules.
  public var isCertain: Bool
}

/// The rules of one zone: a pure function of the people that a node knows. It never enters the
/// state hash.
public struct ZoneRuleReview: Sendable {
  private let zone: StatusZone
  private let rules: [ZoneRuleEvidence]
  private let people: [ZonePerson]

  /// Creates a review of an active zone; an inactive one violates nothing.
  public init(_ zone: StatusZone, rules: [ZoneRuleEvidence], people: [ZonePerson]) {
    self.zone = zone
    self.rules = rules
    self.people = people.filter { !$0.hasSignedOff }
  }

  /// Returns the rules that are violated, by index.
  ///
  /// - Parameter hasEntered: whether an entry is known that satisfies the rule with this index.
  public func violations(
    at clock: StatusClock, hasEntered: (Int) throws -> Bool
  ) rethrows -> [ZoneRuleViolation] {
    guard zone.isActive else { return [] }
    var found: [ZoneRuleViolation] = []
    for (index, evidence) in rules.enumerated() {
      let counted = people.filter { Self.counts($0, in: evidence.rule) }
      let inside = counted.filter { isInside($0) }
      var violation = ZoneRuleViolation(
        index: index, count: inside.count, people: [], isCertain: false)
      switch evidence.rule.kind {
      case .atLeast:
        // Without contact it is not known whether a person is still there.
        violation.count = inside.count { $0.isInContact }
        if violation.count < Int(evidence.rule.number) { found.append(violation) }
      case .atMost:
        if inside.count > Int(evidence.rule.number) { found.append(violation) }
      case .entryBy:
        let lateness = evidence.lateness(at: clock)
        // A person out of contact, or with an old position, may have left before the rule was made.
        guard lateness != .none, !inside.contains(where: \.isInContact), !(try hasEntered(index))
        else { continue }
        violation.isCertain = lateness == .certain
        found.append(violation)
      case .within:
        violation.people = counted.filter { isNear($0, metres: evidence.rule.number) }
          .map(\.id).sorted()
        if !violation.people.isEmpty { found.append(violation) }
      }
    }
    return found
  }

  private static func counts(_ person: ZonePerson, in rule: ZoneRule) -> Bool {
    if let role = rule.role { return !person.isTracker && person.role == role }
    return rule.team.isEmpty || person.team == rule.team
  }

  private func isInside(_ person: ZonePerson) -> Bool {
    person.usableFix.map { zone.fence.contains($0.position) } ?? false
  }

  /// The doubt about a position counts as danger, up to the reach of a hazard zone.
  private func isNear(_ person: ZonePerson, metres: UInt32) -> Bool {
    guard let fix = person.usableFix else { return false }
    let doubt = min(
      Double(fix.accuracyDecimetres ?? FixEvidence.fineDecimetres) / 10, StatusZone.reachMetres)
    return zone.fence.distanceMetres(
      from: fix.position, within: Double(metres) + doubt) != nil
  }
}
