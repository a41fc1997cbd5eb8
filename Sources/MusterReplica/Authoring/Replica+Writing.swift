public import MusterModel
internal import MusterStore

/// Local writes. Each is acknowledged only after its frame is committed.
extension Replica {
  /// Writes what a user requests.
  ///
  /// - Parameter onBehalfOf: the person or login that this device writes for; nil for its own user.
  public mutating func write(
    _ request: WriteRequest<Void>, onBehalfOf principal: Principal? = nil, now: ClockReading
  ) throws -> Outcome {
    try write(RequestContext.draft(of: request, for: principal, in: &core, now: now), now: now)
  }

  /// Writes what a user requests, and returns the answer, such as the id of a new row.
  ///
  /// - Parameter onBehalfOf: the person or login that this device writes for; nil for its own user.
  public mutating func write<Answer>(
    _ request: WriteRequest<Answer>, onBehalfOf principal: Principal? = nil, now: ClockReading
  ) throws -> (answer: Answer, outcome: Outcome) {
    let draft = try RequestContext.draft(of: request, for: principal, in: &core, now: now)
    return (draft.answer, try write(draft, now: now))
  }

  /// Writes a draft. Other devices apply each row as a whole, except long texts, which follow: a
  /// call for evacuation does not wait for its description.
  mutating func write<Answer>(_ draft: Draft<Answer>, now: ClockReading) throws -> Outcome {
    let writes = draft.rows.flatMap { $0 }
    guard !writes.isEmpty || !draft.local.isEmpty else { return Outcome() }
    for write in writes { try write.requireAcceptable() }
    var groups = EntryGroups(onBehalfOf: draft.onBehalfOf)
    let context = draft.lane == .urgent ? core.context : nil
    for row in draft.rows { groups.add(try context?.withOrigins(row) ?? row) }
    guard core.transaction.writeGroup == nil else {
      core.transaction.batch.add(draft)
      core.transaction.writeGroup?.add(groups, lane: draft.lane, of: writes.map(\.key))
      return Outcome()
    }
    return try transact(now: now) { replica in
      replica.core.transaction.batch.add(draft)
      try replica.core.append(groups, lane: draft.lane, now: now)
    }
  }

  /// Performs commands in one transaction, with their writes packed into few frames. On return all
  /// are durable; if `work` throws, nothing has changed. The commands themselves return empty
  /// outcomes: this method returns the common one.
  ///
  /// `work` MUST only write rows: reports, fences, and the user's own.
  public mutating func gather(
    now: ClockReading, _ work: (inout Replica) throws -> Void
  ) throws -> Outcome {
    try transact(now: now) { replica in
      replica.core.transaction.writeGroup = WriteGroup()
      defer { replica.core.transaction.writeGroup = nil }
      try work(&replica)
      try WriteGroup.seal(in: &replica.core, now: now)
      // Not before all frames are in the batch: an earlier commit must not store a reply alone.
      replica.core.transaction.batch.replies += replica.core.transaction.writeGroup?.replies ?? []
      let runs = replica.core.transaction.writeGroup?.runs ?? []
      try replica.core.commit(now: now)
      replica.core.passOn(runs, now: now)
    }
  }
}

extension Batch {
  /// Adds what a draft stores besides its writes.
  fileprivate mutating func add<Answer>(_ draft: Draft<Answer>) {
    units += draft.units
    local.merge(draft.local) { $1 }
  }
}
