internal import MusterCrypto
internal import MusterModel

/// Devices with another rules version (`RulesVersion`): they are listed, and no data is exchanged
/// with them.
///
///     announce, handshake of another version ─▶ no session: listed, retried much later
///                    └▶ a session answers: it is probed first
///     announce, handshake of the same version ─▶ handled like any other device
extension SyncEngine {
  /// Records that a device uses another rules version, proved by a signed announce or a handshake.
  /// Its certificate is stored; none of its other data is used.
  mutating func meet(
    _ device: DeviceID, certificate: CertificateHash, withOther rules: RulesVersion,
    at endpoint: Endpoint
  ) {
    guard device != context.local.device else { return }
    // A session is newer proof than an announce, which may be replayed. If the other process
    // restarted with other rules, it no longer answers.
    guard context.peers[device]?.isReachable != true else {
      if case .responsive = context.peers[device]?.heartbeat.liveness { probeNow(device) }
      return
    }
    let isNew = context.peers[device]?.topology.otherRules?.version != rules
    guard context.meet(device, certificate: certificate, at: endpoint) else { return }
    let mark = OtherRules(
      version: rules, nextTry: context.now.advanced(byMilliseconds: Timing.otherRulesMilliseconds))
    context.peers[known: device].topology.otherRules = mark
    for index in context.peers[known: device].sessions { close(index) }
    var peer = PeerState(
      device: device, certificate: certificate, endpoint: endpoint, now: context.now)
    peer.topology.otherRules = mark
    context.peers[device] = peer
    // The device belongs to the operation, so the uplink need not be re-established.
    if endpoint.isUplink { context.effects.append(.notice(.uplinkProven(endpoint, device))) }
    if isNew, let need = UpdateNeed(own: context.local.rulesVersion, peer: rules) {
      context.effects.append(.notice(.needsUpdate(need, device, endpoint)))
    }
  }
}

/// The rules version of a device with which nothing is synchronized.
struct OtherRules: Sendable {
  let version: RulesVersion
  /// When its addresses are tried again, in case it was updated and is not received.
  var nextTry: Instant
}
