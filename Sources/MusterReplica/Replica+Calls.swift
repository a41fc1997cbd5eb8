public import MusterModel
public import MusterStore
internal import MusterSync

/// Inputs from the network, and the frame of every call: one transaction.
extension Replica {
  // MARK: Inputs

  /// Processes datagrams that arrived together in one transaction.
  public mutating func receive(
    _ datagrams: [(bytes: [UInt8], from: Endpoint, link: LinkID)], now: ClockReading
  ) throws -> Outcome {
    if core.recovery.isResting(now: now) { return Outcome(rejecting: datagrams) }
    return try transact(now: now) { replica in
      for datagram in datagrams {
        try replica.core.run(
          .datagram(datagram.bytes, from: datagram.from, link: datagram.link), now: now)
      }
    }
  }

  /// Runs due timers. Called when `nextDeadline` has passed; does nothing before.
  public mutating func passDeadlines(now: ClockReading) throws -> Outcome {
    if core.recovery.isResting(now: now) { return Outcome() }
    return try transact(now: now) { replica in
      try DueRecords.giveReceipts(in: &replica.core, now: now)
      try DueRecords.giveBlobReceipts(in: &replica.core, now: now)
      try BlobReview.perform(in: &replica.core, now: now)
      try DueRecords.publishNeighbours(in: &replica.core, now: now)
      let battery = replica.positions.batteryPercent(of: nil)
      try DueRecords.sendPresence(in: &replica.core, batteryPercent: battery, now: now)
      try replica.core.makeDueEpoch(now: now)
      try replica.core.run(.deadlinePassed, now: now)
    }
  }

  /// Handles a network change, or waking from sleep: all peers are tried again at once.
  public mutating func linkUp(now: ClockReading) throws -> Outcome {
    try transact(now: now) { try $0.core.run(.linkUp, now: now) }
  }

  // MARK: Transactions

  /// Performs a piece of work and commits its batch.
  ///
  /// If it throws, nothing of the work's own writes is durable, and the author may retry. Once they
  /// are durable (`hasWritten`), a later failure becomes a remark: after an error, an author would
  /// write the same again.
  mutating func transact(
    now: ClockReading, _ work: (inout Replica) throws -> Void
  ) throws -> Outcome {
    if core.recovery.isBehind { try comeBack(now: now) }
    core.transaction.begin()
    core.own.random.stir(now.entropy)
    do {
      try work(&self)
      try core.commit(now: now)
    } catch let refusal as Refusal where core.transaction.isUntouched {
      // Rejected before anything was added to the batch: memory equals the disk.
      throw refusal
    } catch {
      guard core.transaction.hasWritten else {
        core.recovery.note(error, contacts: core.engine.contactEndpoints, now: now)
        try recover(now: now)
        throw error
      }
      core.fail(afterWriting: error, now: now)
    }
    if !core.recovery.isBehind {
      do {
        try SalvageJoiner.join(into: &core, now: now)
        try positions.publishPending(in: &core, now: now)
        try DueRecords.publishClones(in: &core, now: now)
      } catch {
        core.fail(afterWriting: error, now: now)
      }
    }
    rememberContacts()
    return core.transaction.takeOutcome()
  }

  /// Whether the disk has failed, and memory may differ from it until everything has been read
  /// again.
  public var mayDifferFromDisk: Bool { core.recovery.isBehind }

  /// Recovers after a failure, when memory may be ahead of the disk.
  private mutating func recover(now: ClockReading) throws {
    try positions.reload(from: core.store)
    try core.recover(now: now)
  }

  /// Resumes after a disk failure, with longer pauses while it persists.
  private mutating func comeBack(now: ClockReading) throws {
    do {
      try recover(now: now)
    } catch {
      core.recovery.note(error, contacts: core.engine.contactEndpoints, now: now)
      throw error
    }
  }

  /// The commit stays acknowledged: an address that cannot be stored will be found again.
  private mutating func rememberContacts() {
    for contact in core.transaction.outcome.contacts {
      do {
        try core.store.rememberPeer(contact)
      } catch {
        core.transaction.outcome.remarks.append("cannot remember \(contact.endpoint): \(error)")
      }
    }
  }

  /// Folds what was received, if the disk permits, and closes the database. The replica MUST NOT be
  /// used afterwards.
  public func close() throws(StoreError) {
    var last = core
    if !core.recovery.isBehind, core.records.received.nextDeadline != nil {
      last.records.fold(into: &last.transaction.batch, at: core.records.ages.newestReading)
      do {
        _ = try core.store.commit(last.transaction.batch)
      } catch {
        // What is staged is read at the next start; peers send the rest again.
      }
    }
    HistoryIntake.keepRest(of: core)
    try core.store.close()
  }

  /// Stores an address to be tried after the next start.
  public func remember(_ endpoint: Endpoint) throws {
    try core.store.rememberPeer(RememberedPeer(endpoint: endpoint))
  }
}
