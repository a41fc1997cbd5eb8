public import MusterModel

/// Latest-only records, and the group content keys.
extension SyncEngine {
  mutating func keep(_ record: LatestRecord) {
    if records[record.topic] == nil {
      switch record.kind {
      case .receipt: receiptCounts[record.certificate, default: 0] += 1
      case .trackerPosition: trackerCounts[record.certificate, default: 0] += 1
      case .clone: cloneTopics.insert(record.topic)
      case .position, .neighbours, .livesHeard: break
      }
    }
    records[record.topic] = record
    shelf.set(record)
  }

  /// Takes what is newer than what is held, and passes it on.
  mutating func receive(_ records: [LatestRecord], from device: DeviceID, endpoint: Endpoint) {
    let fresh = records.filter { take($0, from: device, endpoint: endpoint) }
    if !fresh.isEmpty { push(.records(fresh), from: device) }
  }

  /// What becomes of a record from outside.
  enum RecordVerdict {
    case taken
    /// The same is held, or a newer one.
    case known
    case refused(Rejection)
  }

  /// False for what is not newer than what is held, or does not hold.
  private mutating func take(
    _ record: LatestRecord, from device: DeviceID, endpoint: Endpoint
  ) -> Bool {
    #if Canary
      if Canary.acceptOlderRecord.isPlanted { records[record.topic] = nil }
    #endif
    let held = records[record.topic]
    if held != nil || (peers[device]?.knownRecords.count ?? 0) < Limits.knownRecords {
      let hint =
        held?.order == record.order
        ? shelf.hint(of: .records, key: record.topic.raw) : LeafHint(record)
      peers[device]?.knownRecords[record.topic] = hint?.hash
    }
    switch take(record, paidBy: device) {
    case .taken: return true
    case .known: return false
    case .refused(let rejection):
      reject(rejection, from: endpoint)
      return false
    }
  }

  /// Holds what is newer than what is held, if its author said so and may.
  ///
  /// - Parameter device: whose allowance it costs where its signature does not hold; nil where no
  ///   peer sent it.
  mutating func take(_ record: LatestRecord, paidBy device: DeviceID?) -> RecordVerdict {
    if let held = records[record.topic] {
      guard held.order < record.order else { return .known }
    }
    guard let certificate = roster[record.certificate] else {
      if let device { wantCertificate(record.certificate, from: device) }
      return .refused(.unknownAuthor)
    }
    switch record.kind {
    case .position, .livesHeard, .clone: break
    case .neighbours:
      guard certificate.role.reads else { return .refused(.forged) }
    case .receipt:
      guard certificate.role == .command else { return .refused(.forged) }
      guard records[record.topic] != nil || hasRoomForReceipt(of: record.certificate) else {
        bounds.note(.receipts, of: record.certificate)
        return .refused(.overLimit)
      }
    case .trackerPosition:
      guard certificate.role == .command || certificate.role == .member else {
        return .refused(.forged)
      }
      guard records[record.topic] != nil || hasRoomForTracker(of: record.certificate) else {
        bounds.note(.trackers, of: record.certificate)
        return .refused(.overLimit)
      }
    }
    #if Canary
      if Canary.trustAnyRecord.isPlanted {
        keep(record)
        effects.append(.store(.record(record)))
        return .known
      }
    #endif
    if let device, !maySpendSignature(device) { return .refused(.throttled) }
    guard
      record.isSigned(
        by: certificate.signingKey, operation: local.operation, sharing: local.findings)
    else { return .refused(.forged) }
    if let device { payBackSignature(device) }
    heardOf[record.certificate] = now
    keep(record)
    effects.append(.store(.record(record)))
    tellItsLives(record)
    tellItsCopies(of: record.certificate)
    return .taken
  }

  /// The newest record of a topic; nil when none is held.
  public func record(_ topic: RecordTopic) -> LatestRecord? { records[topic] }

  /// All records by one certificate's holder, by topic.
  public func records(by certificate: CertificateHash) -> [LatestRecord] {
    records.values.filter { $0.certificate == certificate }.sorted { $0.topic < $1.topic }
  }

  /// The newest records of one kind, by topic.
  public func records(of kind: RecordKind) -> [LatestRecord] {
    records.values.filter { $0.kind == kind }.sorted { $0.topic < $1.topic }
  }

  /// Whether one more log may be receipted under a certificate: its holder sees to that, and
  /// nobody takes more of it.
  public func hasRoomForReceipt(of certificate: CertificateHash) -> Bool {
    receiptCounts[certificate, default: 0] < Limits.receiptsPerDevice
  }

  /// The same of one more tracker.
  public func hasRoomForTracker(of certificate: CertificateHash) -> Bool {
    #if Canary
      if Canary.globalTrackerBound.isPlanted {
        return trackerCounts.values.reduce(0, +) < Limits.trackersPerDevice
      }
    #endif
    return trackerCounts[certificate, default: 0] < Limits.trackersPerDevice
  }

  mutating func send(_ record: LatestRecord, to device: DeviceID) {
    var packet = Packet()
    packet.records = [record]
    outbox.add(packet, importance: Outbox.Importance([record]), to: device)
  }

  // MARK: Keys

  /// - Parameter author: whose frames are sealed under them; nil for what the control plane wants.
  mutating func requestKeys(_ epochs: [EpochID], of author: CertificateHash?) {
    let missing = epochs.filter { epochKeys[$0] == nil }
    if let author {
      for epoch in missing where !missingKeys.add(epoch, of: author) {
        bounds.note(.missingKeys, of: author)
      }
    } else if !missingKeys.want(missing) {
      // Each control frame leads here: peers were asked already.
      return
    }
    for device in connected { askForKeys(device) }
  }

  /// Authors of whose epochs the next ones may be asked for: the caller MUST give them.
  public mutating func takeRefillableAuthors() -> [CertificateHash] { missingKeys.takeRefillable() }

  mutating func askForKeys(_ device: DeviceID) {
    guard peers[device]?.sessions.isEmpty == false, !missingKeys.isEmpty else { return }
    let announced = roster.announced
    var packet = Packet()
    packet.keyRequests = missingKeys.nextRequests { announced?.contains($0) ?? true }
    outbox.add(packet, importance: .control, to: device)
  }

  /// A key goes to certified devices that may read and are not revoked, once every revocation that
  /// its epoch names is known here, and to nobody else.
  mutating func serveKey(_ epoch: EpochID, to device: DeviceID) {
    #if Canary
      if Canary.keyForRevoked.isPlanted, let key = epochKeys[epoch] {
        var packet = Packet()
        packet.keys = [key]
        return outbox.add(packet, importance: .control, to: device)
      }
    #endif
    guard let key = epochKeys[epoch], let peer = peers[device],
      let certificate = roster[peer.certificate], mayServe(epoch, to: certificate)
    else { return }
    var packet = Packet()
    packet.keys = [key]
    outbox.add(packet, importance: .control, to: device)
  }

  /// Whether a device may have an epoch's key, as far as is known here.
  func mayServe(_ epoch: EpochID, to certificate: Certificate) -> Bool {
    certificate.role.reads && !roster.revoked.contains(certificate.device)
      && !roster.withheld.contains(epoch) && roster.announced?.contains(epoch) ?? true
  }

  mutating func receive(_ key: EpochKey, endpoint: Endpoint) {
    if !take(key) { reject(.forged, from: endpoint) }
  }

  /// Takes a key that is lacked; false for one that is not what it says.
  @discardableResult
  mutating func take(_ key: EpochKey) -> Bool {
    guard missingKeys.contains(key.id) else { return true }
    guard EpochID(operation: local.operation, key: key.key) == key.id else { return false }
    missingKeys.remove(key.id)
    epochKeys[key.id] = key
    effects.append(.store(.epochKey(key)))
    return true
  }
}
