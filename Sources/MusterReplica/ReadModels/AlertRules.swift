internal import MusterModel

/// Alerts about zones and directives, as a function of the current data.
struct AlertRules {
  /// The limit of usable fixes: a coarser fix is no evidence of danger.
  static let vagueDecimetres: UInt32 = 10_000

  let own: UserID
  let isCommand: Bool
  let people: [UserSummary]
  let fences: [FenceSummary]
  let directives: [DirectiveSummary]
  /// Whether this device is inside a fence; false without a usable fix.
  let isInside: (RowID) -> Bool
  let now: Timestamp

  var findings: [AlertTracker.Finding] { aboutFences + aboutDirectives }

  /// This device's position, if it is known accurately enough.
  var here: Coordinate? {
    guard let fix = people.first(where: { $0.id == own })?.fix, Self.isPrecise(fix) else {
      return nil
    }
    return fix.position
  }

  static func isPrecise(_ fix: Fix) -> Bool {
    (fix.accuracyDecimetres ?? 0) <= vagueDecimetres
      && (fix.position.latitudeE7, fix.position.longitudeE7) != (0, 0)
  }

  // MARK: Fences

  private var aboutFences: [AlertTracker.Finding] {
    let active = fences.filter(\.isActive)
    return active.flatMap { fence -> [AlertTracker.Finding] in
      var found: [AlertTracker.Finding] = []
      if fence.kind == .hazard, here != nil, isInside(fence.id) {
        let zone = ["zone": Phrase.Value.text(fence.name)]
        found.append(
          isPermitted
            ? finding(.inHazard, fence, .warning, Phrase(.youInHazardPermitted, zone))
            : finding(.inHazard, fence, .danger, Phrase(.youInHazard, zone)))
      }
      if let role = fence.needs, !hasRole(role, in: fence) {
        let values: [String: Phrase.Value] = [
          "role": .phrase(Phrase("as", role)), "zone": .text(fence.name),
        ]
        found.append(finding(.emptyFence, fence, .warning, Phrase(.emptyZone, values)))
      }
      return found
    }
  }

  /// Whether this person has a permit for each hazard zone that they may be in, as the others see
  /// it: a person who works in a zone with a permit is not in danger by it.
  private var isPermitted: Bool {
    let conditions = people.first { $0.id == own }?.conditions ?? []
    return conditions.contains { $0.status == .inHazard && $0.severity == .warning }
  }

  private func hasRole(_ role: Role, in fence: FenceSummary) -> Bool {
    people.contains {
      $0.role == role && !$0.isTracker && !$0.has(.noContact) && fence.inside.contains($0.callsign)
    }
  }

  private func finding(
    _ kind: AlertKind, _ fence: FenceSummary, _ level: AlertLevel, _ phrase: Phrase
  ) -> AlertTracker.Finding {
    AlertTracker.Finding(id: AlertID(kind: kind, row: fence.id), level: level, phrase: phrase)
  }

  // MARK: Directives

  private var aboutDirectives: [AlertTracker.Finding] {
    directives.filter { $0.status == .open }.flatMap { directive -> [AlertTracker.Finding] in
      var found: [AlertTracker.Finding] = []
      // Deadlines of orders depend on the evidence of age: see `PersonAlerts`.
      if isCommand, !directive.kind.isOrder, directive.isOverdue(now: now) {
        let names = Phrase.Value.texts(directive.unaccounted.map(\.callsign))
        found.append(
          AlertTracker.Finding(
            id: AlertID(kind: .overdue, row: directive.id), level: .danger,
            phrase: Phrase("late", directive.kind, ["names": names])))
      }
      if directive.unaccounted.contains(where: { $0.user == own && $0.answeredAt == nil }),
        !isReplacedForOwn(directive)
      {
        found.append(
          AlertTracker.Finding(
            id: AlertID(kind: .directive, row: directive.id),
            level: Self.level(of: directive.kind), phrase: phrase(for: directive)))
      }
      return found
    }
  }

  /// Whether the roll call that replaced one asks this user too: one answer is for both.
  private func isReplacedForOwn(_ directive: DirectiveSummary) -> Bool {
    directives.contains { newer in
      newer.id == directive.supersededBy && newer.status == .open
        && newer.people.contains { $0.user == own && !$0.isLate }
    }
  }

  private static func level(of kind: DirectiveKind) -> AlertLevel {
    switch kind {
    case .evacuate: .danger
    case .muster, .rollcall: .warning
    case .locate, .message: .notice
    }
  }

  private func phrase(for directive: DirectiveSummary) -> Phrase {
    let (place, by) = (place(to: directive), directive.authorship.value)
    let text = Phrase.Value.text(directive.text)
    return switch directive.kind {
    case .evacuate: Phrase(.orderEvacuate, ["place": place, "text": text])
    case .muster where place == .list([]): Phrase(.orderAssemble, ["text": text])
    case .muster: Phrase(.orderGo, ["place": place, "text": text])
    case .rollcall: Phrase(.orderRollCall, ["text": text])
    case .locate: Phrase(.orderLocate, ["by": by, "text": text])
    case .message: Phrase(.orderMessage, ["by": by, "text": text])
    }
  }

  /// Returns the nearest zone with its distance and bearing, or the zones' names without a usable
  /// fix; an empty list if no zone is known.
  private func place(to directive: DirectiveSummary) -> Phrase.Value {
    if let direction = directive.people.first(where: { $0.user == own })?.direction {
      return .phrase(direction.phrase)
    }
    return .list(directive.zones.map { $0.name.isEmpty ? .phrase(.zoneMissing) : .text($0.name) })
  }
}
