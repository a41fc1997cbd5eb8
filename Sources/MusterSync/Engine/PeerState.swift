internal import MusterModel

/// What is known of one other device.
struct PeerState: Sendable {
  let device: DeviceID
  let certificate: CertificateHash
  /// Local indices of its sessions, newest first; at most two, while handshakes cross.
  var sessions: [UInt32] = []
  var endpoint: Endpoint
  var lastHeard: Instant
  /// The greatest counter of its announces in this incarnation of it.
  var announced: (incarnation: Incarnation, counter: UInt64)?

  /// What it said that it holds, by set.
  var known: [SetID: [Bytes16: LeafHint]] = [:]
  var roots: Roots?
  var nextHeartbeat: Instant
  var heartbeatMilliseconds = Timing.heartbeatFirstMilliseconds
  var lastDigest: Instant?

  /// Frames of this peer that wait for the one before, or for the signature that proves them.
  var reassembly: [LogID: [UInt64: RunFrame]] = [:]
  /// Logs to pull from it, once what it was asked for has come.
  var queue: [LogID] = []
  var outstandingCredit = 0

  init(device: DeviceID, certificate: CertificateHash, endpoint: Endpoint, now: Instant) {
    self.device = device
    self.certificate = certificate
    self.endpoint = endpoint
    lastHeard = now
    nextHeartbeat = now.advanced(byMilliseconds: Timing.heartbeatFirstMilliseconds)
  }

  mutating func quicken(now: Instant) {
    heartbeatMilliseconds = Timing.heartbeatFirstMilliseconds
    nextHeartbeat = min(nextHeartbeat, now.advanced(byMilliseconds: heartbeatMilliseconds))
  }
}

/// An address that is worth trying.
struct Contact: Sendable {
  var device: DeviceID?
  var nextAttempt: Instant
  var backoffMilliseconds = Timing.contactFirstMilliseconds
}

/// Frames of one log that one peer was asked for.
struct Pull: Sendable {
  let device: DeviceID
  /// The newest sequence that the peer said it holds.
  var through: UInt64
  var credit: Int
  var deadline: Instant
  var attempts = 0
}
