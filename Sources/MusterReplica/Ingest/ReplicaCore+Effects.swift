internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Converts the engine's effects into the contents of transactions, and datagrams.
extension ReplicaCore {
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
        let answer = try Admitter.answer(to: ticket, in: &self, now: now)
        try run(.joinAnswered(ticket, answer), now: now)
      }
    }
    guard isRosterBehind, !control.countsEverything else { return }
    try commit(now: now)
    try feedRoster(now: now)
  }

  mutating func take(_ verified: Verified, now: ClockReading) throws {
    switch verified {
    case .frames(let opening, let frames):
      if let strand = frames.first?.strand, control.isParted(strand) {
        // The previous frames may have forked it.
        try BranchAttacher.attach(
          frames, opening: opening, from: local.device, to: &self, now: now)
      } else {
        transaction.tally?.frames.new += frames.count
        try hold(frames, opening: opening, now: now)
      }
      try IncarnationReview.review(frames, opening: opening, in: &self, now: now)
    case .branch(let opening, let frames, let device):
      let isHeld = try BranchAttacher.attach(
        frames, opening: opening, from: device, to: &self, now: now)
      guard isHeld else { return }
      try IncarnationReview.review(frames, opening: opening, in: &self, now: now)
    case .record(let record):
      transaction.tally?.records.new += 1
      hold(record, now: now)
      try KeyRequests.ask(for: record, in: &self, now: now)
      try IncarnationReview.review(record, in: &self, now: now)
      takeOwnReceipt(record, now: now)
      if let receipt = record.blobReceipt {
        transaction.outcome.grownBlobs.formUnion(
          try queries.photoReader.receipts.newest(in: receipt))
      }
    case .blobUnit(let unit):
      transaction.tally?.photoUnits.new += 1
      transaction.batch.units.append(unit)
      transaction.outcome.grownBlobs.insert(unit.blob)
      oweBlobReceipt(for: unit.blob, now: now)
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

  /// Reads and verifies a unit that a peer requested. A damaged one is cleared, and fetched again.
  mutating func unit(for request: BlobFetch, now: ClockReading) throws -> BlobUnit? {
    // The engine may request units that are still in the batch.
    let id = request.listing.id
    let isWaiting = transaction.batch.units.contains {
      $0.blob == id && $0.number == request.unit
    }
    if isWaiting { try commit(now: now) }
    if let unit = try store.unit(request.unit, of: request.listing),
      unit.isValid(for: request.listing)
    {
      return unit
    }
    transaction.batch.damagedUnits.append(StoredUnit(blob: id, number: request.unit))
    return nil
  }
}
