internal import MusterModel

/// Heartbeats with roots on every session, rare while nothing changes; and probes, which detect
/// within seconds that a peer does not receive what is sent to it.
///
///     sent ─▶ asked ── answer ─▶ answered
///               └─ four probes lost ─▶ silent: other paths are tried ── answer ─▶ answered
///                                        └─ nothing for minutes ─▶ the session ends
extension SyncEngine {

  /// Probes a peer at once, because it may have lost its state or the network changed.
  mutating func probeNow(_ device: DeviceID) {
    guard context.peers[device]?.sessions.isEmpty == false else { return }
    context.peers[device]?.heartbeat.liveness = .asked(Liveness.Probe(next: context.clock.now))
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
    switch context.peers[device]?.heartbeat.liveness {
    case .asked(let asked): (isSilent, probe) = (false, asked)
    case .silent(let silent): (isSilent, probe) = (true, silent)
    default: return
    }
    guard probe.next <= context.now else { return }
    probe.attempts += 1
    let waits = Timing.probeMilliseconds
    if probe.attempts < waits.count {
      probe.next = context.now.advanced(
        byMilliseconds: context.probeWait(probe.attempts, to: device))
      context.peers[device]?.heartbeat.liveness = .asked(probe)
      context.sendRoots(to: device, asksForAnswer: true)
    } else {
      let doublings = Int64(min(probe.attempts - waits.count, 3))
      let wait =
        min(Timing.probeLastMilliseconds, waits[0] << doublings)
        + context.outbox.links.patienceMilliseconds << doublings
      probe.next = context.now.advanced(byMilliseconds: wait)
      context.peers[device]?.heartbeat.liveness = .silent(probe)
      context.sendRoots(to: device, asksForAnswer: true)
      if !isSilent { call(device) }
    }
    if probe.attempts > 1 { contacts.probeOtherPaths(to: device, context: &context) }
  }

  private mutating func beat(_ device: DeviceID) {
    guard let nextHeartbeat = context.peers[device]?.heartbeat.next, nextHeartbeat <= context.now,
      let lastInterval = context.peers[device]?.heartbeat.milliseconds
    else { return }
    let own = context.logs.roots()
    let announcesServe = context.announcesServe(
      since: context.peers[device]?.presence.announced?.at)
    // Positions always differ while they are updated, and announces repair that.
    let differs = context.peers[device]?.holdings.roots.map {
      $0.differs(from: own, inRecords: !announcesServe)
    }
    // Roots are not reliable. If they differ, they are sent often enough that some arrive.
    let longest =
      announcesServe ? Timing.heartbeatLastMilliseconds : context.longestUnicastHeartbeat
    let last = longest / (differs ?? true ? context.tries(to: device) : 1)
    let interval = min(lastInterval * 2 + context.outbox.links.patienceMilliseconds, last)
    context.peers[device]?.heartbeat.milliseconds = interval
    // Up to 25 % earlier at random, so that peers do not send simultaneously.
    let jitter = Int64(context.random.uniform(below: UInt64(interval / 4)))
    context.peers[device]?.heartbeat.next = context.clock.now.advanced(
      byMilliseconds: interval - jitter)
    if !keys.missing.isEmpty { keys.sendRequests(to: device, context: &context) }
    context.peers[device]?.budget.certificatesAsked = []
    contacts.introduce(to: device, context: &context)
    watchForWithholding(by: device)
    guard !announcesServe || differs ?? true,
      let lastHeard = context.peers[device]?.presence.lastHeard
    else {
      return
    }
    let isQuiet = context.now.milliseconds(since: lastHeard) > Timing.quietMilliseconds
    context.sendRoots(to: device, asksForAnswer: isQuiet)
    if isQuiet { context.expectAnswer(from: device) }
  }
}
