internal import MusterCRDT
public import MusterModel
internal import MusterStatus
internal import MusterStore

/// The input of the status function, from the store.
extension Replica {
  /// Brings the statuses up to date: what has changed since the last call is read and assessed
  /// again, and whose time has come.
  public mutating func refreshStatuses(now: ClockReading) throws {
    do {
      try readStale(now: now)
    } catch {
      statusModel.markAllStale()
      throw error
    }
    statusModel.refresh(at: statusClock(now), now: now)
  }

  func statusClock(_ now: ClockReading) -> StatusClock {
    StatusClock(boot: ages.reading(now), wall: now.wall)
  }

  private mutating func readStale(now: ClockReading) throws {
    let ages = ages
    statusModel.redate(self.ages.takeDated()) { Self.made($0, by: ages, now: now) }
    var stale = statusModel.takeStale()
    if !stale.roster {
      for key in stale.rows {
        guard let row = try store.row(key), let changed = statusModel.replace(row) else {
          stale.roster = true
          break
        }
        stale.people.formUnion(changed)
      }
    }
    if stale.roster { statusModel.replace(try personRoster()) }
    if stale.everybody { statusModel.replace(try devicePositions()) }
    for device in stale.moved {
      statusModel.replace(try devicePosition(of: device), of: device)
      if let user = statusModel.user(of: device) { stale.people.insert(user) }
    }
    if stale.orders { try readOrders(now: now) }
    if stale.zones {
      statusModel.replace(zones: try monitor.zones(in: store).all)
    } else {
      statusModel.updateOrders()
    }
    // This device is in contact whenever it is asked.
    stale.people.insert(local.author.user)
    let everybody = stale.roster || stale.everybody
    for person in everybody ? statusModel.people : stale.people.compactMap(statusModel.person) {
      statusModel.update(try evidence(of: person, now: now))
    }
  }

  /// The kept statuses that differ from those which are assessed from the store alone: none, unless
  /// a change was overlooked.
  mutating func overlookedStatuses(now: ClockReading) throws -> [String] {
    try refreshStatuses(now: now)
    var fresh = self
    fresh.statusModel.markAllStale()
    try fresh.refreshStatuses(now: now)
    let users = Set(statusModel.people.map(\.identity.id))
      .union(fresh.statusModel.people.map(\.identity.id))
    return try users.sorted().compactMap { user in
      let (kept, found) = (
        statusModel.assessment(of: user), fresh.statusModel.assessment(of: user)
      )
      guard kept != found else { return nil }
      let words = [kept, found].map { $0.map { "\($0)" } ?? "nothing" }
      return "\(try callsign(of: user)): \(words[0]) is kept, \(words[1]) is found"
    }
  }

  // MARK: People

  private func personRoster() throws -> PersonRoster {
    var admitted: [UserID: [(author: Author, isRevoked: Bool)]] = [:]
    for admission in control.admissions {
      let author = admission.signed.certificate.author
      admitted[author.user, default: []].append((author, control.isRevoked(author.device)))
    }
    return try PersonRoster(admitted: admitted, trackers: try store.rows(.tracker)) {
      try userRow($0)
    }
  }

  /// Returns each user's devices that are not revoked.
  func countingDevices() -> [UserID: [DeviceID]] {
    var devices: [UserID: [DeviceID]] = [:]
    for author in Set(control.state.admitted.values.map(\.signed.certificate.author))
    where !control.isRevoked(author.device) {
      devices[author.user, default: []].append(author.device)
    }
    return devices
  }

  private mutating func evidence(
    of person: PersonRoster.Person, now: ClockReading
  ) throws -> PersonEvidence {
    let user = person.identity.id
    var evidence = PersonEvidence(
      identity: person.identity, silenceMilliseconds: try silenceMilliseconds(of: user))
    for (device, isRevoked) in person.devices {
      let position = statusModel.position(of: device)
      var history = FixHistory()
      if let position {
        history = statusModel.history(
          of: position, made: made(position, now: now), isRevoked: isRevoked)
      }
      evidence.devices.append(
        StatusDevice(
          id: device, isRevoked: isRevoked, heard: heard(device, position: position, now: now),
          history: history))
    }
    if let row = person.row { evidence.statements = try statements(row) }
    evidence.wasHeard =
      evidence.devices.contains { $0.heard != nil } || !evidence.statements.claims.isEmpty
      || !evidence.statements.relayed.isEmpty
    return evidence
  }

  /// Returns the time of the last contact with a device or tracker.
  private func heard(
    _ device: DeviceID, position: DevicePosition?, now: ClockReading
  ) -> Evidence? {
    if device == local.device {
      let boot = ages.reading(now)
      return .stamped(Span(earliest: boot, latest: boot))
    }
    if let newest = ages.newest(of: device) { return .stamped(newest) }
    return position.map { made($0, now: now) }
  }

  private func made(_ position: DevicePosition, now: ClockReading) -> Evidence {
    if let span = made(ofPositionOf: position.device) { return .stamped(span) }
    let age = unstampedAge(of: position, now: now)
    return .unstamped(
      arrival: ages.reading(now) - age.milliseconds.earliest,
      reportedAt: position.report.reportedAt)
  }

  func statements(_ row: RowState) throws(StoreError) -> PersonStatements {
    let isTracker = row.key.kind == .tracker
    var statements = PersonStatements()
    for value in row.values(of: isTracker ? .trackerSafetyClaim : .userSafetyClaim) {
      guard case .claim(let claim, let note) = value.value else { continue }
      statements.claims.append(ClaimEvidence(dot: value.dot, claim: claim, note: note))
    }
    for value in row.values(of: isTracker ? .trackerSafetyOverride : .userSafetyOverride) {
      try add(value, to: &statements)
    }
    if !isTracker {
      for value in row.values(of: .userRelayedClaim) {
        guard case .relayedClaim(let claim, let note, let login, let seen) = value.value
        else { continue }
        statements.relayed.append(
          ClaimEvidence(
            dot: value.dot, claim: claim, note: note,
            by: "\(login), via \(try callsign(of: value.author))'s post", seen: Set(seen)))
      }
    }
    if case .signOff(let reason, let seen)? =
      row.shown(isTracker ? .trackerSignOff : .userSignOff)?.value
    {
      statements.signOff = SignOffEvidence(reason: reason, rows: Set(seen))
    }
    return statements
  }

  /// Adds an override of command: that a person needs help, or is accounted for.
  private func add(
    _ value: LiveValue, to statements: inout PersonStatements
  ) throws(StoreError) {
    let by = try callsign(of: value.author)
    switch value.value {
    case .overruling(.needsHelp, let note, let seen):
      statements.helpOverrides.append(
        ClaimEvidence(dot: value.dot, claim: .needsHelp, note: note, by: by, seen: Set(seen)))
    case .overruling(.safe, let note, let seen):
      // From a program that names no orders and positions.
      statements.accountings.append(
        AccountingEvidence(
          by: by, note: note, claims: Set(seen), rows: [], positions: [:], away: []))
    case .accounting(let accounting):
      statements.accountings.append(
        AccountingEvidence(
          by: by, note: accounting.note, claims: Set(accounting.claims),
          rows: Set(accounting.rows),
          positions: Dictionary(
            accounting.positions.map { ($0.device, $0.order) }, uniquingKeysWith: max),
          away: Set(accounting.away)))
    default: break
    }
  }

  // MARK: Scene

  private mutating func readOrders(now: ClockReading) throws {
    statusModel.replace(
      try store.rows(.directive).filter(\.exists).compactMap { try order($0, now: now) },
      try store.rows(.permit).filter(\.exists).compactMap { try permit($0, now: now) })
  }

  private func order(
    _ row: RowState, now: ClockReading
  ) throws -> StatusModel.DatedRow<OrderEvidence>? {
    guard let first = row.values(of: .directiveExistence).min(by: { $0.dot < $1.dot })
    else { return nil }
    let expected = Set(row.references(in: .directiveExpected).map { UserID(raw: $0.raw) })
    let written = try written(first)
    let order = OrderEvidence(
      id: row.key.id, kind: row.directiveKind, isOpen: row.isOpenDirective,
      audience: OrderAudience(
        owner: row.owner,
        users: Set(row.references(in: .directiveUsers).map { UserID(raw: $0.raw) }),
        role: row.code(.directiveRole).flatMap(Role.init), team: row.text(.directiveTeam),
        expected: row.directiveKind == .rollcall && !expected.isEmpty ? expected : nil),
      role: first.role, dot: first.dot, made: Self.made(written, by: ages, now: now),
      durationMilliseconds: row.directiveDurationMilliseconds,
      zones: row.references(in: .directiveZones) + row.references(in: .directiveFence),
      supersedes: Set(row.references(in: .directiveSupersedes)),
      acknowledged: Set(row.answers(in: local.operation).map(\.user)))
    return StatusModel.DatedRow(content: order, author: first.author, written: written)
  }

  private func permit(
    _ row: RowState, now: ClockReading
  ) throws -> StatusModel.DatedRow<PermitEvidence>? {
    guard let first = row.values(of: .permitExistence).min(by: { $0.dot < $1.dot }),
      let zone = row.references(in: .permitZone).first,
      let seconds = row.permitDurationSeconds
    else { return nil }
    let written = try written(first)
    let permit = PermitEvidence(
      zone: zone, users: Set(row.references(in: .permitUsers).map { UserID(raw: $0.raw) }),
      made: Self.made(written, by: ages, now: now),
      durationMilliseconds: Int64(seconds) * 1000, isRevoked: row.isSet(.permitRevoked))
    return StatusModel.DatedRow(content: permit, author: first.author, written: written)
  }

  private func written(_ value: LiveValue) throws(StoreError) -> WrittenMoment {
    WrittenMoment(
      dot: value.dot, writtenAt: value.writtenAt,
      arrival: try store.arrival(ofFrame: value.dot.frame))
  }

  /// When the write of a value was made.
  private static func made(
    _ written: WrittenMoment, by ages: AgeTracker, now: ClockReading
  ) -> Evidence {
    if let span = written.arrival.flatMap(ages.made) { return .stamped(span) }
    let sinceArrival = written.arrival.map { ages.sinceArrival(of: $0, now: now) } ?? 0
    return .unstamped(
      arrival: ages.reading(now) - sinceArrival, reportedAt: written.writtenAt)
  }

  // MARK: Views

  /// Returns the time since the last contact.
  func contactAge(of assessment: StatusAssessment, now: ClockReading) -> ContactAge? {
    guard let heard = assessment.heard else { return nil }
    let age = heard.age(at: ages.reading(now))
    return ContactAge(
      seconds: (heard.hasEarliest ? age.latest : age.earliest) / 1000,
      atMostSeconds: heard.hasEarliest ? age.latest / 1000 : nil,
      reason: assessment.clockDiffers ? "clock differs" : nil)
  }

  func followedOrder(
    of assessment: StatusAssessment, zones: GeofenceMonitor.Zones, now: ClockReading
  ) -> FollowedOrder? {
    guard let guidance = assessment.guidance else { return nil }
    let due = guidance.due.map { ($0.hasEarliest ? $0.earliest : $0.latest) - ages.reading(now) }
    return FollowedOrder(
      id: guidance.order, kind: guidance.kind, zone: guidance.zone,
      zoneName: zones.all.first { $0.id == guidance.zone }?.name ?? "",
      distanceMetres: guidance.distanceMetres.map { Int64($0.rounded()) },
      bearingDegrees: guidance.bearingDegrees.map { Int64($0.rounded()) % 360 },
      dueSeconds: due.map { $0 / 1000 })
  }
}

extension RowState {
  /// Of several live values the least is shown.
  var permitDurationSeconds: UInt32? {
    guard case .number(let seconds)? = shown(.permitDurationSeconds)?.value else { return nil }
    return seconds
  }

  /// Milliseconds from the first write to the deadline. Older programs wrote a time by the author's
  /// clock.
  var directiveDurationMilliseconds: Int64? {
    if let seconds = directiveDurationSeconds { return Int64(seconds) * 1000 }
    guard case .time(let deadline)? = shown(.directiveDeadline)?.value, let createdAt
    else { return nil }
    return max(0, deadline.milliseconds(since: createdAt))
  }
}
