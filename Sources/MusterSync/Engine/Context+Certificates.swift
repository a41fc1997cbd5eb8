internal import MusterCrypto
internal import MusterModel

/// Certificates that several parts require or receive.
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
    peers[device]?.budget.certificatesAsked.insert(key)
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
}
