internal import MusterModel

/// Latest-only records: checks received ones, stores those that are newer, and notifies clones of
/// their author.
struct RecordExchange: Sendable {
  private(set) var cache = RecordCache()
  var clones = CloneNotifier()

  mutating func keep(_ record: LatestRecord, context: inout Context) {
    cache.keep(record)
    context.logs.set(record)
  }

  /// Adds records of this device, and returns those that are newer than the stored ones: another
  /// incarnation may have written newer ones.
  mutating func append(_ own: [LatestRecord], context: inout Context) -> [LatestRecord] {
    let added = own.filter { cache.isNew($0) }
    for record in added { keep(record, context: &context) }
    return added
  }

  /// Accepts records that are newer than the stored ones, and returns them.
  mutating func receive(
    _ records: [LatestRecord], from device: DeviceID, by arrival: Arrival, context: inout Context
  ) -> [LatestRecord] {
    var fresh: [LatestRecord] = []
    for record in records where take(record, from: device, by: arrival, context: &context) {
      fresh.append(record)
    }
    return fresh
  }

  /// Accepts records of a bundle that are newer than the stored ones.
  mutating func receive(carried records: [LatestRecord], context: inout Context) {
    for record in records {
      switch take(record, paidBy: nil, on: nil, context: &context) {
      case .taken: break
      case .known: context.effects.append(.notice(.carried(.knownRecord)))
      case .refused(let rejection):
        context.effects.append(.notice(.carried(.refusedRecord(BundleRefusal(rejection)))))
      }
    }
  }

  /// The result of processing a received record.
  enum Verdict {
    case taken
    /// The same or a newer one is stored.
    case known
    case refused(Rejection)
  }

  /// Accepts a record. Returns false if it is not newer than the stored one, or invalid.
  private mutating func take(
    _ record: LatestRecord, from device: DeviceID, by arrival: Arrival, context: inout Context
  ) -> Bool {
    #if Canary
      if Canary.acceptOlderRecord.isPlanted { cache.forget(record.topic) }
    #endif
    let held = cache[record.topic]
    if held != nil || context.peers[known: device].holdings.records.count < Limits.knownRecords {
      let hint =
        held == record
        ? context.logs.hint(of: .records, key: record.topic.raw) : LeafHint(record)
      context.peers[known: device].holdings.records[record.topic] = hint?.hash
    }
    switch take(record, paidBy: device, on: arrival.session, context: &context) {
    case .taken: return true
    case .known: return false
    case .refused(let rejection):
      context.reject(rejection, from: arrival.endpoint)
      return false
    }
  }

  /// Stores a record if it is newer than the stored one, correctly signed and permitted.
  ///
  /// - Parameters:
  ///   - device: the peer whose rate limit is charged for an invalid signature; nil if no peer sent
  ///     it.
  ///   - session: the session on which it arrived; nil if on none.
  mutating func take(
    _ record: LatestRecord, paidBy device: DeviceID?, on session: UInt32?, context: inout Context
  ) -> Verdict {
    guard cache.isNew(record) else { return .known }
    guard let certificate = context.roster[record.certificate] else {
      if let device { context.wantCertificate(record.certificate, from: device) }
      return .refused(.unknownAuthor)
    }
    switch record.kind {
    case .otherIncarnations, .clone: break
    case .position:
      // An archive is no person, and a relay cannot seal one.
      guard certificate.role.isPersonal else { return .refused(.forged) }
    case .neighbours, .presence:
      guard certificate.role.reads else { return .refused(.forged) }
    case .receipt, .blobReceipt:
      guard certificate.role.givesReceipts else { return .refused(.forged) }
      guard cache[record.topic] != nil || cache.hasRoomForReceipt(of: record.certificate)
      else {
        context.bounds.note(.receipts, of: record.certificate)
        return .refused(.overLimit)
      }
    case .trackerPosition:
      guard certificate.role == .command || certificate.role == .member else {
        return .refused(.forged)
      }
      guard cache[record.topic] != nil || cache.hasRoom(forTrackers: 1, of: record.certificate)
      else {
        context.bounds.note(.trackers, of: record.certificate)
        return .refused(.overLimit)
      }
    }
    #if Canary
      if Canary.trustAnyRecord.isPlanted {
        keep(record, context: &context)
        context.effects.append(.store(.record(record)))
        return .known
      }
    #endif
    if let device, !context.maySpendSignature(device) { return .refused(.throttled) }
    guard
      record.isSigned(
        by: certificate.signingKey, operation: context.local.operation,
        sharing: context.local.findings)
    else { return .refused(.forged) }
    if let device { context.payBackSignature(device) }
    context.activity.note(record.certificate, at: context.now)
    proveTwins(record, context: &context)
    keep(record, context: &context)
    context.effects.append(.store(.record(record)))
    clones.notify(of: record, from: session, records: cache, context: &context)
    clones.notifyOfData(by: record.certificate, from: session, context: &context)
    return .taken
  }

  /// Stores the proof that a verified record and the one that it replaces have one order.
  private func proveTwins(_ record: LatestRecord, context: inout Context) {
    guard let other = cache[record.topic], other.order == record.order,
      let chain = context.roster.chain(of: record.certificate.raw.prefix),
      let proof = TwinProof([other, record], chain: chain)
    else { return }
    context.effects.append(
      .store(.evidence(EvidenceItem(proof, operation: context.local.operation))))
  }

  /// Retransmits what is due to clones.
  mutating func notifyDueClones(context: inout Context) {
    clones.sendDue(cache, context: &context)
  }
}
