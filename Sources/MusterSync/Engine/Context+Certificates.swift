internal import MusterCrypto
internal import MusterModel

/// Reconciliation of certificates, as a separate set.
///
/// A certificate usually arrives with its issuer's control log. If that log is out of reach, a
/// device that was admitted elsewhere would be unknown, and its writes would stop at the first peer
/// that has not met it. Therefore peers compare the certificates that they store:
///
///     roots differ in set 7 ─▶ digest ─▶ want ─▶ chain up to the root ─▶ verified ─▶ store
///     frames or records of an unknown author ─▶ want, from the peer that sent them
///
/// The first waits until the control logs agree, or make no progress, because they contain most
/// certificates. The second takes one round trip.
extension Context {
  /// Requests the certificate of an unknown author.
  mutating func wantCertificate(_ hash: CertificateHash, from device: DeviceID) {
    guard hash != .root else { return }
    wantCertificate(hash.raw.prefix, from: device)
  }

  /// - Parameter key: the first half of its hash.
  mutating func wantCertificate(_ key: Bytes16, from device: DeviceID) {
    guard logs.hint(of: .certificates, key: key) == nil, let peer = peers[device],
      !peer.sessions.isEmpty, !peer.budget.certificatesAsked.contains(key),
      peer.budget.certificatesAsked.count < Limits.certificateWants
    else { return }
    peers[known: device].budget.certificatesAsked.insert(key)
    var packet = Packet()
    packet.certificateWants = [key]
    outbox.add(packet, importance: .control, to: device)
  }

  /// Updates the trie of certificates after a change of the roster.
  mutating func refileCertificates(after old: Roster?) {
    let before = old?.shownHashes ?? []
    for hash in before.subtracting(roster.shownHashes) {
      logs.remove(certificate: hash)
    }
    for hash in roster.shownHashes.subtracting(before) {
      logs.set(certificate: hash)
    }
  }

  /// Stores the certificates that a handshake or an announce proved. The control log that contains
  /// them may be out of reach.
  mutating func learn(_ chain: CertificateChain) {
    guard chain.certificates.contains(where: { !roster.shownHashes.contains($0.hash) })
    else {
      return
    }
    effects.append(.store(.chain(chain.certificates)))
  }

  /// Accepts the certificates of a bundle, if they are valid up to the root.
  mutating func receive(carried certificates: [SignedCertificate]) {
    guard
      let chain = CertificateChain(
        certificates, operation: local.operation, rootKey: local.rootKey)
    else { return effects.append(.notice(.carried(.refusedChain))) }
    learn(chain)
  }

  /// The approximate size of a chain of four certificates in a packet.
  static let chainBytes = 1024

  /// Returns whether certificates may be compared: not while the control logs differ for the first
  /// time, since they are about to deliver them.
  func mayCompareCertificates(_ own: Roots, _ theirs: Roots, of device: DeviceID) -> Bool {
    guard own[.control] != theirs[.control] else { return true }
    guard let last = peers[device]?.digests.last else { return false }
    return last.own[.control] == own[.control] && last.theirs[.control] == theirs[.control]
  }

  /// Sends the certificates that a peer is missing, each with those of its issuers.
  mutating func serveCertificates(_ keys: [Bytes16], to device: DeviceID) {
    for key in keys.prefix(Limits.certificateWants) {
      guard let chain = roster.chain(of: key) else { continue }
      var packet = Packet()
      packet.chains = [chain]
      outbox.add(packet, importance: .control, to: device)
    }
  }

  /// Accepts certificates whose signatures are valid up to the root. The peer is charged for all
  /// others.
  mutating func receive(
    chain certificates: [SignedCertificate], from device: DeviceID, endpoint: Endpoint
  ) {
    #if Canary
      if Canary.ignoreHandedCertificates.isPlanted { return }
    #endif
    guard certificates.contains(where: { !roster.shownHashes.contains($0.hash) }) else {
      return
    }
    guard (1...Limits.certificateChain).contains(certificates.count) else {
      return reject(.malformed, from: endpoint)
    }
    let cost = SignatureCost.milliseconds * Int64(certificates.count)
    guard peers[known: device].budget.signatures.take(cost, now: clock.now) else {
      return reject(.throttled, from: endpoint)
    }
    guard
      let chain = CertificateChain(
        certificates, operation: local.operation, rootKey: local.rootKey)
    else { return reject(.forged, from: endpoint) }
    peers[known: device].budget.signatures.giveBack(cost)
    learn(chain)
  }
}
