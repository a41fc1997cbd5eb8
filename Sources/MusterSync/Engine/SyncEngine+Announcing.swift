internal import MusterCrypto
internal import MusterModel

/// When the next announce is due: an interval that doubles while nothing changes (RFC 6206), each
/// announce at a random moment of its second half.
struct AnnounceTimer: Sendable {
  private(set) var counter: UInt64
  private(set) var next: Instant
  private var intervalMilliseconds = Timing.announceFirstMilliseconds
  private var intervalStart: Instant

  init(counter: UInt64, now: Instant) {
    self.counter = counter
    next = now
    intervalStart = now
  }

  mutating func reset(now: Instant) {
    intervalMilliseconds = Timing.announceFirstMilliseconds
    intervalStart = now
    next = now
  }

  /// Something of this device's own is new: the next announce need not wait out a long interval.
  mutating func quicken(now: Instant) {
    let soon = now.advanced(byMilliseconds: Timing.announceFirstMilliseconds)
    guard next > soon else { return }
    intervalMilliseconds = Timing.announceFirstMilliseconds
    intervalStart = now
    next = soon
  }

  /// Counts an announce that is being sent, and draws the moment of the one after.
  mutating func advance(now: Instant, random: inout DeterministicRandom) -> UInt64 {
    counter += 1
    let end = max(now, intervalStart.advanced(byMilliseconds: intervalMilliseconds))
    intervalMilliseconds = min(intervalMilliseconds * 2, Timing.announceLastMilliseconds)
    intervalStart = end
    let half = intervalMilliseconds / 2
    next = end.advanced(byMilliseconds: half + Int64(random.uniform(below: UInt64(half))))
    return counter
  }
}

extension SyncEngine {
  mutating func announceIfDue() {
    guard announcing.next <= now else { return }
    let counter = announcing.advance(now: now, random: &random)
    let ownTopic = RecordTopic(
      operation: local.operation, certificate: local.certificate.hash, kind: .position)
    let announce = Announce(
      certificate: local.certificate.hash, incarnation: incarnation, counter: counter,
      roots: shelf.roots(), heads: shelf.recentHints, position: records[ownTopic])
    let sealed = announce.sealed(
      operation: local.operation, networkKey: local.networkKey, nonce: random.nonce24(),
      signedBy: local.signingKey)
    transmit([DatagramKind.announce.rawValue] + sealed, to: .multicast(nil))
  }

  mutating func receiveAnnounce(
    _ bytes: ArraySlice<UInt8>, from endpoint: Endpoint
  ) throws(WireError) {
    guard
      let unverified = try Announce.Unverified(
        opening: bytes, operation: local.operation, networkKey: local.networkKey)
    else { return reject(.unauthenticated, from: endpoint) }
    let announce = unverified.announce
    guard announce.certificate != local.certificate.hash else { return }
    guard let certificate = roster[announce.certificate] else {
      // First contact: somebody with the network key whose certificate has not come yet.
      return hearContact(endpoint, device: nil)
    }
    guard unverified.isSigned(by: certificate.signingKey) else { throw .forged("announce") }
    let device = certificate.device
    guard isFresh(announce) else { return reject(.replayed, from: endpoint) }
    hearContact(endpoint, device: device)
    guard liveSession(of: device) != nil else {
      contacts[endpoint]?.nextAttempt = now
      return tryContacts()
    }
    if let position = announce.position { receive(position, from: device, endpoint: endpoint) }
    let lacked = announce.heads.filter { hint in
      next(of: LogID(raw: hint.key)) <= UInt64(hint.number)
    }
    for hint in announce.heads { noteHead(hint, of: device) }
    if lacked.isEmpty { compare(announce.roots, of: device) } else { continuePulls(from: device) }
  }

  /// Whether it is newer than every one heard of this life of this device's database, so that a
  /// recorded announce does nothing when it is sent again.
  private mutating func isFresh(_ announce: Announce) -> Bool {
    let author = Announcer(certificate: announce.certificate, incarnation: announce.incarnation)
    guard announced[author].map({ announce.counter > $0 }) ?? (announced.count < Limits.announcers)
    else { return false }
    announced[author] = announce.counter
    return true
  }
}

/// One life of one device's database, as an announce names it.
struct Announcer: Hashable, Sendable {
  let certificate: CertificateHash
  let incarnation: Incarnation
}
