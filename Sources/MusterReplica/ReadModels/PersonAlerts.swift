internal import MusterModel
internal import MusterStatus

/// Alerts about the status of people: the same function on every node, whose inputs may differ.
struct PersonAlerts {
  let own: UserID
  let isCommand: Bool
  let people: [AssessedPerson]
  let directives: [DirectiveSummary]
  /// Hazard zones whose entries raise no alert.
  let muted: Set<RowID>
  /// People without a bound on their age yet: they have not become silent.
  let unconfirmed: Set<UserID>
  /// People whose battery alert is raised already.
  let lowBatteries: Set<UserID>
  /// People who called for help, of which command has not acknowledged the end.
  let callers: Set<UserID>

  var findings: [AlertTracker.Finding] {
    aboutPeople + aboutBatteries + aboutCallsigns + aboutOrders
  }

  // MARK: People

  private var aboutPeople: [AlertTracker.Finding] {
    // People with a device come first if there are too many alerts: one member can invent trackers,
    // but not certificates, and command people who do not exist.
    let others = people.filter { $0.summary.id != own }
    let known = others.filter { !$0.summary.isUnknown }
    let ordered =
      known.filter { !$0.summary.isTracker } + known.filter { $0.summary.isTracker }
      + others.filter { $0.summary.isUnknown }
    return ordered.flatMap { person, assessment in
      [
        duress(person, assessment), help(person, assessment), calledOff(person),
        inHazard(person, assessment), silent(person), safe(person, assessment),
      ].compactMap { $0 }
    }
  }

  private func finding(
    _ kind: AlertKind, _ person: UserSummary, _ level: AlertLevel, _ phrase: Phrase
  ) -> AlertTracker.Finding {
    AlertTracker.Finding(
      id: AlertID(kind: kind, row: RowID(raw: person.id.raw)), level: level, phrase: phrase,
      batteryPercent: person.batteryPercent)
  }

  /// Its acknowledgement stays on this device: one that is sent would show that there was a call.
  private func duress(
    _ person: UserSummary, _ assessment: StatusAssessment
  ) -> AlertTracker.Finding? {
    guard assessment.isUnderDuress else { return nil }
    let call = Phrase(.duressAlert, ["name": person.shownName])
    return finding(.duress, person, .danger, person.lastKnown(call, withBattery: false))
  }

  /// A call that everyone may see.
  private func help(
    _ person: UserSummary, _ assessment: StatusAssessment
  ) -> AlertTracker.Finding? {
    let calls = person.conditions.filter { $0.status == .mayday }
    guard let call = calls.dropFirst(assessment.isUnderDuress ? 1 : 0).first else { return nil }
    return finding(
      .help, person, .danger,
      Phrase(.about, ["name": person.alertName, "reason": .phrase(call.phrase)]))
  }

  /// Keeps the caller's own OK in view until command acknowledges it: anyone who holds the phone
  /// can give it.
  private func calledOff(_ person: UserSummary) -> AlertTracker.Finding? {
    guard isCommand, callers.contains(person.id), !person.has(.mayday),
      !person.has(.accountedFor), person.selfReport?.claim == .safe
    else { return nil }
    return finding(.calledOff, person, .warning, Phrase(.calledOff, ["name": person.alertName]))
  }

  /// For command and for people in the same zone. An accounting names what it has seen, so a person
  /// who is accounted for raises none.
  private func inHazard(
    _ person: UserSummary, _ assessment: StatusAssessment
  ) -> AlertTracker.Finding? {
    guard let hazard = person.conditions.first(where: { $0.status == .inHazard }),
      hazard.severity == .danger, !person.has(.accountedFor),
      assessment.hazards.contains(where: { !muted.contains($0) })
    else { return nil }
    let shared = people.first { $0.summary.id == own }?.assessment.hazards ?? []
    guard isCommand || assessment.hazards.contains(where: shared.contains) else { return nil }
    return finding(
      .inHazard, person, .danger,
      Phrase(.about, ["name": person.shownName, "reason": .phrase(hazard.phrase)]))
  }

  private func silent(_ person: UserSummary) -> AlertTracker.Finding? {
    guard person.has(.noContact), !person.has(.accountedFor), !person.has(.signedOff),
      !unconfirmed.contains(person.id)
    else { return nil }
    return finding(.silent, person, .warning, Phrase(.silent, ["names": person.shownName]))
  }

  /// Notifies command when a person under its orders is safe.
  private func safe(_ person: UserSummary, _ assessment: StatusAssessment) -> AlertTracker.Finding?
  {
    guard isCommand, person.severity == .safe, !assessment.orders.isEmpty else { return nil }
    return finding(
      .safe, person, .notice,
      Phrase(.safe, ["name": person.shownName, "reason": .phrase(person.phrase)]))
  }

  // MARK: Batteries

  /// For command, and for the person: one alert while a battery is low, which is raised again only
  /// after the battery was charged. Without contact the charge is no longer known.
  private var aboutBatteries: [AlertTracker.Finding] {
    people.compactMap { person, _ in
      let isOwn = person.id == own || person.trackerOwner == own
      let limit =
        lowBatteries.contains(person.id)
        ? Telemetry.recoveredBatteryPercent : Telemetry.lowBatteryPercent
      guard isCommand || isOwn, let percent = person.batteryPercent, percent <= limit,
        !person.has(.noContact), !person.has(.signedOff)
      else { return nil }
      return finding(
        .battery, person, .warning,
        Phrase(.lowBattery, ["name": person.shownName, "percent": .count(Int(percent))]))
    }
  }

  // MARK: Callsigns

  /// Warns command of several people whose names are alike, once for each group, and of one whose
  /// name looks like a role or like the id of another: a device takes its callsign after it was
  /// admitted, so that no node can reject it. A sign-off or a revocation of all but one clears it.
  private var aboutCallsigns: [AlertTracker.Finding] {
    guard isCommand else { return [] }
    let present = people.filter { person, assessment in
      !person.isTracker && !person.has(.signedOff) && !assessment.isRevoked
    }.map(\.summary).sorted { $0.id < $1.id }
    var found = Self.groups(of: present.map(\.callsign)).compactMap { group in
      alike(group.map { present[$0] })
    }
    let ids = present.map { (skeleton: NameLikeness.skeleton(ofID: $0.id), person: $0) }
      .sorted { $0.skeleton < $1.skeleton }
    // Of a person without a callsign the id is shown.
    for person in present where person.callsign != person.id.short {
      let likeness = NameLikeness(person.callsign)
      if let role = likeness.role, role != person.role {
        let role = Phrase.Value.phrase(Phrase("as", role))
        found.append(
          namesake(person, Phrase(.calledLikeRole, ["name": shown(person), "role": role])))
      }
      if let other = likeness.digits.flatMap({ Self.first(besides: person, like: $0, in: ids) }) {
        found.append(
          namesake(person, Phrase(.calledLikeID, ["name": shown(person), "other": shown(other)])))
      }
    }
    return found
  }

  private static func groups(of names: [String]) -> [[Int]] {
    #if Canary
      if Canary.exactNames.isPlanted {
        return Dictionary(grouping: names.indices) { names[$0] }.values.filter { $0.count > 1 }
      }
    #endif
    return NameLikeness.groups(of: names)
  }

  /// Returns the first other person whose id looks as if it began with digits.
  ///
  /// - Parameter ids: in ascending order.
  private static func first(
    besides person: UserSummary, like digits: String,
    in ids: [(skeleton: String, person: UserSummary)]
  ) -> UserSummary? {
    ids[ids.firstPlace { $0.skeleton >= digits }...].prefix { $0.skeleton.hasPrefix(digits) }
      .first { $0.person.id != person.id }?.person
  }

  private func alike(_ namesakes: [UserSummary]) -> AlertTracker.Finding? {
    guard let last = namesakes.last else { return nil }
    guard namesakes.contains(where: { $0.callsign != last.callsign }) else {
      return namesake(
        last,
        Phrase(
          .sameNames,
          [
            "count": .count(namesakes.count), "name": .text(last.callsign),
            "ids": .texts(namesakes.map(\.id.short)),
          ]))
    }
    return namesake(
      last,
      Phrase(
        .similarNames, ["count": .count(namesakes.count), "names": .list(namesakes.map(shown))]))
  }

  private func shown(_ person: UserSummary) -> Phrase.Value {
    .text("\(person.callsign) (\(person.id.short))")
  }

  private func namesake(_ person: UserSummary, _ phrase: Phrase) -> AlertTracker.Finding {
    finding(.sameCallsign, person, .warning, phrase)
  }

  // MARK: Orders

  private var aboutOrders: [AlertTracker.Finding] {
    guard isCommand else { return [] }
    return directives.filter { $0.status == .open }.flatMap { directive in
      [late(directive), done(directive)].compactMap { $0 }
    }
  }

  private func standings(of directive: DirectiveSummary) -> [(Phrase.Value, OrderStanding)] {
    people.compactMap { person, assessment in
      assessment.orders.first { $0.id == directive.id }.map { (person.alertName, $0) }
    }
  }

  /// A warning from the earliest possible deadline, danger from the latest plus grace.
  private func late(_ directive: DirectiveSummary) -> AlertTracker.Finding? {
    let late = standings(of: directive).filter {
      $0.1.state == .overdue || $0.1.state == .unaccounted
    }
    guard !late.isEmpty else { return nil }
    let isCertain = late.contains { $0.1.state == .unaccounted }
    let names = late.map(\.0).sorted { $0.text < $1.text }
    return AlertTracker.Finding(
      id: AlertID(kind: .overdue, row: directive.id), level: isCertain ? .danger : .warning,
      phrase: Phrase("late", directive.kind, ["names": .list(names)]))
  }

  /// Notifies command when an order requires nothing more, with the counts of its answers.
  private func done(_ directive: DirectiveSummary) -> AlertTracker.Finding? {
    let all = standings(of: directive)
    guard !all.isEmpty, all.allSatisfy({ $0.1.isSatisfied }), directive.unaccounted.isEmpty
    else { return nil }
    let counts: [String: Phrase.Value] = [
      "answered": .count(directive.answered), "expected": .count(directive.expected.count),
    ]
    return AlertTracker.Finding(
      id: AlertID(kind: .orderDone, row: directive.id), level: .notice,
      phrase: Phrase("done", directive.kind, counts))
  }
}

extension UserSummary {
  /// A text about the person, with their last position and the charge of their battery.
  func lastKnown(_ phrase: Phrase, withBattery: Bool = true) -> Phrase {
    var values: [String: Phrase.Value] = ["text": .phrase(phrase)]
    values["position"] = fix.map { .text("\($0.position.latitude),\($0.position.longitude)") }
    if withBattery { values["battery"] = batteryPercent.map { .count(Int($0)) } }
    return values.count > 1 ? Phrase(.lastKnown, values) : phrase
  }
}
