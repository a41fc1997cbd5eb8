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
extension SyncEngine {
  /// The approximate size of a chain of four certificates in a packet.
  static let chainBytes = 1024

  /// Returns whether certificates may be compared: not while the control logs differ for the first
  /// time, since they are about to deliver them.
  func mayCompareCertificates(_ own: Roots, _ theirs: Roots, of device: DeviceID) -> Bool {
    guard own[.control] != theirs[.control] else { return true }
    guard let last = context.peers[device]?.digests.last else { return false }
    return last.own[.control] == own[.control] && last.theirs[.control] == theirs[.control]
  }

  /// Sends the certificates that a peer is missing, each with those of its issuers.
  mutating func serveCertificates(_ keys: [Bytes16], to device: DeviceID) {
    for key in keys.prefix(Limits.certificateWants) {
      guard let chain = context.roster.chain(of: key) else { continue }
      var packet = Packet()
      packet.chains = [chain]
      context.outbox.add(packet, importance: .control, to: device)
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
    guard certificates.contains(where: { !context.roster.shownHashes.contains($0.hash) }) else {
      return
    }
    guard (1...Limits.certificateChain).contains(certificates.count) else {
      return context.reject(.malformed, from: endpoint)
    }
    let cost = SignatureCost.milliseconds * Int64(certificates.count)
    guard context.peers[device]?.budget.signatures.take(cost, now: context.clock.now) == true else {
      return context.reject(.throttled, from: endpoint)
    }
    guard
      let chain = CertificateChain(
        certificates, operation: context.local.operation, rootKey: context.local.rootKey)
    else { return context.reject(.forged, from: endpoint) }
    context.peers[device]?.budget.signatures.giveBack(cost)
    context.learn(chain)
  }
}
