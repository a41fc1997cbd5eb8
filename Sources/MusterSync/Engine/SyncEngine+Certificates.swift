internal import MusterCrypto
internal import MusterModel

/// Reconciling certificates, as a set of their own.
///
/// A certificate usually comes with its issuer's control log. Where that log is out of reach, a
/// device that was admitted elsewhere would be unknown, and what it writes would stop at the first
/// peer that has not met it. So peers compare the certificates that they hold:
///
///     roots differ in set 7 ─▶ digest ─▶ want ─▶ chain up to the root ─▶ verified ─▶ store
///     frames or records of an unknown author ─▶ want, of whoever sent them
///
/// The first is for what nobody has asked for yet and waits until control logs agree, or make no
/// progress: they bring most certificates by themselves. The second takes one round trip.
extension SyncEngine {
  /// What a chain of four takes in a packet, about.
  static let chainBytes = 1024

  /// Keeps the trie of certificates in step with the roster.
  mutating func refileCertificates(after old: Roster?) {
    let before = old?.shownHashes ?? []
    for hash in before.subtracting(roster.shownHashes) { shelf.remove(certificate: hash) }
    for hash in roster.shownHashes.subtracting(before) { shelf.set(certificate: hash) }
  }

  /// Whether to look for certificates that differ: not while the control logs differ for the first
  /// time, since they are about to bring them.
  func mayCompareCertificates(_ own: Roots, _ theirs: Roots, of device: DeviceID) -> Bool {
    guard own[.control] != theirs[.control] else { return true }
    guard let last = peers[device]?.lastDigest else { return false }
    return last.own[.control] == own[.control] && last.theirs[.control] == theirs[.control]
  }

  /// Asks a peer for the certificate of an author that is not known.
  mutating func wantCertificate(_ hash: CertificateHash, from device: DeviceID) {
    guard hash != .root else { return }
    wantCertificate(hash.raw.prefix, from: device)
  }

  /// - Parameter key: the first half of its hash.
  mutating func wantCertificate(_ key: Bytes16, from device: DeviceID) {
    guard shelf.hint(of: .certificates, key: key) == nil, let peer = peers[device],
      !peer.sessions.isEmpty, !peer.certificatesAsked.contains(key),
      peer.certificatesAsked.count < Limits.certificateWants
    else { return }
    peers[device]?.certificatesAsked.insert(key)
    var packet = Packet()
    packet.certificateWants = [key]
    outbox.add(packet, importance: .control, to: device)
  }

  /// Sends certificates that a peer lacks, each with those of its issuers.
  mutating func serveCertificates(_ keys: [Bytes16], to device: DeviceID) {
    for key in keys.prefix(Limits.certificateWants) {
      guard let chain = roster.chain(of: key) else { continue }
      var packet = Packet()
      packet.chains = [chain]
      outbox.add(packet, importance: .control, to: device)
    }
  }

  /// Takes certificates that a peer sent. They prove themselves by their signatures up to the root;
  /// a peer pays for those that do not.
  mutating func receive(
    chain certificates: [SignedCertificate], from device: DeviceID, endpoint: Endpoint
  ) {
    #if Canary
      if Canary.ignoreHandedCertificates.isPlanted { return }
    #endif
    guard certificates.contains(where: { !roster.shownHashes.contains($0.hash) }) else { return }
    guard (1...Limits.certificateChain).contains(certificates.count) else {
      return reject(.malformed, from: endpoint)
    }
    let cost = SignatureCost.milliseconds * Int64(certificates.count)
    guard peers[device]?.signatures.take(cost, now: clock.now) == true else {
      return reject(.throttled, from: endpoint)
    }
    guard
      let chain = CertificateChain(
        certificates, operation: local.operation, rootKey: local.rootKey)
    else { return reject(.forged, from: endpoint) }
    peers[device]?.signatures.giveBack(cost)
    learn(chain)
  }
}
