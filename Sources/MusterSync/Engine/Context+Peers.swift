internal import MusterModel

/// What several parts ask about peers, and send to them.
extension Context {
  /// Creates the state of a certified device at first contact. Returns false if there is no room,
  /// or if it is this device itself.
  mutating func meet(
    _ device: DeviceID, certificate: CertificateHash, at endpoint: Endpoint
  ) -> Bool {
    device != local.device
      && peers.meet(device, certificate: certificate, at: endpoint, now: now)
  }

  /// Starts probing after a message that requires an answer.
  mutating func expectAnswer(from device: DeviceID) {
    guard case .responsive = peers[device]?.heartbeat.liveness,
      peers[device]?.sessions.isEmpty == false
    else { return }
    let wait = Heartbeat.probeWait(
      0, tries: tries(to: device), patience: outbox.links.patienceMilliseconds)
    let next = now.advanced(byMilliseconds: wait)
    peers[known: device].heartbeat.startProbing(at: next)
    deadlines.schedule(.peer(device), at: next)
  }

  /// Postpones the first probe of a peer while everything for it waits for the link, so that no
  /// answer is late. Returns whether it does.
  mutating func postponesProbe(of device: DeviceID) -> Bool {
    guard outbox.links.isPaced, outbox.hasSentNothing(of: device),
      case .asked(let probe) = peers[known: device].heartbeat.liveness, probe.attempts == 0,
      probe.next <= now
    else { return false }
    peers[known: device].heartbeat.liveness = .responsive
    expectAnswer(from: device)
    return true
  }

  /// Schedules the next heartbeat or probe of a peer with a session.
  mutating func scheduleTending(of device: DeviceID) {
    if let deadline = peers[device]?.deadline { deadlines.schedule(.peer(device), at: deadline) }
  }

  /// Returns the expected number of transmissions until a message to a peer arrives.
  func tries(to device: DeviceID) -> Int64 {
    outbox.sendQueues[device].map { LossMeter.tries($0.path.receivedLoss.percent) } ?? 1
  }

  /// Records a datagram received on a session.
  mutating func recordActivity(_ device: DeviceID) {
    peers[known: device].presence.recordActivity(now: clock.now)
    peers[known: device].heartbeat.liveness = .responsive
  }

  /// Returns whether this peer's announces are received, and replace heartbeats.
  func announcesServe(of peer: PeerState) -> Bool {
    announcesServe(since: peer.presence.announced?.at)
  }

  /// Whether a device is in range: it answers on a session, or its announces are received.
  func isReceived(_ device: DeviceID) -> Bool {
    peers[device].map { $0.isReachable || announcesServe(of: $0) } ?? false
  }

  /// Returns how a device is received by multicast, and is assumed to receive ours; nil if it is
  /// not. One look at its state, since every push looks at every peer.
  func reception(of device: DeviceID) -> Reception? {
    guard let presence = peers[device]?.presence, let announced = presence.announced,
      announcesServe(since: announced.at)
    else { return nil }
    let isRecent =
      presence.isAnnounced(lately: now)
      && (roster.revoked.isEmpty || !roster.revoked.contains(device))
    return Reception(link: announced.link, isRecent: isRecent)
  }

  /// How narrow the links are for the devices that are received, 0 to 1000 (`LinkPaces`).
  var narrowness: Int64 { outbox.links.narrowness(receivers: peers.crowd) }

  /// The longest random delay of a connection to an announcer: later with more receivers of the
  /// same announce. On narrow links, which devices need a session is known once all have been
  /// received.
  var longestContactMilliseconds: Int64 {
    Timing.contactHintMilliseconds + 5 * Int64(peers.crowd)
      + outbox.links.patienceMilliseconds * Int64(max(peers.crowd, Limits.smallMesh)) / 2
      * narrowness / 1000
  }

  /// The user of a device, by the certificate with which it last authenticated.
  func user(of device: DeviceID) -> UserID? {
    peers[device].flatMap { roster[$0.certificate]?.user }
  }

  func announcesServe(since announced: Instant?) -> Bool {
    guard let announced else { return false }
    let limit =
      peers.count <= Limits.smallMesh
      ? Timing.announceServesMilliseconds : Timing.announceServesManyMilliseconds
    return now.milliseconds(since: announced) < limit
  }

  mutating func sendRoots(to device: DeviceID, asksForAnswer: Bool) {
    let packet = Packet(roots: logs.roots(), clock: clock.wall, asksForAnswer: asksForAnswer)
    outbox.add(packet, importance: .control, to: device)
  }

  /// Confirms the finish of a handshake on its session, which need not be the one in use.
  mutating func confirmFinish(on index: UInt32) {
    guard let session = sessions[index] else { return }
    let packet = Packet(roots: logs.roots(), clock: clock.wall, asksForAnswer: false)
    transmit(packet, on: index, to: .endpoint(session.endpoint, session.link))
  }

  /// Sends the roots to every peer with a session.
  mutating func sendRootsToAll() {
    for device in peers.connected { sendRoots(to: device, asksForAnswer: false) }
  }

  /// Answers a probe, with a rate limit.
  mutating func answerProbe(of device: DeviceID) {
    if let last = peers[known: device].heartbeat.lastAnswer,
      now.milliseconds(since: last) < Timing.answerMilliseconds
    {
      return
    }
    peers[known: device].heartbeat.lastAnswer = clock.now
    sendRoots(to: device, asksForAnswer: false)
  }

  /// Whether a device last authenticated as a command device.
  func isCommand(_ device: DeviceID) -> Bool {
    peers[device].flatMap { roster.certificates[$0.certificate] }?.certificate.role == .command
  }

  /// Returns the session to send on: the one with the most recent datagram. Simultaneous handshakes
  /// create several sessions to one address, and both sides choose the one with the lower index
  /// pair. If each followed the last datagram, late answers would make them alternate, and each
  /// change retransmits everything in flight. Another address may belong to a clone.
  func liveSession(of device: DeviceID) -> UInt32? {
    guard let indices = peers[device]?.sessions else { return nil }
    guard indices.count > 1 else { return indices.first }
    let all = indices.compactMap { sessions[$0] }
    let latest = all.max {
      ($0.lastReceived, $0.establishedAt) < ($1.lastReceived, $1.establishedAt)
    }
    guard let latest else { return nil }
    let late = outbox.sendQueues[device]?.path.roundTrip.smoothed ?? 0
    let agreed = all.filter {
      $0.endpoint == latest.endpoint && $0.unconfirmedFinish == nil
        && latest.lastReceived.microseconds(since: $0.lastReceived)
          <= Timing.settlingMilliseconds * 1000 + 2 * late
    }
    return (agreed.min { $0.sharedOrder < $1.sharedOrder } ?? latest).localIndex
  }

  /// Returns whether a signature from a peer may be verified. The cost of a valid one is refunded.
  /// False for a device that sent frames without a session and has made room for others since.
  mutating func maySpendSignature(_ device: DeviceID) -> Bool {
    guard peers[device] != nil else { return false }
    return peers[known: device].budget.signatures.take(SignatureCost.milliseconds, now: now)
  }

  mutating func payBackSignature(_ device: DeviceID) {
    peers[known: device].budget.signatures.giveBack(SignatureCost.milliseconds)
  }

  /// Records how much of a log a peer proved to hold.
  mutating func remember(_ log: LogID, through sequence: UInt64, of device: DeviceID) {
    let known = peers[known: device].holdings.logs[log]
    let set = logs[log].map { SetID($0.opening.lane) } ?? known?.set ?? .state
    remember(
      log, KnownHead(set: set, sequence: max(sequence, known?.sequence ?? 0)), of: device)
  }

  mutating func remember(_ log: LogID, _ head: KnownHead, of device: DeviceID) {
    let isKnown = peers[known: device].holdings.logs[log] != nil
    guard isKnown || peers[known: device].holdings.logs.count < Limits.knownHeads else { return }
    peers[known: device].holdings.logs[log] = head
  }

  /// Returns whether frames of a log are accepted from a peer: not while they cannot be verified,
  /// and not after invalid ones.
  func isWelcome(_ log: LogID, from device: DeviceID) -> Bool {
    !logs.strands.isUnverifiable(log)
      && peers[device]?.branches.refused.contains(log) == false
  }

  /// Records that a peer did not deliver what it advertised, after several requests. The
  /// advertisement is discarded, so that requests end; the failure is not.
  mutating func noteUnanswered(_ log: LogID, by device: DeviceID) {
    guard let peer = peers[device], peer.stall.stall == nil,
      let known = peer.holdings.logs[log],
      !peer.branches.refused.contains(log), known.set != .quarantine,
      logs.isBehind(of: log, by: known.sequence)
    else { return }
    peers[known: device].stall.noteUnanswered(log, through: known.sequence, at: clock.now)
  }

  /// Returns the next retransmission: after 250 ms, doubling to 2 s, and later on a slow link.
  func nextAttempt(after attempts: Int) -> Instant {
    let wait = min(
      Timing.handshakeFirstMilliseconds << Int64(min(attempts - 1, 8)),
      Timing.handshakeLastMilliseconds)
    return now.advanced(byMilliseconds: wait + outbox.links.patienceMilliseconds)
  }

  /// The longest interval of heartbeats to peers whose announces are not received: they are not on
  /// this link, so that the path to them may pass a NAT.
  var longestUnicastHeartbeat: Int64 {
    // Beyond this number, the rest of thousands changes nothing.
    let most = Int(Timing.heartbeatLastMilliseconds / Timing.heartbeatMillisecondsPerPeer)
    let count = peers.connected.lazy
      .filter { !announcesServe(since: peers[$0]?.presence.announced?.at) }.prefix(most).count
    return max(
      Timing.heartbeatThroughNATMilliseconds, Timing.heartbeatMillisecondsPerPeer * Int64(count))
  }

  /// When a session ends unless something is received before, or its finish is due.
  func deadline(of session: Session) -> Instant {
    guard case .device(let device) = session.peer else {
      return session.deadline(silence: Timing.joinerMilliseconds)
    }
    let isSpare = peers[known: device].sessions.count > 1
    return session.deadline(
      // An announce shows that its device is up; probes find out whether it still receives.
      announced: peers[known: device].presence.announced?.at,
      silence: isSpare ? Timing.spareMilliseconds : Timing.silenceMilliseconds)
  }
}

/// How a device is received by multicast.
struct Reception: Sendable {
  let link: LinkID
  /// Whether it is not revoked, and was received within two of its intervals.
  let isRecent: Bool
}
