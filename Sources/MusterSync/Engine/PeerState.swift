internal import MusterModel

/// The state of one other device.
struct PeerState: Sendable {
  let device: DeviceID
  /// The certificate that it last authenticated with.
  var certificate: CertificateHash
  /// Local indices of its sessions, newest first. Simultaneous handshakes create several.
  var sessions: [UInt32] = []
  /// The source address of its last datagram, on a session or of an announce.
  var endpoint: Endpoint
  private(set) var lastHeard: Instant
  /// Since when it has been received without a gap of `Timing.steadyMilliseconds`.
  private(set) var heardSince: Instant
  /// Since when there has been a session without interruption.
  var connectedSince: Instant?
  var liveness = Liveness.heard
  /// Nil if it uses the same rules version. Otherwise there is no session with it, and none of its
  /// data is used.
  var otherRules: OtherRules?
  /// The newest announce, and the link on which it was received.
  var announced: (at: Instant, link: LinkID)?
  /// The wall clock time that it last reported.
  var clock: ShownClock?
  /// Until then the topology of a large mesh requires no session with it. Cached, since the
  /// decision has to look at all devices.
  var offPathUntil: Instant?
  /// Traffic of its sessions in bytes, including headers.
  var bytesIn: UInt64 = 0
  var bytesOut: UInt64 = 0

  /// What it advertised or proved that it holds.
  var known: [LogID: KnownHead] = [:]
  /// What it proved by hashes that it holds.
  var confirmations = Confirmations()
  /// Hashes of the records that it sent.
  var knownRecords: [RecordTopic: UInt64] = [:]
  /// Certificates requested from it since the last heartbeat, by the first half of each hash.
  var certificatesAsked: Set<Bytes16> = []
  /// Logs of which it sent invalid data: not accepted from it again on this session.
  var refused: Set<LogID> = []
  /// Searches for the position at which its branch of a log diverges from the stored one.
  var searches: [LogID: ForkSearch] = [:]
  var roots: Roots?
  /// How many frames of each lane were stored here when its roots were last equal.
  var agreedFrames: [Lane: UInt64] = [:]
  var nextHeartbeat: Instant
  var heartbeatMilliseconds = Timing.heartbeatFirstMilliseconds
  /// Limits how often it may shorten the intervals of heartbeats and announces.
  var resets: Allowance
  var lastDigest: Digested?
  /// When the root of a set was sent to it without an answer so far.
  var digestsBegun: [SetID: Instant] = [:]
  var lastAnswer: Instant?
  var lastIntroduction: Instant?
  /// Data that one side holds and the other keeps missing.
  var standstill: Standstill?
  /// When it last requested frames, and when it last delivered any.
  var lastAsked: Instant?
  var lastHanded: Instant?
  var hasNewNeighbours = true
  /// Limits the cost of invalid signatures from it.
  var signatures: Allowance
  /// For the signatures of membership evidence, valid or not.
  var evidenceSignatures: Allowance

  /// What is requested from it.
  var pulling = PeerPulls()

  init(device: DeviceID, certificate: CertificateHash, endpoint: Endpoint, now: Instant) {
    self.device = device
    self.certificate = certificate
    self.endpoint = endpoint
    lastHeard = now
    heardSince = now
    nextHeartbeat = now.advanced(byMilliseconds: Timing.heartbeatFirstMilliseconds)
    resets = Allowance(saving: Self.resetMilliseconds * 8, now: now)
    signatures = Allowance(saving: SignatureCost.milliseconds * SignatureCost.burst, now: now)
    evidenceSignatures = signatures
  }

  static let resetMilliseconds: Int64 = 15_000

  /// Records that something of its own arrived, on a session or in an announce.
  mutating func noteWord(now: Instant) {
    if isGap(until: now) { heardSince = now }
    lastHeard = now
  }

  /// Returns whether it has not been received for so long that its state is unknown.
  func isGap(until now: Instant) -> Bool {
    now.milliseconds(since: lastHeard) > Timing.steadyMilliseconds
  }

  /// Whether messages to it are expected to arrive.
  var isReachable: Bool {
    if case .silent = liveness { return false }
    return !sessions.isEmpty
  }

  /// The next deadline of this peer; nil without a session.
  var deadline: Instant? {
    guard !sessions.isEmpty else { return nil }
    switch liveness {
    case .heard: return nextHeartbeat
    case .asked(let probe), .silent(let probe): return min(nextHeartbeat, probe.next)
    }
  }

  /// Schedules frequent root comparisons at the start of a session; they become rarer afterwards.
  mutating func quicken(now: Instant) {
    nextHeartbeat = max(nextHeartbeat, now)
    beat(after: Timing.heartbeatFirstMilliseconds, now: now)
  }

  /// Schedules an early root comparison because something differed.
  mutating func recheck(now: Instant) { beat(after: Timing.recheckMilliseconds, now: now) }

  private mutating func beat(after milliseconds: Int64, now: Instant) {
    heartbeatMilliseconds = milliseconds
    nextHeartbeat = min(nextHeartbeat, now.advanced(byMilliseconds: milliseconds))
  }
}

/// Whether a peer is known to receive what is sent to it.
enum Liveness: Sendable {
  case heard
  /// A message that requires an answer was sent, and none has been received yet.
  case asked(Probe)
  /// Several probes were not answered: other paths are tried.
  case silent(Probe)

  struct Probe: Sendable {
    var next: Instant
    var attempts = 0
  }
}

/// The roots of both sides when the last digest exchange began.
struct Digested: Sendable {
  var at: Instant
  var own: Roots
  var theirs: Roots
  /// How often an exchange began with these roots.
  var repeats = 0
}

/// How much of a log a peer holds, and the set in which that log is compared.
struct KnownHead: Sendable {
  var set: SetID
  var sequence: UInt64
}
