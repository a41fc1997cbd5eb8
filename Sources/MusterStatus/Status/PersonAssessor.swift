internal import MusterGeo
internal import MusterModel

/// Evaluates the status table for one person, row by row.
struct PersonAssessor {
  private let person: PersonEvidence
  private let scene: StatusScene
  private let clock: StatusClock
  private let orders: OrderReview
  private let accounting: Accounting?
  private let timers: [TimerEvidence]
  let contacts: DeviceContacts
  /// The hazard zones in which the person's devices are.
  let hazards: [StatusZone]
  /// Each open order, by id.
  let standings: [OrderStanding]

  /// The reason of a valid accounting, and the orders that all valid ones name.
  private struct Accounting {
    let reason: Phrase
    let rows: Set<RowID>
  }

  init(_ person: PersonEvidence, in scene: StatusScene, at clock: StatusClock) {
    self.person = person
    self.scene = scene
    self.clock = clock
    let contacts = DeviceContacts(person, at: clock)
    let orders = OrderReview(person, devices: contacts, in: scene, at: clock)
    let left = person.statements.signOff?.rows ?? []
    let movements = contacts.trusted.compactMap(\.movement)
    let lastMovement = MovementEvidence.lastMovement(of: movements, at: clock)
    let timers = person.timers.filter { !$0.isSatisfied && !left.contains($0.id) }
      .map { $0.regarding(lastMovement: lastMovement) }
    let rule = AccountingRule(
      person: person, scene: scene, orders: orders, timers: timers, clock: clock,
      notWithPerson: Set(person.devices.map(\.id)).subtracting(contacts.withPerson.map(\.id)))
    let valid = rule.valid
    let named = valid.reduce(into: Set<RowID>()) { $0.formUnion($1.rows) }
    accounting = valid.first.map {
      Accounting(
        reason: Phrase(.accountedFor, ["by": $0.by, "note": ReasonText.excerpt($0.note)]),
        rows: named)
    }
    standings = orders.open.map { order in
      let state =
        orders.satisfaction(of: order) ?? (named.contains(order.id) ? .accountedFor : nil)
      return OrderStanding(
        id: order.id, state: state ?? orders.lateness(of: order),
        due: order.deadline(at: clock)?.time,
        sighting: state == nil ? orders.sighting(afterRollCall: order, in: scene) : nil)
    }
    var hazards: [RowID: StatusZone] = [:]
    for device in contacts.withPerson {
      let found = HazardReplay.zones(
        device.history.fixes, isRevoked: device.isRevoked, in: scene)
      for zone in found { hazards[zone.id] = zone }
    }
    self.hazards = hazards.values.sorted { $0.id < $1.id }
    (self.contacts, self.orders, self.timers) = (contacts, orders, timers)
  }

  /// The check-ins that the person owes.
  var checkIns: [CheckInStanding] {
    timers.map {
      CheckInStanding(
        id: $0.id, state: $0.state(at: clock.boot), due: $0.effectiveDue,
        regularDue: $0.due,
        isSettled: accounting?.rows.contains($0.id) ?? false,
        isStill: $0.isStill(at: clock.boot))
    }
  }

  // MARK: Conditions

  /// All conditions, in the order of the table.
  var conditions: [StatusCondition] {
    var found = [duress, mayday, accountedFor, inHazard, signedOff].compactMap { $0 }
    found += [late(.unaccounted), late(.overdue), expected, noContact, late(.ordered)]
      .compactMap { $0 }
    found += [atAssembly, reportedSafe, oldPosition, noPosition].compactMap { $0 }
    return found.isEmpty ? [.inContact] : found
  }

  private func condition(
    _ status: PersonStatus, _ key: PhraseKey, _ values: [String: Phrase.Value] = [:]
  ) -> StatusCondition {
    condition(status, Phrase(key, values))
  }

  private func condition(_ status: PersonStatus, _ reason: Phrase) -> StatusCondition {
    StatusCondition(status: status, severity: status.severity, phrase: reason)
  }

  private var duress: StatusCondition? {
    person.isUnderDuress ? .underDuress : nil
  }

  private var mayday: StatusCondition? {
    guard let call = person.statements.openCalls.first else { return nil }
    let note = ReasonText.excerpt(call.note)
    guard let by = call.by else { return condition(.mayday, .askedForHelp, ["note": note]) }
    return condition(.mayday, .needsHelp, ["by": by, "note": note])
  }

  private var accountedFor: StatusCondition? {
    accounting.map { condition(.accountedFor, $0.reason) }
  }

  private var inHazard: StatusCondition? {
    guard let first = hazards.first else { return nil }
    #if Canary
      if Canary.hideHazard.isPlanted, reportedSafe != nil { return nil }
    #endif
    let open = hazards.filter { zone in !permits.contains { $0.zone == zone.id } }
    var values: [String: Phrase.Value] = ["zone": .text((open.first ?? first).name)]
    if hazards.count > 1 { values["more"] = .count(hazards.count - 1) }
    return StatusCondition(
      status: .inHazard, severity: open.isEmpty ? .warning : .danger,
      phrase: Phrase(open.isEmpty ? .insideHazardPermitted : .insideHazard, values))
  }

  /// The permits of the person that certainly have not ended.
  private var permits: [PermitEvidence] {
    scene.permits.filter {
      !$0.isRevoked && $0.includes(person.identity) && clock.boot < $0.end(at: clock)
    }
  }

  private var signedOff: StatusCondition? {
    person.statements.signOff.map {
      condition(.signedOff, .signedOff, ["note": ReasonText.excerpt($0.reason)])
    }
  }

  /// Returns the condition for orders and timers with this lateness.
  private func late(_ state: OrderStanding.State) -> StatusCondition? {
    let status: PersonStatus
    let when: PhraseKey?
    switch state {
    case .unaccounted: (status, when) = (.unaccounted, .deadlinePassed)
    case .overdue: (status, when) = (.overdue, .deadlineMaybePassed)
    default: (status, when) = (.ordered, nil)
    }
    let late = Set(standings.filter { $0.state == state }.map(\.id))
    if let order = orders.open.filter({ late.contains($0.id) }).min(by: { $0.isShown(before: $1) })
    {
      let duty = ReasonText.order(order, goals: orders.goals)
      return condition(status, when.map { Phrase($0, ["duty": .phrase(duty)]) } ?? duty)
    }
    let lateTimers = timers.filter { lateness(of: $0) == status }
    guard let when,
      let timer = lateTimers.first(where: { !$0.isStill(at: clock.boot) }) ?? lateTimers.first
    else { return nil }
    return timer.isStill(at: clock.boot)
      ? condition(status, .stillUnanswered)
      : condition(status, when, ["duty": .phrase(.checkInDuty)])
  }

  private func lateness(of timer: TimerEvidence) -> PersonStatus? {
    switch timer.state(at: clock.boot) {
    case .unaccounted: .unaccounted
    case .due, .overdue: .overdue
    case .done, .running, .reminder: nil
    }
  }

  private var expected: StatusCondition? {
    if person.identity.isUnknown {
      return person.identity.isTracker ? .trackerMissing : .certificateMissing
    }
    return person.wasReceived ? nil : condition(.expected, .nothingReceived)
  }

  private var noContact: StatusCondition? {
    if contacts.isRevoked { return condition(.noContact, .revokedNoContact) }
    // The silence of a person counts from the first contact.
    guard person.wasReceived, !person.identity.isUnknown, contacts.inContact.isEmpty
    else { return nil }
    let isUnknown = contacts.lastSign.received.map { !$0.hasEarliest } ?? false
    return isUnknown
      ? condition(.noContact, .noContactUnknown)
      : condition(.noContact, .noContactFor, ["span": .phrase(silence)])
  }

  private var atAssembly: StatusCondition? {
    let zones = orders.moves ? orders.goals : scene.assembly
    var found: StatusZone?
    for device in contacts.inContact {
      guard let fix = device.history.newest, fix.showsSafety,
        !fix.isOlder(than: person.silenceMilliseconds, at: clock),
        let zone = zones.first(where: { $0.fence.contains(fix.position) })
      else { return nil }
      found = found ?? zone
    }
    return found.map { condition(.atAssembly, .atAssembly, ["zone": .text($0.name)]) }
  }

  private var reportedSafe: StatusCondition? {
    person.statements.claims.first { $0.claim == .safe }.map {
      condition(.reportedSafe, .reportedSafe, ["note": ReasonText.excerpt($0.note)])
    }
  }

  private var oldPosition: StatusCondition? {
    let fixes = contacts.inContact.compactMap(\.history.newest)
    guard person.wasReceived, !fixes.isEmpty,
      fixes.allSatisfy({ $0.isOlder(than: person.silenceMilliseconds, at: clock) })
    else { return nil }
    if fixes.contains(where: \.age.isUnknown) {
      return condition(.oldPosition, .positionAgeUnknown)
    }
    return condition(.oldPosition, .oldPosition, ["span": .phrase(silence)])
  }

  /// The silence setting.
  private var silence: Phrase {
    RoundedSpan(seconds: UInt64(max(0, person.silenceMilliseconds) / 1000)).phrase
  }

  private var noPosition: StatusCondition? {
    guard person.wasReceived, !contacts.inContact.isEmpty,
      contacts.trusted.allSatisfy({ $0.history.newest == nil })
    else { return nil }
    return condition(.noPosition, .noUsablePosition)
  }

  // MARK: Guidance and time

  /// The shown order, with the distance and bearing to the nearest zone that satisfies it.
  var guidance: OrderGuidance? {
    let satisfied = Set(standings.filter(\.isSatisfied).map(\.id))
    guard let order = orders.shown(satisfied: satisfied) else { return nil }
    var guidance = OrderGuidance(
      order: order.id, kind: order.kind, due: order.deadline(at: clock)?.time)
    guard order.moves, let fix = contacts.newestFix(at: clock) else { return guidance }
    let fences = orders.goals.map(\.fence)
    guard let (index, approach) = PreparedFence.nearest(of: fences, to: fix.position) else {
      return guidance
    }
    guidance.zone = orders.goals[index].id
    guidance.distanceMetres = approach?.distanceMetres ?? 0
    guidance.bearingDegrees = approach?.bearingDegrees
    return guidance
  }

  /// The next time at which a silence, a deadline, a grace period or a permit ends.
  var nextChange: Int64? {
    var moments = contacts.silences + orders.open.flatMap(orders.changes)
    moments += timers.flatMap(\.changes)
    moments += contacts.inContact.compactMap {
      $0.history.newest?.ageing(past: person.silenceMilliseconds, at: clock)
    }
    moments += permits.map { $0.end(at: clock) }
    return moments.filter { $0 > clock.boot }.min()
  }
}
