internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// The input of the status function, from the store.
extension Replica {
  /// A person as input of the status function and of lists.
  struct Person {
    let identity: PersonIdentity
    let row: RowState?
    /// All their devices, and whether each is revoked.
    let devices: [(id: DeviceID, isRevoked: Bool)]
  }

  /// Returns the status of each of these people at `now`.
  mutating func assess(
    _ people: [Person], positions: [DevicePosition], now: ClockReading
  ) throws -> [UserID: StatusAssessment] {
    let clock = statusClock(now)
    statusModel.update(try scene(now: now))
    let byDevice = Dictionary(positions.map { ($0.device, $0) }, uniquingKeysWith: { $1 })
    var evidence: [PersonEvidence] = []
    for person in people {
      evidence.append(try self.evidence(of: person, positions: byDevice, now: now))
    }
    return statusModel.assess(evidence, at: clock)
  }

  func statusClock(_ now: ClockReading) -> StatusClock {
    StatusClock(boot: ages.reading(now), wall: now.wall)
  }

  // MARK: People

  /// Returns each certified user and each tracker once. People outlive their devices: a user
  /// without a valid device is listed nevertheless.
  func persons() throws(StoreError) -> [Person] {
    var admitted: [UserID: [(author: Author, isRevoked: Bool)]] = [:]
    for admission in control.admissions {
      let author = admission.signed.certificate.author
      admitted[author.user, default: []].append((author, control.isRevoked(author.device)))
    }
    var people: [Person] = []
    for (user, devices) in admitted.sorted(by: { $0.key < $1.key }) {
      let counting = devices.filter { !$0.isRevoked }
      let roles = (counting.isEmpty ? devices : counting).map(\.author.role)
      let row = try userRow(user)
      var listed: [DeviceID: Bool] = [:]
      for (author, isRevoked) in devices { listed[author.device] = isRevoked }
      people.append(
        Person(
          identity: PersonIdentity(
            id: user, role: roles.min { $0.rawValue < $1.rawValue } ?? .observer,
            team: row?.text(.userTeam) ?? "", isTracker: false),
          row: row, devices: listed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    }
    var trackers: [UserID: Int] = [:]
    for row in try store.rows(.tracker) where row.exists {
      guard let owner = row.owner, trackers[owner, default: 0] < Limits.trackersPerDevice else {
        continue
      }
      trackers[owner, default: 0] += 1
      people.append(
        Person(
          identity: PersonIdentity(
            id: UserID(raw: row.key.id.raw), role: .member, team: row.text(.trackerTeam) ?? "",
            isTracker: true),
          row: row, devices: [(DeviceID(tracker: row.key.id), false)]))
    }
    return people
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
    of person: Person, positions: [DeviceID: DevicePosition], now: ClockReading
  ) throws -> PersonEvidence {
    let user = person.identity.id
    var evidence = PersonEvidence(
      identity: person.identity, silenceMilliseconds: try silenceMilliseconds(of: user))
    for (device, isRevoked) in person.devices {
      let position = positions[device]
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
    let boot = ages.reading(now)
    if device == local.device { return .stamped(Span(earliest: boot, latest: boot)) }
    if let age = evidenceAge(of: device, now: now) {
      return .stamped(Span(earliest: boot - age.latest, latest: boot - age.earliest))
    }
    return position.map { made($0, now: now) }
  }

  private func made(_ position: DevicePosition, now: ClockReading) -> Evidence {
    if let span = made(ofPositionOf: position.device) { return .stamped(span) }
    let age = unstampedAge(of: position, now: now)
    return .unstamped(
      arrival: ages.reading(now) - age.milliseconds.earliest,
      reportedAt: position.report.reportedAt)
  }

  private func statements(_ row: RowState) throws(StoreError) -> PersonStatements {
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

  private mutating func scene(now: ClockReading) throws -> StatusScene {
    let zones = try monitor.zones(in: store).all
    var orders: [OrderEvidence] = []
    for row in try store.rows(.directive) where row.exists {
      if let order = try order(row, now: now) { orders.append(order) }
    }
    var permits: [PermitEvidence] = []
    for row in try store.rows(.permit) where row.exists {
      if let permit = try permit(row, now: now) { permits.append(permit) }
    }
    return StatusScene(zones: zones, orders: orders, permits: permits)
  }

  private func order(_ row: RowState, now: ClockReading) throws -> OrderEvidence? {
    guard let first = row.values(of: .directiveExistence).min(by: { $0.dot < $1.dot })
    else { return nil }
    let acknowledged = row.values(of: .directiveAcknowledgements).compactMap {
      value -> UserID? in
      if case .reply(let user, _) = value.value { user } else { nil }
    }
    let expected = Set(row.references(in: .directiveExpected).map { UserID(raw: $0.raw) })
    return OrderEvidence(
      id: row.key.id, kind: row.directiveKind, isOpen: row.isOpenDirective,
      audience: OrderAudience(
        owner: row.owner,
        users: Set(row.references(in: .directiveUsers).map { UserID(raw: $0.raw) }),
        role: row.code(.directiveRole).flatMap(Role.init), team: row.text(.directiveTeam),
        expected: row.directiveKind == .rollcall && !expected.isEmpty ? expected : nil),
      role: first.role, dot: first.dot, made: try made(first, now: now),
      durationMilliseconds: row.directiveDurationMilliseconds,
      zones: row.references(in: .directiveZones) + row.references(in: .directiveFence),
      supersedes: Set(row.references(in: .directiveSupersedes)), acknowledged: Set(acknowledged))
  }

  private func permit(_ row: RowState, now: ClockReading) throws -> PermitEvidence? {
    guard let first = row.values(of: .permitExistence).min(by: { $0.dot < $1.dot }),
      let zone = row.references(in: .permitZone).first,
      let seconds = row.leastNumber(.permitDurationSeconds)
    else { return nil }
    return PermitEvidence(
      zone: zone, users: Set(row.references(in: .permitUsers).map { UserID(raw: $0.raw) }),
      team: nil, made: try made(first, now: now),
      durationMilliseconds: Int64(seconds) * 1000, isRevoked: row.isSet(.permitRevoked))
  }

  /// Returns the time at which the write of a value was made.
  private func made(_ value: LiveValue, now: ClockReading) throws(StoreError) -> Evidence {
    if let span = try made(of: value.dot) { return .stamped(span) }
    let age = try unstampedAge(of: value.dot, writtenAt: value.writtenAt, now: now)
    return .unstamped(
      arrival: ages.reading(now) - age.milliseconds.earliest, reportedAt: value.writtenAt)
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
  func leastNumber(_ field: Field) -> UInt32? {
    values(of: field).compactMap { value -> UInt32? in
      if case .number(let number) = value.value { number } else { nil }
    }.min()
  }

  /// Milliseconds from the first write to the deadline. Older programs wrote a time by the author's
  /// clock.
  var directiveDurationMilliseconds: Int64? {
    if let seconds = leastNumber(.directiveDurationSeconds) { return Int64(seconds) * 1000 }
    guard case .time(let deadline)? = shown(.directiveDeadline)?.value, let createdAt
    else { return nil }
    return max(0, deadline.milliseconds(since: createdAt))
  }
}
