internal import MusterModel

/// Heartbeats with roots on every session, rare while nothing changes; and probes, which detect
/// within seconds that a peer does not receive what is sent to it.
///
///     sent ─▶ asked ── answer ─▶ answered
///               └─ four probes lost ─▶ silent: other paths are tried ── answer ─▶ answered
///                                        └─ nothing for minutes ─▶ the session ends
extension SyncEngine {
  /// Starts probing after a message that requires an answer.
  mutating func expectAnswer(from device: DeviceID) {
    guard case .heard = context.peers[device]?.liveness,
      context.peers[device]?.sessions.isEmpty == false
    else {
      return
    }
    let next = context.now.advanced(byMilliseconds: probeWait(0, to: device))
    context.peers[device]?.liveness = .asked(Liveness.Probe(next: next))
    context.deadlines.schedule(.peer(device), at: next)
  }

  private func probeWait(_ attempt: Int, to device: DeviceID) -> Int64 {
    Timing.probeMilliseconds[attempt] * tries(to: device)
      + context.outbox.links.patienceMilliseconds
  }

  /// Returns the expected number of transmissions until a message to a peer arrives.
  func tries(to device: DeviceID) -> Int64 {
    context.outbox.flows[device].map { LossMeter.tries($0.path.heardLoss.percent) } ?? 1
  }

  /// Records a datagram received on a session.
  mutating func noteHeard(_ device: DeviceID) {
    context.peers[device]?.noteWord(now: context.clock.now)
    if case .heard = context.peers[device]?.liveness { return }
    context.peers[device]?.liveness = .heard
  }

  /// Probes a peer at once, because it may have lost its state or the network changed.
  mutating func probeNow(_ device: DeviceID) {
    guard context.peers[device]?.sessions.isEmpty == false else { return }
    context.peers[device]?.liveness = .asked(Liveness.Probe(next: context.clock.now))
    probe(device)
    scheduleTending(of: device)
  }

  mutating func tend(_ device: DeviceID) {
    guard let deadline = context.peers[device]?.deadline else { return }
    if deadline <= context.now {
      probe(device)
      beat(device)
    }
    scheduleTending(of: device)
  }

  private mutating func scheduleTending(of device: DeviceID) {
    if let deadline = context.peers[device]?.deadline {
      context.deadlines.schedule(.peer(device), at: deadline)
    }
  }

  private mutating func probe(_ device: DeviceID) {
    let isSilent: Bool
    var probe: Liveness.Probe
    switch context.peers[device]?.liveness {
    case .asked(let asked): (isSilent, probe) = (false, asked)
    case .silent(let silent): (isSilent, probe) = (true, silent)
    default: return
    }
    guard probe.next <= context.now else { return }
    probe.attempts += 1
    let waits = Timing.probeMilliseconds
    if probe.attempts < waits.count {
      probe.next = context.now.advanced(byMilliseconds: probeWait(probe.attempts, to: device))
      context.peers[device]?.liveness = .asked(probe)
      sendRoots(to: device, asksForAnswer: true)
    } else {
      let doublings = Int64(min(probe.attempts - waits.count, 3))
      let wait =
        min(Timing.probeLastMilliseconds, waits[0] << doublings)
        + context.outbox.links.patienceMilliseconds << doublings
      probe.next = context.now.advanced(byMilliseconds: wait)
      context.peers[device]?.liveness = .silent(probe)
      sendRoots(to: device, asksForAnswer: true)
      if !isSilent { call(device) }
    }
    if probe.attempts > 1 { probeOtherPaths(to: device) }
  }

  /// Probes the same session over other addresses of the device. The path of the answer is used.
  private mutating func probeOtherPaths(to device: DeviceID) {
    guard let index = liveSession(of: device), let session = context.sessions[index] else { return }
    var packet = Packet()
    packet.roots = context.logs.roots()
    packet.answer = true
    let others = contacts.others(of: device, than: session.endpoint)
    for endpoint in others.prefix(Limits.endpointsPerDevice) {
      if let left = contacts[endpoint]?.attemptsLeft {
        guard left > 0 else { continue }
        contacts[endpoint]?.attemptsLeft = left - 1
      }
      guard let sealed = context.sessions[index]?.seal(packet.encoded()) else { return }
      context.transmit(sealed, to: .endpoint(endpoint, .unknown))
    }
  }

  private mutating func beat(_ device: DeviceID) {
    guard let nextHeartbeat = context.peers[device]?.nextHeartbeat, nextHeartbeat <= context.now,
      let lastInterval = context.peers[device]?.heartbeatMilliseconds
    else { return }
    let own = context.logs.roots()
    let announcesServe = announcesServe(since: context.peers[device]?.announced?.at)
    // Positions always differ while they are updated, and announces repair that.
    let differs = context.peers[device]?.roots.map {
      $0.differs(from: own, inRecords: !announcesServe)
    }
    // Roots are not reliable. If they differ, they are sent often enough that some arrive.
    let longest = announcesServe ? Timing.heartbeatLastMilliseconds : longestUnicastHeartbeat
    let last = longest / (differs ?? true ? tries(to: device) : 1)
    let interval = min(lastInterval * 2 + context.outbox.links.patienceMilliseconds, last)
    context.peers[device]?.heartbeatMilliseconds = interval
    // Up to 25 % earlier at random, so that peers do not send simultaneously.
    let jitter = Int64(context.random.uniform(below: UInt64(interval / 4)))
    context.peers[device]?.nextHeartbeat = context.clock.now.advanced(
      byMilliseconds: interval - jitter)
    if !keys.missing.isEmpty { askForKeys(device) }
    context.peers[device]?.certificatesAsked = []
    introduce(to: device)
    watchForWithholding(by: device)
    guard !announcesServe || differs ?? true, let lastHeard = context.peers[device]?.lastHeard
    else {
      return
    }
    let isQuiet = context.now.milliseconds(since: lastHeard) > Timing.quietMilliseconds
    sendRoots(to: device, asksForAnswer: isQuiet)
    if isQuiet { expectAnswer(from: device) }
  }

  /// The longest interval of heartbeats to peers whose announces are not received: they are not on
  /// this link, so that the path to them may pass a NAT.
  private var longestUnicastHeartbeat: Int64 {
    let count = context.peers.connected.count {
      !announcesServe(since: context.peers[$0]?.announced?.at)
    }
    return min(
      Timing.heartbeatLastMilliseconds,
      max(
        Timing.heartbeatThroughNATMilliseconds,
        Timing.heartbeatMillisecondsPerPeer * Int64(count)))
  }

  /// Returns whether this peer's announces are received, and replace heartbeats.
  func announcesServe(of peer: PeerState) -> Bool { announcesServe(since: peer.announced?.at) }

  func announcesServe(since announced: Instant?) -> Bool {
    guard let announced else { return false }
    let limit =
      context.peers.count <= Limits.smallMesh
      ? Timing.announceServesMilliseconds : Timing.announceServesManyMilliseconds
    return context.now.milliseconds(since: announced) < limit
  }

  mutating func sendRoots(to device: DeviceID, asksForAnswer: Bool) {
    var packet = Packet()
    packet.roots = context.logs.roots()
    packet.clock = context.clock.wall
    packet.answer = asksForAnswer
    context.outbox.add(packet, importance: .control, to: device)
  }

  /// Answers a probe, with a rate limit.
  mutating func answerProbe(of device: DeviceID) {
    if let last = context.peers[device]?.lastAnswer,
      context.now.milliseconds(since: last) < Timing.answerMilliseconds
    {
      return
    }
    context.peers[device]?.lastAnswer = context.clock.now
    sendRoots(to: device, asksForAnswer: false)
  }
}
