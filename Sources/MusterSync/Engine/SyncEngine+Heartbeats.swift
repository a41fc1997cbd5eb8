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
    context.peers[known: device].heartbeat.startProbing(at: context.now)
    probe(device)
    context.scheduleTending(of: device)
  }

  mutating func tend(_ device: DeviceID) {
    guard let deadline = context.peers[device]?.deadline else { return }
    if deadline <= context.now {
      probe(device)
      beat(device)
    }
    context.scheduleTending(of: device)
  }

  private mutating func probe(_ device: DeviceID) {
    if context.postponesProbe(of: device) { return }
    let due = context.peers[known: device].heartbeat.takeDueProbe(
      now: context.now, tries: context.tries(to: device),
      patienceMilliseconds: context.outbox.links.patienceMilliseconds)
    guard let due else { return }
    context.sendRoots(to: device, asksForAnswer: true)
    if due.isFirstOfSilence { call(device) }
    if due.isRepeated { contacts.probeOtherPaths(to: device, context: &context) }
  }

  private mutating func beat(_ device: DeviceID) {
    guard context.peers[known: device].heartbeat.next <= context.now else { return }
    let announcesServe = context.announcesServe(
      since: context.peers[known: device].presence.announced?.at)
    // Positions always differ while they are updated, and announces repair that.
    let own = context.logs.roots()
    let differs =
      context.peers[known: device].holdings.roots.map {
        $0.differs(from: own, inRecords: !announcesServe)
      } ?? true
    // Roots are not reliable. If they differ, they are sent often enough that some arrive.
    let longest =
      announcesServe ? Timing.heartbeatLastMilliseconds : context.longestUnicastHeartbeat
    context.peers[known: device].heartbeat.scheduleNext(
      within: longest / (differs ? context.tries(to: device) : 1),
      patienceMilliseconds: context.outbox.links.patienceMilliseconds, now: context.now,
      random: &context.random)
    if !keys.missing.isEmpty { keys.sendRequests(to: device, context: &context) }
    context.peers[known: device].budget.certificatesAsked = []
    contacts.introduce(to: device, context: &context)
    context.watchForStall(of: device)
    guard !announcesServe || differs else { return }
    let lastReceived = context.peers[known: device].presence.lastReceived
    let isQuiet = context.now.milliseconds(since: lastReceived) > Timing.quietMilliseconds
    context.sendRoots(to: device, asksForAnswer: isQuiet)
    if isQuiet { context.expectAnswer(from: device) }
  }
}
