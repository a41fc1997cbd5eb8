internal import MusterCRDT
internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Converts the engine's effects into transactions and datagrams.
extension Replica {
  // MARK: Inputs

  /// Processes datagrams that arrived together in one transaction.
  public mutating func receive(
    _ datagrams: [(bytes: [UInt8], from: Endpoint, link: LinkID)], now: ClockReading
  ) throws -> Outcome {
    if recovery.isResting(now: now) { return Outcome(rejecting: datagrams) }
    return try transact(now: now) { replica in
      for datagram in datagrams {
        try replica.run(
          .datagram(datagram.bytes, from: datagram.from, link: datagram.link), now: now)
      }
    }
  }

  /// Runs due timers. Called when `nextDeadline` has passed; does nothing before.
  public mutating func passDeadlines(now: ClockReading) throws -> Outcome {
    if recovery.isResting(now: now) { return Outcome() }
    return try transact(now: now) { replica in
      try replica.giveReceipts(now: now)
      try replica.giveBlobReceipts(now: now)
      try replica.reviewBlobs(now: now)
      try replica.publishNeighbours(now: now)
      try replica.sendPresence(now: now)
      try replica.makeDueEpoch(now: now)
      try replica.run(.deadlinePassed, now: now)
    }
  }

  /// Handles a network change, or waking from sleep: all peers are tried again at once.
  public mutating func linkUp(now: ClockReading) throws -> Outcome {
    try transact(now: now) { try $0.run(.linkUp, now: now) }
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
    if recovery.isBehind { try comeBack(now: now) }
    transaction.begin()
    own.random.stir(now.entropy)
    do {
      try work(&self)
      try commit(now: now)
    } catch let refusal as Refusal where transaction.isUntouched {
      // Rejected before anything was added to the batch: memory equals the disk.
      throw refusal
    } catch {
      guard transaction.hasWritten else {
        recovery.note(error, contacts: engine.contactEndpoints, now: now)
        try recover(now: now)
        throw error
      }
      fail(afterWriting: error, now: now)
    }
    if !recovery.isBehind {
      do {
        try joinSetAside(now: now)
        try publishPending(now: now)
        try publishCloneRecords(now: now)
      } catch {
        fail(afterWriting: error, now: now)
      }
    }
    rememberContacts()
    return transaction.takeOutcome()
  }

  /// Handles a failure after the requested write became durable: the next call reads memory again,
  /// and the outcome of this one stays.
  private mutating func fail(afterWriting error: any Error, now: ClockReading) {
    recovery.note(error, contacts: engine.contactEndpoints, now: now)
    transaction.fail(afterWriting: error)
  }

  /// Broadcasts frames of this device that are now durable, long texts last: receivers delay frames
  /// until the last of those sent together has arrived. A failure does not affect the write.
  ///
  /// - Parameter runs: at most one of each log: the engine takes the last frame for the log's head.
  mutating func passOn(_ runs: [LogWriter.Run], now: ClockReading) {
    do {
      for run in runs {
        try self.run(.appended(run.opening, Array(run.frames.prefix(run.leading))), now: now)
      }
      for run in runs where run.leading < run.frames.count {
        try self.run(.appended(run.opening, Array(run.frames.dropFirst(run.leading))), now: now)
      }
    } catch {
      fail(afterWriting: error, now: now)
    }
  }

  /// Resumes after a disk failure, with longer pauses while it persists.
  private mutating func comeBack(now: ClockReading) throws {
    do {
      try recover(now: now)
    } catch {
      recovery.note(error, contacts: engine.contactEndpoints, now: now)
      throw error
    }
  }

  /// The commit stays acknowledged: an address that cannot be stored will be found again.
  private mutating func rememberContacts() {
    for contact in transaction.outcome.contacts {
      do {
        try store.rememberPeer(contact)
      } catch {
        transaction.outcome.remarks.append("cannot remember \(contact.endpoint): \(error)")
      }
    }
  }

  /// Stores an address to be tried after the next start.
  public func remember(_ endpoint: Endpoint) throws {
    try store.rememberPeer(RememberedPeer(endpoint: endpoint))
  }

  mutating func commit(now: ClockReading) throws {
    records.addDue(to: &transaction.batch, now: now)
    if let calls = derived.takeCalls() { transaction.batch.local[DuressLedger.key] = calls }
    guard !transaction.batch.isEmpty else { return }
    if !transaction.batch.frames.isEmpty {
      transaction.batch.arrival = records.ages.arrivalTime(now)
    }
    #if Canary
      if Canary.acknowledgeFirst.isPlanted, transaction.batch.frames.count == 1 { return }
    #endif
    let outcome = try store.commit(transaction.batch)
    if transaction.batch.frames.contains(where: { own.writer.isOwn($0.frame.log) }) {
      transaction.noteWritten()
    }
    if !recovery.setAside.isEmpty { recovery.noteGrowth(by: transaction.batch) }
    transaction.batch = Batch()
    derived.reader.forgetSome()
    recovery.noteCommit()
    derived.note(outcome)
    publish(outcome)
    try list(outcome.newBlobs, now: now)
    transaction.outcome.locationDemands += try location.takeDemands(
      among: outcome.changedRows, in: context)
    try refreshLineages(now: now)
    try informOfEvidence(now: now)
    switch transaction.takeStalePart() {
    case nil: break
    case .view: try rebuildView()
    case .ranges(let ranges): if try !rederive(ranges) { try rebuildView(beginsIndex: true) }
    }
    try commit(now: now)
  }

  /// Adds the effect of a commit on the view to the outcome of the call.
  mutating func publish(_ outcome: CommitOutcome) {
    transaction.note(outcome)
    #if Canary
      if Canary.staleFences.isPlanted { return }
    #endif
    if outcome.changedRows.contains(where: { $0.kind == .fence }) {
      location.monitor.fencesChanged()
    }
  }

  // MARK: Effects

  mutating func run(_ input: Input, now: ClockReading) throws {
    try carryOut(engine.handle(input, now: now), now: now)
  }

  mutating func carryOut(_ effects: [Effect], now: ClockReading) throws {
    let rostersBefore = transaction.rostersFed
    // The engine already contains the frames that effects after a new roster store, and that roster
    // could not state which of them count.
    var isRosterBehind = false
    for effect in effects {
      switch effect {
      case .store(let verified):
        if transaction.rostersFed != rostersBefore { isRosterBehind = true }
        try take(verified, now: now)
      case .fetch(let request):
        // The engine may request frames that are still in the batch.
        if transaction.batch.frames.contains(where: { $0.frame.strand == request.log }) {
          try commit(now: now)
        }
        let frames = try prover.proved(
          try store.frames(
            log: request.log, from: request.from, maxBytes: request.maxBytes,
            maxFrames: request.maxFrames), of: request.log)
        try run(.fetched(request, frames), now: now)
      case .fetchUnit(let request):
        try run(.fetchedUnit(request, try unit(for: request, now: now)), now: now)
      case .send(let bytes, .endpoint(let endpoint, let link)):
        transaction.outcome.outgoing.append(.to(endpoint, link, bytes))
      case .send(let bytes, .multicast(let link)):
        transaction.outcome.outgoing.append(.multicast(link, bytes))
      case .notice(let notice):
        transaction.take(notice, name: notice.device.map { context.logName($0) } ?? "")
      case .admit(let ticket):
        let answer = try admit(ticket, now: now)
        try run(.joinAnswered(ticket, answer), now: now)
      }
    }
    guard isRosterBehind, !control.countsEverything else { return }
    try commit(now: now)
    try feedRoster(now: now)
  }

  private mutating func take(_ verified: Verified, now: ClockReading) throws {
    switch verified {
    case .frames(let opening, let frames):
      if let strand = frames.first?.strand, control.isParted(strand) {
        // The previous frames may have forked it.
        try attach(frames, opening: opening, from: local.device, now: now)
      } else {
        transaction.tally?.frames.new += frames.count
        try hold(frames, opening: opening, now: now)
      }
      try reviewIncarnation(after: frames, opening: opening, now: now)
    case .branch(let opening, let frames, let device):
      guard try attach(frames, opening: opening, from: device, now: now) else { return }
      try reviewIncarnation(after: frames, opening: opening, now: now)
    case .record(let record):
      transaction.tally?.records.new += 1
      hold(record, now: now)
      try reviewIncarnation(after: record, now: now)
      takeOwnReceipt(record, now: now)
      if let receipt = record.blobReceipt {
        transaction.outcome.grownBlobs.formUnion(
          try queries.photoReader.receipts.newest(in: receipt))
      }
    case .blobUnit(let unit):
      transaction.tally?.photoUnits.new += 1
      transaction.batch.units.append(unit)
      transaction.outcome.grownBlobs.insert(unit.blob)
      try oweBlobReceipt(for: unit.blob, now: now)
    case .epochKey(let key):
      transaction.tally?.newKeys += 1
      try learn(key, now: now)
    case .chain(let certificates):
      let added = control.add(chain: certificates)
      guard !added.isEmpty else { return }
      transaction.batch.certificates += added.map { StoredCertificate($0) }
      try evaluateControl(now: now)
    case .evidence(let item): note(item)
    case .contact(let endpoint, let device):
      transaction.outcome.contacts.append(
        RememberedPeer(endpoint: endpoint, device: device, lastReceived: now.wall))
    }
  }

  // MARK: Frames

  /// Adds verified frames to the batch, with their effects.
  ///
  /// - Parameter isOwn: whether this program has just written them.
  mutating func hold(
    _ frames: [Frame], opening: Opening, base: StrandBase? = nil, isOwn: Bool = false,
    now: ClockReading
  ) throws {
    var missing: Set<EpochID> = []
    var found: [EpochKey] = []
    let all = control.standing(under: opening)
    for frame in frames {
      let standing = all ?? control.standing(of: frame, opening: opening)
      let reading = try read(frame, opening: opening, standing: standing)
      var application = Application.nothing
      switch reading {
      case .view(let read, let completes, let stamp):
        application = read
        try date(frame, of: opening, application, stamp, isOwn: isOwn, now: now)
        if case .waiting(.key(let epoch)) = read {
          missing.insert(epoch)
          epochKeys.waitedFor.insert(epoch)
        }
        for place in completes {
          transaction.batch.released.append(ReleasedFrame(place: place, application: .nothing))
        }
      case .control(let operations):
        control.add(operations, of: frame, in: opening)
        found += epochKeys.sealed(in: operations, to: local)
      }
      let isFirst = frame.sequence == base?.first ?? 0
      transaction.batch.frames.append(
        HeldFrame(
          frame: frame, opening: isFirst ? opening : nil, base: isFirst ? base : nil,
          application: application))
      if control.hasForks, control.isNamed(frame) { transaction.unsettled.isLineageStale = true }
      if isFirst, control.hasOverflowed(opening.certificate) {
        transaction.unsettled.isLineageStale = true
      }
    }
    if let last = frames.last { oweReceipt(for: last.strand, lane: opening.lane, now: now) }
    for key in found { try learn(key, now: now) }
    try evaluateControl(now: now)
    try ask(for: missing, of: opening.certificate, now: now)
  }

  mutating func read(
    _ frame: Frame, opening: Opening, standing: ControlPlane.Standing
  ) throws(StoreError) -> FrameReader.Reading {
    let store = store
    return try derived.reader.read(
      frame, opening: opening, standing: standing, keyring: epochKeys.keyring
    ) {
      place throws(StoreError) in try store.frame(place)
    }
  }

  /// Evaluates the changes by control frames in the batch: who may write, which writes count, and
  /// which epoch is used.
  mutating func evaluateControl(now: ClockReading) throws {
    let change = control.evaluate()
    guard !change.isEmpty else { return }
    derived.statusModel.markRosterStale()
    if change.haveUplinksChanged { transaction.outcome.haveUplinksChanged = true }
    if change.haveCutsChanged || change.haveReleasesChanged {
      if control.hasForks { transaction.unsettled.isLineageStale = true }
      transaction.markViewStale()
    }
    transaction.markStale(try change.ranges(in: store))
    if change.isRosterNew || change.haveReleasesChanged {
      // What counts of a log is derived from its stored frames.
      if !control.countsEverything { try commit(now: now) }
      try feedRoster(now: now)
    } else if !change.growth.isEmpty {
      try run(.rosterGrew(change.growth), now: now)
    }
    try reviewEpoch(now: now)
  }

  mutating func feedRoster(now: ClockReading) throws {
    transaction.rostersFed += 1
    try run(.rosterChanged(try control.roster(in: store)), now: now)
  }
}
