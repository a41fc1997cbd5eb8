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
        let text = "you are inside hazard zone \(fence.name)"
        found.append(
          isPermitted
            ? finding(.inHazard, fence, .warning, "\(text), with an entry permit")
            : finding(.inHazard, fence, .danger, text))
      }
      if let role = fence.needs, !hasRole(role, in: fence) {
        found.append(
          finding(.emptyFence, fence, .warning, "no one of role \(role.name) is in \(fence.name)"))
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
    _ kind: AlertKind, _ fence: FenceSummary, _ level: AlertLevel, _ text: String
  ) -> AlertTracker.Finding {
    AlertTracker.Finding(id: AlertID(kind: kind, row: fence.id), level: level, text: text)
  }

  // MARK: Directives

  private var aboutDirectives: [AlertTracker.Finding] {
    directives.filter { $0.status == .open }.flatMap { directive -> [AlertTracker.Finding] in
      var found: [AlertTracker.Finding] = []
      // Deadlines of orders depend on the evidence of age: see `PersonAlerts`.
      if isCommand, !directive.kind.isOrder, directive.isOverdue(now: now) {
        let names = directive.unaccounted.map(\.callsign).joined(separator: ", ")
        found.append(
          AlertTracker.Finding(
            id: AlertID(kind: .overdue, row: directive.id), level: .danger,
            text: "\(directive.kind.label) is overdue: no answer from \(names)"))
      }
      if directive.unaccounted.contains(where: { $0.user == own && $0.answeredAt == nil }),
        !isReplacedForOwn(directive)
      {
        found.append(
          AlertTracker.Finding(
            id: AlertID(kind: .directive, row: directive.id),
            level: Self.level(of: directive.kind), text: words(for: directive)))
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

  private func words(for directive: DirectiveSummary) -> String {
    let place = place(to: directive)
    let words =
      switch directive.kind {
      case .evacuate: place.isEmpty ? "evacuate" : "evacuate to \(place)"
      case .muster: place.isEmpty ? "go to an assembly zone" : "go to \(place)"
      case .rollcall: "roll call: report that you are safe"
      case .locate: "\(directive.callsign) requests your position"
      case .message: "message from \(directive.callsign)"
      }
    return directive.text.isEmpty ? words : "\(words): \(directive.text)"
  }

  /// Returns the nearest zone with its distance and bearing, or the zones' names without a usable
  /// fix; empty if no zone is known.
  private func place(to directive: DirectiveSummary) -> String {
    if let direction = directive.people.first(where: { $0.user == own })?.direction {
      return direction.words
    }
    return directive.zones.map { $0.name.isEmpty ? "a zone that has not arrived here" : $0.name }
      .joined(separator: " or ")
  }
}
