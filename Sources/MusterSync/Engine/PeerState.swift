internal import MusterModel

/// What is known of one other device.
struct PeerState: Sendable {
  let device: DeviceID
  /// The one that it last proved to hold.
  var certificate: CertificateHash
  /// Local indices of its sessions, newest first; at most two, while handshakes cross.
  var sessions: [UInt32] = []
  var endpoint: Endpoint
  var lastHeard: Instant

  /// What it said, or showed, that it holds.
  var known: [LogID: KnownHead] = [:]
  /// What it has shown by hashes that it holds.
  var confirmations = Confirmations()
  /// Logs of which it sent what does not hold: not taken from it again on this session.
  var refused: Set<LogID> = []
  var roots: Roots?
  var nextHeartbeat: Instant
  var heartbeatMilliseconds = Timing.heartbeatFirstMilliseconds
  var lastDigest: Instant?

  /// What it is asked for.
  var pulling = PeerPulls()

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

/// How far a peer holds a log, and the set in which that log is compared.
struct KnownHead: Sendable {
  var set: SetID
  var sequence: UInt64
}

/// An address that is worth trying.
struct Contact: Sendable {
  var device: DeviceID?
  var nextAttempt: Instant
  var backoffMilliseconds = Timing.contactFirstMilliseconds
  /// Nil for an address that the user gave, or at which a device proved to be: it is tried for
  /// ever. One that was only heard may be a forged source, and is given up after so many tries.
  var attemptsLeft: Int?
}
