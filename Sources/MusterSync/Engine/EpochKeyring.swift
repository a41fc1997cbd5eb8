internal import MusterCrypto
internal import MusterModel

/// The epoch keys that this device holds, and those that it requests.
///
/// Invariant: a key that is held is not missing.
struct EpochKeyring: Sendable {
  private var held: [EpochID: EpochKey] = [:]
  private(set) var missing = MissingKeys()

  subscript(epoch: EpochID) -> EpochKey? { held[epoch] }

  /// Adds a key whose id the caller has verified.
  mutating func add(_ key: EpochKey) {
    held[key.id] = key
    missing.remove(key.id)
  }

  /// Requests keys with which an author's frames are encrypted. Returns how many of them exceed the
  /// author's limit.
  mutating func request(_ epochs: [EpochID], of author: CertificateHash) -> Int {
    var refused = 0
    for epoch in epochs where held[epoch] == nil {
      if !missing.add(epoch, of: author) { refused += 1 }
    }
    return refused
  }

  /// Requests keys that the control plane requires. Returns false if all were requested already.
  mutating func request(_ epochs: [EpochID]) -> Bool {
    missing.want(epochs.filter { held[$0] == nil })
  }

  /// Returns what to request from one peer next, with those first that satisfy a condition.
  mutating func nextRequests(first isUrgent: (EpochID) -> Bool) -> [EpochID] {
    missing.nextRequests(first: isUrgent)
  }

  /// Returns authors whose further epochs may be requested.
  mutating func takeRefillableAuthors() -> [CertificateHash] { missing.takeRefillable() }
}

/// Exchange of keys with peers and by bundles.
extension EpochKeyring {
  /// Requests missing epoch keys.
  ///
  /// - Parameter author: whose frames are encrypted with them; nil for keys that the control plane
  ///   requires.
  mutating func request(_ epochs: [EpochID], of author: CertificateHash?, context: inout Context) {
    if let author {
      for _ in 0..<request(epochs, of: author) {
        context.bounds.note(.missingKeys, of: author)
      }
    } else if !request(epochs) {
      // Every control frame leads here: peers were asked already.
      return
    }
    for device in context.peers.connected { sendRequests(to: device, context: &context) }
  }

  mutating func sendRequests(to device: DeviceID, context: inout Context) {
    guard context.peers[device]?.sessions.isEmpty == false, !missing.isEmpty else { return }
    let announced = context.roster.announced
    var packet = Packet()
    packet.keyRequests = nextRequests { announced?.contains($0) ?? true }
    context.outbox.add(packet, importance: .control, to: device)
  }

  /// Sends a key to a peer. A key goes only to certified devices that may read and are not revoked,
  /// and only once every revocation that its epoch names is known here.
  mutating func serve(_ epoch: EpochID, to device: DeviceID, context: inout Context) {
    #if Canary
      if Canary.keyForRevoked.isPlanted, let key = self[epoch] {
        var packet = Packet()
        packet.keys = [key]
        return context.outbox.add(packet, importance: .control, to: device)
      }
    #endif
    guard let key = self[epoch], let peer = context.peers[device],
      let certificate = context.roster[peer.certificate],
      context.roster.mayServe(epoch, to: certificate)
    else { return }
    var packet = Packet()
    packet.keys = [key]
    context.outbox.add(packet, importance: .control, to: device)
  }

  mutating func receive(_ key: EpochKey, endpoint: Endpoint, context: inout Context) {
    if !take(key, context: &context) { context.reject(.forged, from: endpoint) }
  }

  /// Accepts a missing key. Returns false if the key does not match its id.
  @discardableResult
  mutating func take(_ key: EpochKey, context: inout Context) -> Bool {
    guard missing.contains(key.id) else { return true }
    guard EpochID(operation: context.local.operation, key: key.key) == key.id else { return false }
    add(key)
    context.effects.append(.store(.epochKey(key)))
    return true
  }

  /// Accepts a key that is missing, like one received from a peer.
  mutating func open(_ carried: BundledKey, context: inout Context) {
    guard missing.contains(carried.epoch),
      let key = SealedBox.open(carried.box, with: context.local.agreementKey)
    else { return }
    take(EpochKey(id: carried.epoch, key: key), context: &context)
  }
}

extension EpochKeyring {
  /// Returns keys for all authorized devices but one, each sealed to one device.
  func bundled(
    _ epochs: [EpochID], upTo limit: Int, to roster: Roster, butNot own: DeviceID,
    random: inout DeterministicRandom
  ) -> [BundledKey] {
    let readers = roster.certificates.values.map(\.certificate)
      .filter { $0.device != own }
      .sorted { $0.device < $1.device }
    var keys: [BundledKey] = []
    for epoch in epochs {
      guard let key = self[epoch] else { continue }
      var last: DeviceID?
      for reader in readers where reader.device != last && roster.mayServe(epoch, to: reader) {
        guard keys.count < limit else { return keys }
        last = reader.device
        let box = SealedBox.seal(
          key.key, to: reader.agreementKey, drawn: random.agreementKey())
        if let box { keys.append(BundledKey(epoch: epoch, device: reader.device, box: box)) }
      }
    }
    return keys
  }
}

extension Roster {
  /// Returns whether a device is authorized for an epoch's key, as far as is known here.
  func mayServe(_ epoch: EpochID, to certificate: Certificate) -> Bool {
    certificate.role.reads && !revoked.contains(certificate.device)
      && !withheld.contains(epoch)
      && announced?.contains(epoch) ?? true
  }
}
