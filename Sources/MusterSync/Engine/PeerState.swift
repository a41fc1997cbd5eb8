internal import MusterModel

/// What is known of one other device.
struct PeerState: Sendable {
  let device: DeviceID
  /// The one that it last proved to hold.
  var certificate: CertificateHash
  /// Local indices of its sessions, newest first: several while handshakes cross.
  var sessions: [UInt32] = []
  /// Where it was heard from last, on a session or by an announce.
  var endpoint: Endpoint
  private(set) var lastHeard: Instant
  /// Since when it has been heard without a gap of `Timing.steadyMilliseconds`.
  private(set) var heardSince: Instant
  /// Since when there has been a session without a gap.
  var connectedSince: Instant?
  var liveness = Liveness.heard
  /// Nil where it follows the same rules; else there is no session with it, and nothing of it is
  /// used.
  var otherRules: OtherRules?
  /// The newest announce, and the link by which it came.
  var announced: (at: Instant, link: LinkID)?
  /// What its wall clock showed when it last said so.
  var clock: ShownClock?
  /// Until then it counts as nobody to keep a session with for its place in a large mesh: to find
  /// that, all others have to be looked at.
  var offPathUntil: Instant?
  /// Datagrams of its sessions, their headers counted.
  var bytesIn: UInt64 = 0
  var bytesOut: UInt64 = 0

  /// What it said, or showed, that it holds.
  var known: [LogID: KnownHead] = [:]
  /// What it has shown by hashes that it holds.
  var confirmations = Confirmations()
  /// Hashes of the records that it sent.
  var knownRecords: [RecordTopic: UInt64] = [:]
  /// Certificates that it was asked for since the last heartbeat, by the first half of each hash.
  var certificatesAsked: Set<Bytes16> = []
  /// Logs of which it sent what does not hold: not taken from it again on this session.
  var refused: Set<LogID> = []
  /// Where its branch of a log parts from the one held is being looked for, or was.
  var searches: [LogID: ForkSearch] = [:]
  var roots: Roots?
  /// How many frames of each lane were held here when its roots were last equal.
  var agreedFrames: [Lane: UInt64] = [:]
  var nextHeartbeat: Instant
  var heartbeatMilliseconds = Timing.heartbeatFirstMilliseconds
  /// How often it may shorten the intervals of heartbeats and announces.
  var resets: Allowance
  var lastDigest: Digested?
  /// When the root of a set was sent to it, to which it has not answered yet.
  var digestsBegun: [SetID: Instant] = [:]
  var lastAnswer: Instant?
  var lastIntroduction: Instant?
  /// Something that one of both sides holds and the other goes on lacking.
  var standstill: Standstill?
  /// When it asked for frames last, and when it handed any over.
  var lastAsked: Instant?
  var lastHanded: Instant?
  var hasNewNeighbours = true
  /// What it may cost in signatures that do not hold.
  var signatures: Allowance

  /// What it is asked for.
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
  }

  static let resetMilliseconds: Int64 = 15_000

  /// Something of its own came, on a session or by an announce.
  mutating func noteWord(now: Instant) {
    if isGap(until: now) { heardSince = now }
    lastHeard = now
  }

  /// Whether it has not been heard for so long that nobody can tell what it does.
  func isGap(until now: Instant) -> Bool {
    now.milliseconds(since: lastHeard) > Timing.steadyMilliseconds
  }

  /// Whether what it is told is thought to arrive.
  var isReachable: Bool {
    if case .silent = liveness { return false }
    return !sessions.isEmpty
  }

  /// The earliest moment at which something is to be done about it; nil without a session.
  var deadline: Instant? {
    guard !sessions.isEmpty else { return nil }
    switch liveness {
    case .heard: return nextHeartbeat
    case .asked(let probe), .silent(let probe): return min(nextHeartbeat, probe.next)
    }
  }

  /// A session is new: roots are compared at once, then less often.
  mutating func quicken(now: Instant) {
    nextHeartbeat = max(nextHeartbeat, now)
    beat(after: Timing.heartbeatFirstMilliseconds, now: now)
  }

  /// Something differed: whether it still does is looked at soon.
  mutating func recheck(now: Instant) { beat(after: Timing.recheckMilliseconds, now: now) }

  private mutating func beat(after milliseconds: Int64, now: Instant) {
    heartbeatMilliseconds = milliseconds
    nextHeartbeat = min(nextHeartbeat, now.advanced(byMilliseconds: milliseconds))
  }
}

/// Whether a peer is known to hear what is said to it.
enum Liveness: Sendable {
  case heard
  /// Something was said that asks for an answer, and none has come yet.
  case asked(Probe)
  /// Several probes were not answered either: other paths are tried.
  case silent(Probe)

  struct Probe: Sendable {
    var next: Instant
    var attempts = 0
  }
}

/// The roots of both sides when a digest was last begun.
struct Digested: Sendable {
  var at: Instant
  var own: Roots
  var theirs: Roots
  /// How often it was begun with these roots.
  var repeats = 0
}

/// How far a peer holds a log, and the set in which that log is compared.
struct KnownHead: Sendable {
  var set: SetID
  var sequence: UInt64
}
