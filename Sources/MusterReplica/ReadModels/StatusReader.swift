internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// The input of the status function, from the store.
struct StatusReader {
  let context: ReadContext
  let ages: AgeReader
  private let settings: SettingsReader
  private let statements: StatementReader
  private let checkIns: CheckInReader
  /// People who called under duress.
  private let underDuress: Set<UserID>

  init(context: ReadContext, ages: AgeReader, underDuress: Set<UserID>) {
    self.context = context
    self.ages = ages
    self.underDuress = underDuress
    settings = SettingsReader(context: context)
    statements = StatementReader(context: context)
    checkIns = CheckInReader(context: context, ages: ages)
  }

  /// Reads what has changed since the last call, and assesses it again, and whose time has come.
  ///
  /// - Parameter dated: records that were dated since the last call.
  func refresh(
    _ model: inout StatusModel, checkIns index: inout CheckInIndex,
    zones monitor: inout GeofenceMonitor, dated: Set<DeviceID>, telemetry: TelemetryIndex
  ) throws {
    do {
      try readStale(
        into: &model, checkIns: &index, zones: &monitor, dated: dated,
        telemetry: telemetry)
    } catch {
      model.markAllStale()
      throw error
    }
    model.refresh(at: StatusClock(boot: ages.reading, wall: ages.now.wall), now: ages.now)
  }

  private func readStale(
    into model: inout StatusModel, checkIns index: inout CheckInIndex,
    zones monitor: inout GeofenceMonitor, dated: Set<DeviceID>, telemetry: TelemetryIndex
  ) throws {
    model.redate(dated) { ages.made($0) }
    var stale = model.takeStale()
    if !stale.roster {
      for key in stale.rows {
        guard let row = try context.store.row(key), let changed = model.replace(row) else {
          stale.roster = true
          break
        }
        stale.people.formUnion(changed)
      }
    }
    if stale.roster { model.replace(try personRoster()) }
    if stale.everybody { model.replace(try context.devicePositions()) }
    for device in stale.moved {
      model.replace(try context.devicePosition(of: device), of: device)
      if let user = model.user(of: device) { stale.people.insert(user) }
    }
    // An order may have waited for a zone.
    if stale.orders || stale.zones { try readOrders(into: &model) }
    let users = Set(dated.compactMap { model.user(of: $0) })
    try checkIns.read(&stale, into: &index, datedBy: users)
    try listUnknownPeople(in: &model, checkIns: index, &stale)
    if stale.zones {
      model.replace(zones: try monitor.zones(in: context.store).all)
    } else {
      model.updateOrders()
    }
    // This device is in contact whenever it is asked.
    stale.people.insert(context.local.author.user)
    let everybody = stale.roster || stale.everybody
    for person in everybody ? model.people : stale.people.compactMap(model.person) {
      model.update(try evidence(of: person, in: &model, checkIns: &index, telemetry))
    }
  }

  private func personRoster() throws -> PersonRoster {
    var admitted: [UserID: [(author: Author, isRevoked: Bool)]] = [:]
    for admission in context.control.admissions {
      let author = admission.signed.certificate.author
      admitted[author.user, default: []].append((author, context.control.isRevoked(author.device)))
    }
    let trackers = try context.store.rows(.tracker)
    return try PersonRoster(
      admitted: admitted, trackers: trackers,
      calls: try calls(
        of: try context.store.rows(.user).filter { admitted[UserID(raw: $0.key.id.raw)] == nil }
          + trackers.filter { !$0.isCreated })
    ) {
      try context.userRow($0)
    }
  }

  // MARK: Unknown people

  /// Lists the people that rows name and whose certificate or tracker has not arrived, if these may
  /// be others than before.
  private func listUnknownPeople(
    in model: inout StatusModel, checkIns index: CheckInIndex, _ stale: inout StatusModel.Staleness
  ) throws {
    guard stale.roster || stale.orders || stale.people.contains(where: { !model.isKnown($0) })
    else { return }
    let namings = model.namings + index.namings { !model.isKnown($0) }
    // The timers and orders of a revoked author stay; people that only that author names do not.
    let authors = Set(namings.map(\.author)).filter(context.control.hasDevice)
    let unknown = try UnknownPeople(namings.filter { authors.contains($0.author) }) {
      // One that was removed, or that is beyond what its owner may publish, is not listed.
      try model.isKnown($0) || context.trackerRow($0)?.isCreated ?? false
    }
    stale.people.formUnion(
      try model.replace(unknown) { try context.userRow($0) ?? context.trackerRow($0) })
  }

  /// Returns who is called for by these rows of people.
  private func calls(of rows: [RowState]) throws(StoreError) -> [UnknownPeople.Naming] {
    var namings: [UnknownPeople.Naming] = []
    for row in rows {
      let (person, fields) = (UserID(raw: row.key.id.raw), PersonFields(row.key.kind))
      let values = (fields.claims + [fields.override]).flatMap { row.values(of: $0) }
      for call in try statements.statements(row).openCalls {
        let value = values.first { $0.dot == call.dot }
        guard let author = value?.author else { continue }
        namings.append(
          UnknownPeople.Naming(
            person: person, trackerOwner: row.key.kind == .tracker ? row.owner : nil,
            author: author, device: try context.store.arrival(ofFrame: call.dot.frame)?.author))
      }
    }
    return namings
  }

  private func evidence(
    of person: PersonRoster.Person, in model: inout StatusModel,
    checkIns index: inout CheckInIndex, _ telemetry: TelemetryIndex
  ) throws -> PersonEvidence {
    let user = person.identity.id
    var evidence = PersonEvidence(
      identity: person.identity,
      silenceMilliseconds: try settings.silenceMilliseconds(of: user))
    if person.identity.isTracker, !person.devices.contains(where: { ages.isWatched($0.id) }) {
      evidence.unpublishedMilliseconds = PresenceSchedule.contactSpacing(
        silence: evidence.silenceMilliseconds)
    }
    for (device, isRevoked) in person.devices {
      let position = model.position(of: device)
      var history = FixHistory()
      var movement: MovementEvidence?
      if let position {
        let made = ages.made(position)
        history = model.history(of: position, made: made, isRevoked: isRevoked)
        // Without a statement, the person may have moved at the fix, and a contact shows nothing.
        let still = telemetry.stillSeconds(of: device, at: position.order)
        movement = MovementEvidence(
          made: still == nil ? made.fix(of: position.report.age) : made, stillSeconds: still)
      }
      evidence.devices.append(
        StatusDevice(
          id: device, isRevoked: isRevoked, received: ages.received(device, position: position),
          history: history, movement: movement))
    }
    if let row = person.row {
      evidence.statements = try statements.statements(row)
    }
    evidence.timers = checkIns.timers(of: person, in: &index)
    evidence.isUnderDuress = underDuress.contains(user)
    evidence.wasReceived =
      evidence.devices.contains { $0.received != nil } || !evidence.statements.claims.isEmpty
      || !evidence.statements.relayed.isEmpty
    return evidence
  }

  private func readOrders(into model: inout StatusModel) throws {
    model.replace(
      try context.store.rows(.directive).filter(\.exists).compactMap { try order($0) },
      try context.store.rows(.permit).filter(\.exists).compactMap { try permit($0) })
  }

  private func order(
    _ row: RowState
  ) throws -> StatusModel.DatedRow<OrderEvidence>? {
    guard let first = row.values(of: .directiveExistence).min(by: { $0.dot < $1.dot })
    else { return nil }
    let expected = row.users(in: .directiveExpected)
    let written = try written(first)
    let zones = row.references(in: .directiveZones) + row.references(in: .directiveFence)
    let awaitsZones = try zones.contains {
      try context.store.row(RowKey(kind: .fence, id: $0))?.isCreated != true
    }
    let order = OrderEvidence(
      id: row.key.id, kind: row.directiveKind, isOpen: row.isOpenDirective,
      audience: OrderAudience(
        owner: row.owner,
        users: row.users(in: .directiveUsers),
        role: row.code(.directiveRole).flatMap(Role.init), team: row.text(.directiveTeam),
        expected: row.directiveKind == .rollcall && !expected.isEmpty ? expected : nil),
      role: first.role, dot: first.dot, made: ages.made(written),
      durationMilliseconds: row.directiveDurationMilliseconds,
      zones: zones, awaitsZones: awaitsZones,
      supersedes: Set(row.references(in: .directiveSupersedes)),
      acknowledged: Set(row.answers(in: context.local.operation).map(\.user)))
    return StatusModel.DatedRow(content: order, author: first.author, written: written)
  }

  private func permit(
    _ row: RowState
  ) throws -> StatusModel.DatedRow<PermitEvidence>? {
    guard let first = row.values(of: .permitExistence).min(by: { $0.dot < $1.dot }),
      let zone = row.references(in: .permitZone).first,
      let seconds = row.permitDurationSeconds
    else { return nil }
    let written = try written(first)
    let permit = PermitEvidence(
      zone: zone, users: row.users(in: .permitUsers), made: ages.made(written),
      durationMilliseconds: Int64(seconds) * 1000, isRevoked: row.isSet(.permitRevoked))
    return StatusModel.DatedRow(content: permit, author: first.author, written: written)
  }

  private func written(_ value: LiveValue) throws(StoreError) -> WrittenMoment {
    WrittenMoment(
      dot: value.dot, writtenAt: value.writtenAt,
      arrival: try context.store.arrival(ofFrame: value.dot.frame))
  }
}

extension RowState {
  /// Of several live values the least is shown.
  var permitDurationSeconds: UInt32? { number(.permitDurationSeconds) }

  /// Milliseconds from the first write to the deadline. Older programs wrote a time by the author's
  /// clock.
  var directiveDurationMilliseconds: Int64? {
    if let seconds = directiveDurationSeconds { return Int64(seconds) * 1000 }
    guard case .time(let deadline)? = shown(.directiveDeadline)?.value, let createdAt
    else { return nil }
    return max(0, deadline.milliseconds(since: createdAt))
  }
}
