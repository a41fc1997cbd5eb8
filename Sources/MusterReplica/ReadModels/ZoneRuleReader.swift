internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// The rules of zones, from the rows of the zones, and the alerts that follow: the same function on
/// every node.
struct ZoneRuleReader {
  let context: ReadContext
  let ages: AgeReader
  let zones: GeofenceMonitor.Zones

  /// Returns the rules of a zone that count: the first ones by dot, at most
  /// `Limits.rulesPerZone`.
  static func rules(of row: RowState) -> [(value: LiveValue, rule: ZoneRule)] {
    row.values(of: .fenceRules).sorted { $0.dot < $1.dot }.prefix(Limits.rulesPerZone)
      .compactMap { value in rule(in: value.value).map { (value, $0) } }
  }

  private static func rule(in value: Value) -> ZoneRule? {
    guard case .bytes(let bytes) = value else { return nil }
    do throws(DecodingFault) {
      return try ZoneRule(decoding: bytes)
    } catch {
      return nil
    }
  }

  /// Returns the rules of a zone for display.
  static func summaries(
    of row: RowState, in context: ReadContext
  ) throws(StoreError) -> [ZoneRuleSummary] {
    var found: [ZoneRuleSummary] = []
    for (value, rule) in rules(of: row) {
      found.append(
        ZoneRuleSummary(
          id: value.dot.name, rule: rule, callsign: try context.authorship(of: value).text,
          writtenAt: value.writtenAt))
    }
    return found
  }

  // MARK: Alerts

  /// Returns the alerts that the rules raise now.
  ///
  /// - Parameter entered: rules about an entry that were satisfied here: they stay satisfied. Only
  ///   those that still count are kept.
  func findings(
    _ people: [UserSummary], entered: inout Set<Dot>
  ) throws -> [AlertTracker.Finding] {
    let clock = StatusClock(boot: ages.reading, wall: ages.now.wall)
    let persons = people.map(ZonePerson.init)
    let names = Dictionary(people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var found: [AlertTracker.Finding] = []
    var counting: Set<Dot> = []
    for zone in zones.all where zone.isActive {
      guard let row = try context.store.row(RowKey(kind: .fence, id: zone.id)) else { continue }
      let rules = Self.rules(of: row)
      guard !rules.isEmpty else { continue }
      counting.formUnion(rules.map(\.value.dot))
      let evidence = try rules.map {
        ZoneRuleEvidence(rule: $0.rule, made: ages.made(try written($0.value)))
      }
      let review = ZoneRuleReview(zone, rules: evidence, people: persons)
      let violations = try review.violations(at: clock) { index in
        let dot = rules[index].value.dot
        if entered.contains(dot) { return true }
        let isKnown = try hasEntered(zone.id, evidence[index], people: persons, at: clock)
        if isKnown { entered.insert(dot) }
        return isKnown
      }
      found += Self.aboutZone(zone, violations, rules)
      found += Self.aboutPeople(zone, violations, rules.map(\.rule), names)
    }
    entered.formIntersection(counting)
    return found
  }

  /// Whether an ENTER event since the rule's write is held, of a person that the rule counts.
  ///
  /// Events have no stamp. Their sample times are compared with the rule's time by this node's own
  /// wall clock, so that a wrong clock at its author does not hide an alarm.
  private func hasEntered(
    _ zone: RowID, _ evidence: ZoneRuleEvidence, people: [ZonePerson], at clock: StatusClock
  ) throws(StoreError) -> Bool {
    let made = evidence.made.moment(at: clock)
    let since = made.hasEarliest ? made.earliest : made.latest
    let wall = clock.wall.milliseconds - (clock.boot - since)
    var users: Set<UserID> = []
    for author in try context.store.entries(to: zone, since: Timestamp(milliseconds: wall)) {
      users.insert(author.subject == author.device ? author.user : UserID(raw: author.subject.raw))
    }
    return people.contains { person in
      users.contains(person.id)
        && (evidence.rule.role.map { !person.isTracker && person.role == $0 }
          ?? (evidence.rule.team.isEmpty || person.team == evidence.rule.team))
    }
  }

  private func written(_ value: LiveValue) throws(StoreError) -> WrittenMoment {
    WrittenMoment(
      dot: value.dot, writtenAt: value.writtenAt,
      arrival: try context.store.arrival(ofFrame: value.dot.frame))
  }

  /// One alert for a zone, which names each violated rule.
  private static func aboutZone(
    _ zone: StatusZone, _ violations: [ZoneRuleViolation],
    _ rules: [(value: LiveValue, rule: ZoneRule)]
  ) -> [AlertTracker.Finding] {
    let ours = violations.filter { rules[$0.index].rule.kind != .within }
    guard !ours.isEmpty else { return [] }
    let words = ours.map { Phrase.Value.phrase($0.phrase(of: rules[$0.index].rule)) }
    return [
      AlertTracker.Finding(
        id: AlertID(kind: .zoneRule, row: zone.id),
        level: ours.contains(where: \.isCertain) ? .danger : .warning,
        phrase: Phrase(
          .zoneRule, ["zone": .text(zone.name), "violations": .list(words)]),
        cause: AlertCause(dots: ours.map { rules[$0.index].value.dot }, positions: []))
    ]
  }

  private static func aboutPeople(
    _ zone: StatusZone, _ violations: [ZoneRuleViolation], _ rules: [ZoneRule],
    _ names: [UserID: UserSummary]
  ) -> [AlertTracker.Finding] {
    violations.filter { rules[$0.index].kind == .within }.flatMap { violation in
      violation.people.compactMap { user in
        names[user].map { person in
          AlertTracker.Finding(
            id: AlertID(kind: .nearZone, row: RowID(raw: user.raw)), level: .warning,
            phrase: Phrase(
              .nearZone,
              [
                "name": person.shownName, "zone": .text(zone.name),
                "metres": .count(Int(rules[violation.index].number)),
              ]),
            batteryPercent: person.batteryPercent)
        }
      }
    }
  }
}

extension ZoneRuleViolation {
  fileprivate func phrase(of rule: ZoneRule) -> Phrase {
    var values: [String: Phrase.Value] = [:]
    values["audience"] = rule.audience
    switch rule.kind {
    case .atLeast where count == 0: return Phrase(.zoneEmpty, values)
    case .atLeast:
      (values["count"], values["required"]) = (.count(count), .count(Int(rule.number)))
      return Phrase(.zoneTooFew, values)
    case .atMost:
      (values["n"], values["allowed"]) = (.count(count), .count(Int(rule.number)))
      return Phrase(.zoneTooMany, values)
    case .entryBy where isCertain: return Phrase(.zoneNotEntered, values)
    case .entryBy, .within: return Phrase(.zoneMaybeNotEntered, values)
    }
  }
}

extension ZonePerson {
  fileprivate init(_ person: UserSummary) {
    self.init(
      id: person.id, role: person.role, team: person.team, isTracker: person.isTracker,
      isInContact: ![.noContact, .expected, .oldPosition].contains(where: person.has),
      hasSignedOff: person.has(.signedOff), fix: person.fix)
  }
}

extension Dot {
  /// The name of a write in commands: frame and index in hexadecimal.
  var name: String {
    var writer = ByteWriter()
    writer.append(self)
    return Hex.encode(writer.bytes)
  }
}
