public import MusterModel

/// Latest-only records and group content keys.
extension SyncEngine {
  mutating func keep(_ record: LatestRecord) {
    records.keep(record)
    context.logs.set(record)
  }

  /// Accepts records that are newer than the stored ones, and relays them.
  mutating func receive(_ records: [LatestRecord], from device: DeviceID, by arrival: Arrival) {
    let fresh = records.filter { take($0, from: device, by: arrival) }
    if !fresh.isEmpty {
      broadcaster.push(
        .records(fresh), from: device, by: arrival, announcer: &announcer, context: &context)
    }
  }

  /// The result of processing a received record.
  enum RecordVerdict {
    case taken
    /// The same or a newer one is stored.
    case known
    case refused(Rejection)
  }

  /// Accepts a record. Returns false if it is not newer than the stored one, or invalid.
  private mutating func take(
    _ record: LatestRecord, from device: DeviceID, by arrival: Arrival
  ) -> Bool {
    #if Canary
      if Canary.acceptOlderRecord.isPlanted { records.forget(record.topic) }
    #endif
    let held = records[record.topic]
    if held != nil || (context.peers[device]?.holdings.records.count ?? 0) < Limits.knownRecords {
      let hint =
        held?.order == record.order
        ? context.logs.hint(of: .records, key: record.topic.raw) : LeafHint(record)
      context.peers[device]?.holdings.records[record.topic] = hint?.hash
    }
    switch take(record, paidBy: device, on: arrival.session) {
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
    _ record: LatestRecord, paidBy device: DeviceID?, on session: UInt32?
  ) -> RecordVerdict {
    guard records.isNews(record) else { return .known }
    guard let certificate = context.roster[record.certificate] else {
      if let device { context.wantCertificate(record.certificate, from: device) }
      return .refused(.unknownAuthor)
    }
    switch record.kind {
    case .position, .livesHeard, .clone: break
    case .neighbours, .presence:
      guard certificate.role.reads else { return .refused(.forged) }
    case .receipt:
      guard certificate.role == .command else { return .refused(.forged) }
      guard records[record.topic] != nil || records.hasRoomForReceipt(of: record.certificate)
      else {
        context.bounds.note(.receipts, of: record.certificate)
        return .refused(.overLimit)
      }
    case .trackerPosition:
      guard certificate.role == .command || certificate.role == .member else {
        return .refused(.forged)
      }
      guard records[record.topic] != nil || records.hasRoomForTracker(of: record.certificate)
      else {
        context.bounds.note(.trackers, of: record.certificate)
        return .refused(.overLimit)
      }
    }
    #if Canary
      if Canary.trustAnyRecord.isPlanted {
        keep(record)
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
    heardOf[record.certificate] = context.now
    keep(record)
    context.effects.append(.store(.record(record)))
    tellItsLives(record, from: session)
    tellItsCopies(of: record.certificate, from: session)
    return .taken
  }

  /// Returns the newest record of a topic; nil if none is stored.
  public func record(_ topic: RecordTopic) -> LatestRecord? { records[topic] }

  /// Returns all records by one certificate's holder, by topic.
  public func records(by certificate: CertificateHash) -> [LatestRecord] {
    records.by(certificate)
  }

  /// Returns the newest records of one kind, by topic.
  public func records(of kind: RecordKind) -> [LatestRecord] {
    records.of(kind)
  }

  /// Returns whether a receipt for one more log may be stored under a certificate. Its holder
  /// observes the limit, and no peer accepts more.
  public func hasRoomForReceipt(of certificate: CertificateHash) -> Bool {
    records.hasRoomForReceipt(of: certificate)
  }

  /// Returns whether one more tracker may be stored under a certificate.
  public func hasRoomForTracker(of certificate: CertificateHash) -> Bool {
    records.hasRoomForTracker(of: certificate)
  }

  mutating func send(_ record: LatestRecord, to device: DeviceID) {
    var packet = Packet()
    packet.records = [record]
    context.outbox.add(packet, importance: Outbox.Importance([record]), to: device)
  }

  // MARK: Keys

  /// Requests missing epoch keys.
  ///
  /// - Parameter author: whose frames are encrypted with them; nil for keys that the control plane
  ///   requires.
  mutating func requestKeys(_ epochs: [EpochID], of author: CertificateHash?) {
    if let author {
      for _ in 0..<keys.request(epochs, of: author) {
        context.bounds.note(.missingKeys, of: author)
      }
    } else if !keys.request(epochs) {
      // Every control frame leads here: peers were asked already.
      return
    }
    for device in context.peers.connected { askForKeys(device) }
  }

  /// Returns authors whose further epochs may be requested: the caller MUST supply these.
  public mutating func takeRefillableAuthors() -> [CertificateHash] { keys.takeRefillableAuthors() }

  mutating func askForKeys(_ device: DeviceID) {
    guard context.peers[device]?.sessions.isEmpty == false, !keys.missing.isEmpty else { return }
    let announced = context.roster.announced
    var packet = Packet()
    packet.keyRequests = keys.nextRequests { announced?.contains($0) ?? true }
    context.outbox.add(packet, importance: .control, to: device)
  }

  /// Sends a key to a peer. A key goes only to certified devices that may read and are not revoked,
  /// and only once every revocation that its epoch names is known here.
  mutating func serveKey(_ epoch: EpochID, to device: DeviceID) {
    #if Canary
      if Canary.keyForRevoked.isPlanted, let key = keys[epoch] {
        var packet = Packet()
        packet.keys = [key]
        return context.outbox.add(packet, importance: .control, to: device)
      }
    #endif
    guard let key = keys[epoch], let peer = context.peers[device],
      let certificate = context.roster[peer.certificate], mayServe(epoch, to: certificate)
    else { return }
    var packet = Packet()
    packet.keys = [key]
    context.outbox.add(packet, importance: .control, to: device)
  }

  /// Returns whether a device is authorized for an epoch's key, as far as is known here.
  func mayServe(_ epoch: EpochID, to certificate: Certificate) -> Bool {
    certificate.role.reads && !context.roster.revoked.contains(certificate.device)
      && !context.roster.withheld.contains(epoch)
      && context.roster.announced?.contains(epoch) ?? true
  }

  mutating func receive(_ key: EpochKey, endpoint: Endpoint) {
    if !take(key) { context.reject(.forged, from: endpoint) }
  }

  /// Accepts a missing key. Returns false if the key does not match its id.
  @discardableResult
  mutating func take(_ key: EpochKey) -> Bool {
    guard keys.missing.contains(key.id) else { return true }
    guard EpochID(operation: context.local.operation, key: key.key) == key.id else { return false }
    keys.add(key)
    context.effects.append(.store(.epochKey(key)))
    return true
  }
}
