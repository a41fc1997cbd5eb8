internal import MusterModel

/// The state of one other device, in parts that each belong to one part of the engine.
struct PeerState: Sendable {
  let device: DeviceID
  /// The certificate that it last authenticated with.
  var certificate: CertificateHash
  /// Local indices of its sessions, newest first. Simultaneous handshakes create several.
  var sessions: [UInt32] = []
  var presence: Presence
  var topology = PeerTopology()
  var heartbeat: Heartbeat
  var holdings = PeerHoldings()
  var digests = DigestHistory()
  var branches = PeerBranches()
  /// What is requested from it.
  var pulling = PeerPulls()
  var budget: PeerBudget
  var stall = StallWatch()

  init(device: DeviceID, certificate: CertificateHash, endpoint: Endpoint, now: Instant) {
    self.device = device
    self.certificate = certificate
    presence = Presence(at: endpoint, now: now)
    heartbeat = Heartbeat(now: now)
    budget = PeerBudget(now: now)
  }

  /// Adds a session.
  ///
  /// - Returns: the sessions that make room for it.
  mutating func connect(
    _ index: UInt32, certificate: CertificateHash, at endpoint: Endpoint, now: Instant
  ) -> [UInt32] {
    let wasConnected = !sessions.isEmpty
    sessions.insert(index, at: 0)
    var evicted: [UInt32] = []
    while sessions.count > Limits.sessionsPerPeer { evicted.append(sessions.removeLast()) }
    self.certificate = certificate
    presence.endpoint = endpoint
    presence.recordSession(now: now)
    heartbeat.liveness = .responsive
    branches.refused = []
    budget.certificatesAsked = []
    holdings.roots = nil
    digests = DigestHistory()
    topology.hasNewNeighbours = true
    // Both sides send their roots now.
    if !wasConnected { heartbeat.next = Contact.never }
    heartbeat.quicken(now: now)
    return evicted
  }

  /// Removes a session. Returns whether it was the last one.
  mutating func disconnect(_ index: UInt32) -> Bool {
    sessions.removeAll { $0 == index }
    guard sessions.isEmpty else { return false }
    presence.connectedSince = nil
    heartbeat.liveness = .responsive
    return true
  }

  /// Whether messages to it are expected to arrive.
  var isReachable: Bool {
    if case .silent = heartbeat.liveness { return false }
    return !sessions.isEmpty
  }

  /// The next deadline of this peer; nil without a session.
  var deadline: Instant? { sessions.isEmpty ? nil : heartbeat.deadline }
}

/// What a peer holds, as far as it has advertised or proved it.
struct PeerHoldings: Sendable {
  /// How much of each log it advertised or proved. At most `Limits.knownHeads`.
  var logs: [LogID: KnownHead] = [:]
  /// What it proved by hashes that it holds.
  var confirmations = Confirmations()
  /// Hashes of the records that it sent. At most `Limits.knownRecords`, and those of stored ones.
  var records: [RecordTopic: UInt64] = [:]
  var roots: Roots?
  /// When it stated them last.
  var rootsAt = Instant(microseconds: .min)
  /// How many frames of each lane were stored here when its roots were last equal.
  var agreedFrames: [Lane: UInt64] = [:]
}

/// How much of a log a peer holds, and the set in which that log is compared.
struct KnownHead: Sendable {
  var set: SetID
  var sequence: UInt64
}

/// The digest exchanges with a peer.
struct DigestHistory: Sendable {
  var last: Digested?
  /// When a comparison of records last began.
  var records: Instant?
  /// When the root of a set was sent to it without an answer so far.
  var begun: [SetID: Instant] = [:]
}

/// The roots of both sides when the last digest exchange began.
struct Digested: Sendable {
  var at: Instant
  var own: Roots
  var theirs: Roots
  /// How often an exchange began with these roots.
  var repeats = 0
}

/// Logs of which a peer may hold other frames than those that are stored.
struct PeerBranches: Sendable {
  /// Logs of which it sent invalid data: not accepted from it again on this session. At most
  /// `Limits.knownHeads`.
  var refused: Set<LogID> = []
  /// Searches for the position at which its branch of a log diverges from the stored one. At most
  /// `Limits.forkSearches`.
  var searches: [LogID: ForkSearch] = [:]
}

/// Rate limits of what one peer may cost.
struct PeerBudget: Sendable {
  /// Limits the cost of invalid signatures from it.
  var signatures: RateLimiter
  /// For the signatures of membership evidence, valid or not.
  var evidenceSignatures: RateLimiter
  /// Certificates requested from it since the last heartbeat, by the first half of each hash.
  var certificatesAsked: Set<Bytes16> = []

  init(now: Instant) {
    signatures = RateLimiter(saving: SignatureCost.milliseconds * SignatureCost.burst, now: now)
    evidenceSignatures = signatures
  }
}

/// Whether a session with a peer is needed, and what it knows of other peers.
struct PeerTopology: Sendable {
  /// Nil if it uses the same rules version. Otherwise there is no session with it, and none of its
  /// data is used.
  var otherRules: OtherRules?
  /// Until then the topology of a large mesh requires no session with it. Cached, since the
  /// decision has to look at all devices.
  var offPathUntil: Instant?
  var lastIntroduction: Instant?
  var hasNewNeighbours = true
}
