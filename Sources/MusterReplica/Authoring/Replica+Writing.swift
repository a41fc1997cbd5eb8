internal import MusterCRDT
internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Local writes. Each is acknowledged only after its frame is committed.
extension Replica {
  // MARK: Reports

  /// Adds a report; command and members. In the urgent lane if people must evacuate.
  public mutating func addReport(
    _ draft: ReportDraft, now: ClockReading
  ) throws -> (id: RowID, outcome: Outcome) {
    try require(.command, .member)
    var composer = own.compose(.report, now: now)
    composer.create(draft)
    let outcome = try write(composer.writes, lane: draft.toEvacuate ? .urgent : .state, now: now)
    return (composer.row, outcome)
  }

  /// Edits a report; its owner and command. Restores a report that another user deletes
  /// concurrently. An edit without changes writes nothing.
  public mutating func editReport(
    _ id: RowID, _ changes: ReportChanges, now: ClockReading
  ) throws -> Outcome {
    let state = try settled(.report, id, now: now)
    try requireOwner(of: state)
    var composer = Composer(state, origin: nil)
    composer.apply(changes)
    guard !composer.writes.isEmpty else { return Outcome() }
    #if Canary
      if Canary.deleteWins.isPlanted { return try write(composer.writes, lane: .state, now: now) }
    #endif
    composer.assertExistence()
    let lane = changes.toEvacuate == true ? .urgent : state.lane
    return try write(composer.writes, lane: lane, now: now)
  }

  /// Deletes a report; its owner and command. Supersedes what is known of it here: a concurrent
  /// edit elsewhere restores it.
  public mutating func deleteReport(_ id: RowID, now: ClockReading) throws -> Outcome {
    let state = try settled(.report, id, now: now)
    try requireOwner(of: state)
    var composer = Composer(state, origin: nil)
    composer.removeExistence()
    return try write(composer.writes, lane: state.lane, now: now)
  }

  /// Confirms a report; command and members. Once per user; repeating it writes nothing.
  public mutating func confirmReport(_ id: RowID, now: ClockReading) throws -> Outcome {
    try require(.command, .member)
    let state = try settled(.report, id, now: now)
    let user = local.author.user
    guard !state.values(of: .reportConfirmations).contains(where: { $0.author == user }) else {
      return Outcome()
    }
    var composer = Composer(state, origin: nil)
    composer.insert(.reportConfirmations, .mark)
    return try write(composer.writes, lane: .state, now: now)
  }

  /// Comments on a report; command and members. Does not restore a report that is deleted
  /// concurrently.
  public mutating func commentReport(
    _ id: RowID, text: String, now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member)
    var composer = Composer(try settled(.report, id, now: now), origin: nil)
    composer.insert(.reportComments, .text(text))
    return try write(composer.writes, lane: .state, now: now)
  }

  // MARK: Fences

  /// Adds an active fence; command only. In the urgent lane if it is a hazard.
  public mutating func addFence(
    _ draft: FenceDraft, now: ClockReading
  ) throws -> (id: RowID, outcome: Outcome) {
    try require(.command)
    let fence = try fence(draft, now: now)
    let lane: Lane = draft.kind == .hazard ? .urgent : .state
    return (fence.row, try write(fence.writes, lane: lane, now: now))
  }

  /// Composes a new fence's row.
  mutating func fence(_ draft: FenceDraft, now: ClockReading) throws(Refusal) -> Composer {
    if let seconds = draft.reviewSeconds, !(1...Limits.spanSeconds).contains(seconds) {
      throw Refusal.reviewOutOfRange
    }
    var composer = own.compose(.fence, now: now)
    composer.create(draft, now: now.wall)
    return composer
  }

  /// Edits a fence; command only. In the urgent lane if it was or becomes a hazard. An edit without
  /// changes writes nothing, and no edit restores a deleted fence.
  public mutating func editFence(
    _ id: RowID, _ changes: FenceChanges, now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    let state = try settled(.fence, id, now: now)
    var composer = Composer(state, origin: nil)
    try composer.apply(changes, to: state, now: now.wall)
    return try write(
      composer.writes, lane: changes.kind == .hazard ? .urgent : state.lane, now: now)
  }

  /// Activates or deactivates a fence; command only. An inactive fence stays on the map and is not
  /// evaluated.
  public mutating func setFenceActive(
    _ id: RowID, _ isActive: Bool, now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    let state = try settled(.fence, id, now: now)
    var composer = Composer(state, origin: nil)
    composer.set(.fenceActive, to: .code(isActive ? 1 : 0))
    return try write(composer.writes, lane: state.lane, now: now)
  }

  /// Deletes a fence permanently; command only. No edit restores it.
  public mutating func deleteFence(_ id: RowID, now: ClockReading) throws -> Outcome {
    try require(.command)
    let state = try settled(.fence, id, now: now)
    var composer = Composer(state, origin: nil)
    composer.setFlag(.fenceDeleted, to: true)
    return try write(composer.writes, lane: state.lane, now: now)
  }

  // MARK: Users

  /// Sets the callsign of a user; relays have none.
  ///
  /// - Parameter user: nil for this device's own; another one, as command, until it has a callsign.
  public mutating func setCallsign(
    _ callsign: String, of user: UserID? = nil, now: ClockReading
  ) throws -> Outcome {
    try user == nil ? require(.command, .member, .observer) : require(.command)
    let state = try row(of: user ?? local.author.user, now: now)
    if user != nil, state.text(.userCallsign) != nil { return Outcome() }
    var composer = Composer(state, origin: nil)
    composer.set(.userCallsign, to: .text(callsign))
    return try write(composer.writes, lane: .state, now: now)
  }

  // MARK: Shared

  /// Writes the changes of one command. Other devices apply it as a whole, except long texts, which
  /// follow: a call for evacuation does not wait for its description.
  mutating func write(_ writes: [Write], lane: Lane, now: ClockReading) throws -> Outcome {
    try write([writes], lane: lane, now: now)
  }

  /// Writes several rows in one transaction: each is applied as a whole, the first one first.
  mutating func write(_ rows: [[Write]], lane: Lane, now: ClockReading) throws -> Outcome {
    let writes = rows.flatMap { $0 }
    guard !writes.isEmpty else { return Outcome() }
    for write in writes { try write.requireAcceptable() }
    var groups = EntryGroups()
    for row in rows { groups.add(try withOrigins(row, lane: lane)) }
    guard transaction.writeGroup == nil else {
      transaction.writeGroup?.add(groups, lane: lane, of: writes.map(\.key))
      return Outcome()
    }
    return try transact(now: now) { replica in try replica.append(groups, lane: lane, now: now) }
  }

  /// Seals groups of entries into this device's log, each to be applied as a whole, and broadcasts
  /// the frames once they are durable.
  mutating func append(
    _ groups: EntryGroups, lane: Lane, now: ClockReading
  ) throws {
    let run = try seal(groups, lane: lane, now: now)
    try hold(run.frames, opening: run.opening, isOwn: true, now: now)
    try commit(now: now)
    passOn([run], now: now)
  }

  mutating func append(_ groups: [[Operation]], lane: Lane, now: ClockReading) throws {
    try append(EntryGroups(groups), lane: lane, now: now)
  }

  /// Seals groups of entries into frames of this device's log, which are not stored yet.
  mutating func seal(
    _ groups: EntryGroups, lane: Lane, now: ClockReading
  ) throws -> LogWriter.Run {
    let earlier = try ownFrames(among: groups.operations, in: lane)
    if lane != .control { try ensureEpoch(now: now) }
    let stamp = lane == .urgent ? try makeStamp(.always, now: now) : nil
    do {
      return try own.writer.write(
        groups, lane: lane, at: now.wall, stamp: stamp, earlier: earlier,
        epoch: currentEpoch, random: &own.random)
    } catch {
      switch error {
      case .noKey:
        throw Refusal("no group key has arrived yet: wait until a peer sends it", .notNow)
      case .tooLarge:
        throw Refusal("that is larger than \(Limits.operationBytes / 1024) KiB: make it shorter")
      case .logFull: throw Refusal("this device's log is full: join again as a new device")
      }
    }
  }

  /// Returns this log's own frames among those that the entries supersede.
  private func ownFrames(
    among operations: some Sequence<Operation>, in lane: Lane
  ) throws(StoreError) -> Set<Bytes16> {
    guard let log = own.writer.heads[lane]?.log else { return [] }
    var names: Set<Bytes16> = []
    for case .write(let write) in operations { names.formUnion(write.supersedes.map(\.frame)) }
    guard !names.isEmpty else { return [] }
    let sealed = transaction.writeGroup?.frames(among: names, in: log) ?? []
    return try sealed.union(store.frames(among: names, in: log))
  }

  /// Adds the origin in the urgent lane, where a write may arrive before the create of its row.
  func withOrigins(_ writes: [Write], lane: Lane) throws -> [Write] {
    guard lane == .urgent else { return writes }
    return try writes.map { write in
      guard write.origin == nil, write.field.entity.hasOrigin,
        let origin = try context.row(write.key)?.origin
      else { return write }
      var write = write
      write.origin = origin
      return write
    }
  }

  private func requireOwner(of state: RowState) throws(Refusal) {
    guard local.author.role == .command || state.owner == local.author.user else {
      throw Refusal(
        "only its owner or command may do that to \(state.key.kind) \(state.key.id.short)",
        .notAllowed)
    }
    try require(.command, .member)
  }

  func require(_ roles: Role...) throws(Refusal) {
    guard !control.isRevoked(local.device) else {
      throw Refusal("this device was revoked: its writes have no effect", .notAllowed)
    }
    guard roles.contains(local.author.role) else {
      let allowed = roles.map(\.name).joined(separator: " or ")
      throw Refusal(
        "this device's role is \(local.author.role.name); this requires \(allowed)", .notAllowed)
    }
  }
}
