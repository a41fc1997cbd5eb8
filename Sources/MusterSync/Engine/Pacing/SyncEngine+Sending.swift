internal import MusterModel

/// Transmission: every outgoing datagram passes `transmit` at the rate of its link. Messages to
/// peers are also limited by the congestion window and the pacer of their path.
extension SyncEngine {
  mutating func limitLinks(to rate: LinkRate?) {
    context.outbox.links.limit(to: rate, now: context.now)
    for device in context.outbox.backlog.sorted() { context.outbox.touch(device) }
  }

  // MARK: At the end of each input

  /// Sends what the limits admit, after everything that had to be stored, and requests from the
  /// store what follows.
  mutating func flushOutbox() {
    if context.outbox.links.rate == nil {
      while let ready = context.outbox.links.popReady(now: context.now) {
        context.leave(ready.bytes, to: ready.to)
      }
      for device in context.outbox.takeTouched() {
        if fetchToFill(device) { continue }
        while sendPacket(to: device) {}
        settle(device)
      }
    } else {
      sendInTurn()
    }
    if let ready = context.outbox.links.nextReady(now: context.now) {
      context.deadlines.schedule(.links, at: ready)
    }
  }

  /// Serves peers on a narrow link: by the priority of their next part, then by the time since they
  /// were served. Every twentieth turn goes to the peer that has waited longest. Sealed datagrams
  /// take precedence over all but urgent parts.
  private mutating func sendInTurn() {
    var looked = Set(context.outbox.takeTouched())
    if context.outbox.links.isAnyOpen(now: context.now) {
      var candidates = looked.union(context.outbox.backlog).map {
        (device: $0, claim: context.outbox.claim(of: $0))
      }
      while context.outbox.links.isAnyOpen(now: context.now) {
        let anybody = context.outbox.nextTurnIsAnybodys
        let next = candidates.indices.min { left, right in
          let (a, b) = (candidates[left], candidates[right])
          let (first, second) = anybody ? (0, 0) : (a.claim.importance, b.claim.importance)
          return (first, a.claim.turn, a.device) < (second, b.claim.turn, b.device)
        }
        let claimed = next.map { candidates[$0].claim.importance }
        if let ready = context.outbox.popReady(before: claimed, now: context.now) {
          context.leave(ready.bytes, to: ready.to)
          continue
        }
        guard let next else { break }
        let device = candidates[next].device
        if sendPacket(to: device) {
          context.outbox.giveTurn(to: device)
          context.outbox.hasUrgentPassed = claimed == Outbox.Importance.urgent.rawValue
          looked.insert(device)
          candidates[next].claim = context.outbox.claim(of: device)
        } else {
          candidates.remove(at: next)
        }
      }
    }
    for device in looked.sorted() { settle(device) }
    if !context.outbox.backlog.isEmpty,
      let opens = context.outbox.links.nextOpening(now: context.now)
    {
      context.deadlines.schedule(.links, at: opens)
    }
  }

  /// Seals one datagram of a peer's queued parts, with the acknowledgement that is due. Returns
  /// false if nothing may be sent now.
  private mutating func sendPacket(to device: DeviceID) -> Bool {
    guard let index = liveSession(of: device) else {
      context.outbox.forget(device)
      return false
    }
    let mayTalk = context.outbox.flows[device]?.permission(now: context.clock.now).isNow ?? false
    let mustAcknowledge = context.sessions[index]?.received.dueAt.map { $0 <= context.now } ?? false
    guard mayTalk || mustAcknowledge, let link = context.sessions[index]?.link,
      context.outbox.links.opensAt(link, now: context.now) == nil
    else { return false }
    var bytes: [UInt8] = []
    let holdsRuns = context.sessions[index]?.runs.areAllHeld ?? false
    if let acknowledgement = context.sessions[index]?.received.take(
      now: context.clock.now, lossPercent: context.outbox.flows[device]?.path.lossPercent ?? 0,
      holdsRuns: holdsRuns)
    {
      var packet = Packet()
      packet.acknowledgement = acknowledgement
      bytes = packet.encoded()
    }
    var parts: [UInt64] = []
    if mayTalk {
      context.outbox.flows[device]?.use(index, isOverTCP: link == .uplink)
      context.outbox.flows[device]?.patience = context.outbox.links.patienceMilliseconds * 1000
      let packed = context.outbox.flows[device]?.queue.pack(room: packetBytes - bytes.count)
      bytes += packed?.bytes ?? []
      parts = packed?.numbers ?? []
    }
    guard !bytes.isEmpty, let endpoint = context.sessions[index]?.endpoint,
      let counter = context.sessions[index]?.sendCounter,
      let datagram = context.sessions[index]?.seal(bytes)
    else { return false }
    context.outbox.flows[device]?.noteSent(
      counter, on: index, size: datagram.count + Limits.headerBytes, parts: parts,
      now: context.clock.now)
    context.peers[device]?.bytesOut += UInt64(datagram.count + Limits.headerBytes)
    context.leave(datagram, to: .endpoint(endpoint, link))
    return true
  }

  /// Fetches more data if the queue has room, and schedules the next pass for the peer.
  private mutating func settle(_ device: DeviceID) {
    let owes = liveSession(of: device).flatMap { context.sessions[$0]?.received.dueAt } != nil
    context.outbox.noteBacklog(of: device, owes: owes)
    fetchMore(for: device)
    guard let deadline = flowDeadline(of: device) else { return }
    // What could not be sent now is not checked again at the same moment.
    context.deadlines.schedule(
      .flow(device), at: max(deadline, context.now.advanced(byMicroseconds: 1)))
  }

  // MARK: Deadlines

  /// Returns when a peer's flow must be processed; nil while nothing is in flight, queued or due.
  mutating func flowDeadline(of device: DeviceID) -> Instant? {
    let look = context.outbox.flows[device]?.look(now: context.clock.now)
    let loss = look?.lossDeadline
    guard let index = liveSession(of: device), let link = context.sessions[index]?.link else {
      return loss
    }
    let owed = context.sessions[index]?.received.dueAt
    guard owed != nil || look?.permittedAt != nil else { return loss }
    // A peer that only waits for the link is processed when the link opens, with all others.
    guard context.outbox.links.opensAt(link, now: context.now) == nil else { return loss }
    return [loss, owed, look?.permittedAt].compactMap { $0 }.min()
  }

  mutating func passFlowDeadline(of device: DeviceID) {
    context.outbox.flows[device]?.passDeadline(now: context.clock.now)
    context.outbox.touch(device)
  }

  // MARK: Status

  /// Parts and sealed datagrams dropped since startup because a queue was full.
  public var droppedForLackOfRoom: UInt64 { context.outbox.dropped + context.outbox.links.dropped }

  // MARK: Acknowledgements

  /// Processes a datagram of a device that was authenticated and is not a replay.
  mutating func noteReceived(
    _ counter: UInt64, packet: Packet, on index: UInt32, of device: DeviceID
  ) {
    let skipped = context.sessions[index]?.received.note(
      counter, isToBeAcknowledged: packet.isToBeAcknowledged, now: context.clock.now)
    context.outbox.flows[device, default: Flow()].noteHeard(skipped: skipped ?? 0, now: context.now)
    if let acknowledgement = packet.acknowledgement, let next = context.sessions[index]?.sendCounter
    {
      let answer = context.outbox.flows[device]?.acknowledge(
        acknowledgement, on: index, nextCounter: next, now: context.clock.now)
      if let took = answer?.roundTrip { context.outbox.links.noteDelay(milliseconds: took / 1000) }
      if acknowledgement.holdsRuns { confirm(answer?.runs ?? [], by: device) }
    }
    let repeats = context.outbox.flows[device]?.repeatAfterSilence() ?? false
    // A received datagram may also shorten the timeout of what is in flight.
    if packet.acknowledgement != nil || packet.isToBeAcknowledged
      || context.outbox.flows[device]?.bytesUnderWay ?? 0 > 0 || repeats
    {
      context.outbox.touch(device)
    }
  }
}

extension Flow.Permission {
  fileprivate var isNow: Bool { if case .now = self { true } else { false } }
}
