internal import MusterCRDT
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// What the read models read, as it is during one call: the merged rows, the newest records, and
/// the control plane. It changes nothing. Every read model holds it, by reference: copies of its
/// values, inlined into each of them, were a fifth of this module's code.
final class ReadContext: Sendable {
  let store: Store
  let local: LocalDevice
  let control: ControlPlane
  /// Records of other devices that are not in the store's tables yet.
  let received: ReceivedRecords
  /// Rows with writes of this call that are sealed and not committed.
  let uncommitted: [RowKey: RowState]

  init(
    store: Store, local: LocalDevice, control: ControlPlane, received: ReceivedRecords,
    uncommitted: [RowKey: RowState]
  ) {
    self.store = store
    self.local = local
    self.control = control
    self.received = received
    self.uncommitted = uncommitted
  }

  /// Whether this device was revoked, as far as it knows.
  var isRevoked: Bool { control.isRevoked(local.device) }

  /// Rejects a command of this device, unless it has one of these roles and is not revoked.
  func require(_ roles: Role...) throws(Refusal) { try control.require(roles, of: local) }

  /// Rejects a command of this device about a row, unless its user owns the row or is command.
  func requireOwner(of state: RowState) throws(Refusal) {
    guard local.author.role == .command || state.owner == local.author.user else {
      throw Refusal(
        "only its owner or command may do that to \(state.key.kind) \(state.key.id.short): ask one "
          + "of them",
        .notAllowed)
    }
    try require(.command, .member)
  }

  /// Returns a row after the previous commands, whether or not they are committed.
  func row(_ key: RowKey) throws(StoreError) -> RowState? {
    if let state = uncommitted[key] { return state }
    return try store.row(key)
  }

  /// Adds the origin, which the urgent lane needs: a write may arrive there before the create of
  /// its row.
  func withOrigins(_ writes: [Write]) throws(StoreError) -> [Write] {
    var found: [Write] = []
    for var write in writes {
      if write.origin == nil, write.field.entity.hasOrigin {
        write.origin = try row(write.key)?.origin
      }
      found.append(write)
    }
    return found
  }

  func userRow(_ user: UserID) throws(StoreError) -> RowState? {
    try store.row(RowKey(kind: .user, id: RowID(raw: user.raw)))
  }

  func callsign(of user: UserID) throws(StoreError) -> String {
    try knownCallsign(of: user) ?? user.short
  }

  /// Returns nil while no callsign of the person has arrived.
  private func knownCallsign(of user: UserID) throws(StoreError) -> String? {
    if let callsign = try userRow(user)?.text(.userCallsign) {
      return ShownName.text(of: callsign)
    }
    return try trackerRow(user)?.text(.trackerCallsign).map { ShownName.text(of: $0) }
  }

  /// Returns the people with a certificate whose names are alike.
  func namesakes() throws(StoreError) -> Namesakes {
    var people: [(id: UserID, name: String)] = []
    for row in try store.rows(.user) {
      let user = UserID(raw: row.key.id.raw)
      guard control.hasDevice(of: user), let name = row.text(.userCallsign) else { continue }
      people.append((user, name))
    }
    return Namesakes(people)
  }

  // MARK: Authorship

  /// Returns who wrote a value.
  func authorship(of value: LiveValue) throws(StoreError) -> Authorship {
    try authorship(of: value.author, onBehalfOf: value.onBehalfOf)
  }

  /// Returns who created a row.
  func authorship(ofCreating row: RowState) throws(StoreError) -> Authorship {
    try authorship(of: row.owner ?? UserID(raw: .zero), onBehalfOf: row.createdOnBehalfOf)
  }

  private func authorship(
    of user: UserID, onBehalfOf principal: Principal?
  ) throws(StoreError) -> Authorship {
    let callsign = try callsign(of: user)
    switch principal {
    case nil, .person(user): return Authorship(callsign)
    case .login(let name): return Authorship(ShownName.text(of: name), through: callsign)
    case .person(let person):
      return Authorship(
        try knownCallsign(of: person) ?? "unknown person \(person.short)", through: callsign)
    }
  }

  /// Returns the callsign of a crossing's subject: a tracker's, or its author's.
  func callsign(of recorded: RecordedCrossing) throws(StoreError) -> String {
    guard recorded.crossing.subject != recorded.author.device else {
      return try callsign(of: recorded.author.user)
    }
    return try callsign(of: UserID(raw: recorded.crossing.subject.raw))
  }

  /// Returns the row of a person: the tracker's that they carry, or else the user's.
  func personRow(_ id: RowID) throws(StoreError) -> RowState? {
    if let carried = try store.row(RowKey(kind: .tracker, id: id)) { return carried }
    return try store.row(RowKey(kind: .user, id: id))
  }

  func trackerRow(_ user: UserID) throws(StoreError) -> RowState? {
    try store.row(RowKey(kind: .tracker, id: RowID(raw: user.raw)))
  }

  /// Returns each user's newest fix; one of a revoked device only if no other device has one.
  func newestPositions(_ positions: [DevicePosition]) -> [UserID: DevicePosition] {
    var newest: [UserID: DevicePosition] = [:]
    func rank(_ position: DevicePosition) -> (Int, Timestamp) {
      (control.isRevoked(position.device) ? 0 : 1, position.report.reportedAt)
    }
    for position in positions {
      if let known = newest[position.user], rank(known) >= rank(position) { continue }
      newest[position.user] = position
    }
    return newest
  }

  func conflicts(of row: RowState) throws(StoreError) -> [FieldConflict] {
    var conflicts: [FieldConflict] = []
    for field in row.conflicts {
      let shown = row.shown(field)
      let ordered = [shown].compactMap { $0 } + row.values(of: field).filter { $0 != shown }
      var values: [ConflictingValue] = []
      for value in ordered.prefix(Limits.conflictingValues) {
        values.append(
          ConflictingValue(
            text: value.value.words(in: field), callsign: try authorship(of: value).text,
            writtenAt: value.writtenAt))
      }
      conflicts.append(FieldConflict(field: field, values: values))
    }
    return conflicts
  }

  /// Returns the user's callsign; the first digits of the device's id without a valid certificate.
  func callsign(of device: DeviceID) throws -> String {
    try control.user(of: device).map { try callsign(of: $0) } ?? device.short
  }

  /// Returns a device as the log names it, `Ben (806b0c4c)`; only its id if it is not known yet.
  func logName(_ device: DeviceID) -> String {
    do {
      let callsign = try callsign(of: device)
      return callsign == device.short ? callsign : "\(callsign) (\(device.short))"
    } catch {
      return device.short
    }
  }

  /// Returns the last known position of each device, by device.
  func devicePositions() throws(StoreError) -> [DevicePosition] {
    received.over(try store.positions())
  }

  /// Returns the last known position of a device; nil if there is none.
  func devicePosition(of device: DeviceID) throws(StoreError) -> DevicePosition? {
    received.over(try store.position(of: device), of: device)
  }

  /// Returns the newest record of each topic, by topic.
  func latestRecords() throws(StoreError) -> [LatestRecord] {
    received.over(try store.records())
  }

  func existing(_ kind: EntityKind, _ id: RowID) throws -> RowState {
    guard let state = try row(RowKey(kind: kind, id: id)), state.exists else {
      throw Refusal("no \(kind) \(id.short): it was deleted, or has not arrived here", .unknown)
    }
    return state
  }

  /// Returns every device with a valid certificate, by id.
  func devices() throws -> [DeviceSummary] {
    try control.admissions.map { admission in
      let author = admission.signed.certificate.author
      let standing = control.councils.standing(of: author.device)
      return DeviceSummary(
        id: author.device, user: author.user, callsign: try callsign(of: author.user),
        role: author.role, rank: admission.rank, isThisDevice: author.device == local.device,
        isRevoked: control.isRevoked(author.device), isCouncilMember: standing.isMember,
        votes: standing.votes, quorum: standing.quorum)
    }
  }

  /// Adds the current names to a crossing.
  func summary(_ arrived: ArrivedCrossing) throws -> CrossingSummary {
    let recorded = arrived.recorded
    let crossing = recorded.crossing
    let fence = try store.row(RowKey(kind: .fence, id: crossing.fence))
    var summary = CrossingSummary(
      id: recorded.id, arrival: arrived.arrival, type: crossing.type, fence: crossing.fence,
      fenceName: fence?.text(.fenceName) ?? "", subject: crossing.subject,
      callsign: try callsign(of: recorded), sampleTime: crossing.fix.sampleTime,
      position: crossing.fix.position, isBaseline: crossing.isBaseline)
    summary.fenceCollection = fence?.text(.fenceCollection) ?? ""
    return summary
  }
}

extension ControlPlane {
  /// Rejects a command of this device, unless it has one of these roles and is not revoked.
  func require(_ roles: [Role], of local: LocalDevice) throws(Refusal) {
    guard !isRevoked(local.device) else {
      throw Refusal(
        "this device was revoked: ask command for an invite, and join again with another --home",
        .notAllowed)
    }
    guard roles.contains(local.author.role) else {
      let allowed = roles.map(\.name).joined(separator: " or ")
      throw Refusal(
        "this device's role is \(local.author.role.name); this requires \(allowed): ask someone of "
          + "that role", .notAllowed)
    }
  }
}
