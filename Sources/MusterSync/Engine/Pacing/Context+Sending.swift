internal import MusterModel

/// Transmission: every outgoing datagram passes `transmit` at the rate of its link. Messages to
/// peers are also limited by the congestion window and the pacer of their path.
extension Context {
  mutating func limitLinks(to rate: LinkRate?) {
    outbox.links.limit(to: rate, now: now)
    for device in outbox.backlog.sorted() { outbox.touch(device) }
  }

  // MARK: At the end of each input

  /// Sends what the limits admit, after everything that had to be stored, and requests from the
  /// store what follows.
  mutating func flush() {
    if !outbox.links.isPaced {
      while let ready = outbox.links.popReady(now: now) {
        leave(ready.bytes, to: ready.to)
      }
      for device in outbox.takeTouched() {
        if fetchToFill(device) { continue }
        while sendPacket(to: device) {}
        settle(device)
      }
    } else {
      sendInTurn()
    }
    if let ready = outbox.links.nextReady(now: now) {
      deadlines.schedule(.links, at: ready)
    }
  }

  /// Serves peers on a narrow link: by the priority of their next part, then by the time since they
  /// were served. Every twentieth turn goes to the peer that has waited longest. Sealed datagrams
  /// take precedence over all but urgent parts.
  private mutating func sendInTurn() {
    var looked = Set(outbox.takeTouched())
    if outbox.links.isAnyOpen(now: now) {
      var candidates = looked.union(outbox.backlog).map {
        (device: $0, claim: outbox.claim(of: $0))
      }
      while outbox.links.isAnyOpen(now: now) {
        // Not while it would send a photo before a distress call.
        let anybody =
          outbox.nextTurnIsAnybodys
          && !(candidates.contains { $0.claim.importance == Outbox.Importance.urgent.rawValue }
            && candidates.contains {
              $0.claim.importance >= Outbox.Importance.thumbnails.rawValue
                && $0.claim.importance != .max
            })
        let next = candidates.indices.min { left, right in
          let (a, b) = (candidates[left], candidates[right])
          let (first, second) = anybody ? (0, 0) : (a.claim.importance, b.claim.importance)
          return (first, a.claim.turn, a.device) < (second, b.claim.turn, b.device)
        }
        let claimed = next.map { candidates[$0].claim.importance }
        if let ready = outbox.popReady(before: claimed, now: now) {
          leave(ready.bytes, to: ready.to)
          continue
        }
        guard let next else { break }
        let device = candidates[next].device
        if sendPacket(to: device) {
          outbox.giveTurn(to: device)
          outbox.hasUrgentPassed = claimed == Outbox.Importance.urgent.rawValue
          looked.insert(device)
          candidates[next].claim = outbox.claim(of: device)
        } else {
          candidates.remove(at: next)
        }
      }
    }
    for device in looked.sorted() { settle(device) }
    if !outbox.backlog.isEmpty, let opens = outbox.links.nextOpening(now: now) {
      deadlines.schedule(.links, at: opens)
    }
  }

  /// Seals one datagram of a peer's queued parts, with the acknowledgement that is due. Returns
  /// false if nothing may be sent now.
  private mutating func sendPacket(to device: DeviceID) -> Bool {
    guard let index = liveSession(of: device), let session = sessions[index] else {
      outbox.forget(device)
      return false
    }
    let destination = Destination.endpoint(session.endpoint, session.link)
    let permission = outbox.sendQueues[device]?.permission(now: clock.now)
    let mayTalk =
      permission?.isNow == true
      && outbox.links.opensAt(destination, importance: outbox.next(for: device), now: now) == nil
    let due = session.received.dueAt(beside: permission?.moment)
    let mustAcknowledge = due.map { $0 <= now } ?? false
    guard mayTalk || mustAcknowledge, outbox.links.opensAt(session.link, now: now) == nil else {
      return false
    }
    var bytes: [UInt8] = []
    let holdsRuns = sessions[index]?.runs.areAllHeld ?? false
    if let acknowledgement = sessions[index]?.received.take(
      now: clock.now, lossPercent: outbox.sendQueues[device]?.path.lossPercent ?? 0,
      holdsRuns: holdsRuns)
    {
      var packet = Packet()
      packet.acknowledgement = acknowledgement
      bytes = packet.encoded()
    }
    var parts: [UInt64] = []
    if mayTalk {
      outbox.sendQueues[device]?.use(index, isOverTCP: session.link == .uplink)
      outbox.sendQueues[device]?.patience = outbox.links.patienceMilliseconds * 1000
      let packed = outbox.sendQueues[device]?.pack(beside: bytes.count)
      bytes += packed?.bytes ?? []
      parts = packed?.numbers ?? []
    }
    guard !bytes.isEmpty, let counter = sessions[index]?.sendCounter,
      let datagram = sessions[index]?.seal(bytes)
    else { return false }
    outbox.sendQueues[device]?.noteSent(
      counter, on: index, size: datagram.count + Limits.headerBytes, parts: parts,
      now: clock.now)
    peers[known: device].presence.bytesOut += UInt64(datagram.count + Limits.headerBytes)
    leave(datagram, to: destination)
    return true
  }

  /// Sends a peer one padded datagram, unless its path is known or no path of UDP. Its
  /// acknowledgement shows that the path carries large ones.
  mutating func probeSize(of device: DeviceID) {
    guard !outbox.links.isNarrow, let index = liveSession(of: device),
      let session = sessions[index], session.link != .uplink
    else { return }
    outbox.sendQueues[device, default: SendQueue()].use(index, isOverTCP: false)
    guard outbox.sendQueues[device]?.path.size == .unknown,
      outbox.links.opensAt(session.link, now: now) == nil,
      let datagram = sessions[index]?.seal(Packet.padded.encoded())
    else { return }
    outbox.sendQueues[device]?.noteSizeProbe(session.sendCounter, on: index, now: clock.now)
    leave(datagram, to: .endpoint(session.endpoint, session.link))
  }

  /// Fetches more data if the queue has room, and schedules the next pass for the peer.
  private mutating func settle(_ device: DeviceID) {
    let owes = liveSession(of: device).flatMap { sessions[$0]?.received.dueAt } != nil
    outbox.noteBacklog(of: device, owes: owes)
    fetchMore(for: device)
    guard let deadline = sendQueueDeadline(of: device) else { return }
    // What could not be sent now is not checked again at the same moment.
    deadlines.schedule(
      .sendQueue(device), at: max(deadline, now.advanced(byMicroseconds: 1)))
  }

  // MARK: Deadlines

  /// Returns when a peer's send queue must be processed; nil while nothing is in flight, queued or
  /// due.
  mutating func sendQueueDeadline(of device: DeviceID) -> Instant? {
    let look = outbox.sendQueues[device]?.look(now: clock.now)
    let loss = look?.lossDeadline
    guard let index = liveSession(of: device), let session = sessions[index] else { return loss }
    let owed = session.received.dueAt(beside: look?.permittedAt)
    guard owed != nil || look?.permittedAt != nil else { return loss }
    // A peer that only waits for the link is processed when the link opens, with all others.
    guard outbox.links.opensAt(session.link, now: now) == nil else { return loss }
    let opens = outbox.links.opensAt(
      .endpoint(session.endpoint, session.link), importance: outbox.next(for: device), now: now)
    guard opens == nil else { return [loss, owed].compactMap { $0 }.min() }
    return [loss, owed, look?.permittedAt].compactMap { $0 }.min()
  }

  mutating func passFlowDeadline(of device: DeviceID) {
    if let waited = outbox.sendQueues[device]?.passDeadline(now: clock.now) {
      noteDelay(milliseconds: waited / 1000, isAnswer: false)
    }
    outbox.touch(device)
  }

  // MARK: Acknowledgements

  /// Notes how late an answer on a shared link was, or that none came for so long.
  mutating func noteDelay(milliseconds: Int64, isAnswer: Bool = true) {
    outbox.links.noteDelay(
      milliseconds: milliseconds, isAnswer: isAnswer, devices: peers.crowd, now: now)
  }

  /// Processes a datagram of a device that was authenticated and is not a replay.
  mutating func noteReceived(
    _ counter: UInt64, packet: Packet, on index: UInt32, of device: DeviceID
  ) {
    let skipped = sessions[index]?.received.note(
      counter, isToBeAcknowledged: packet.isToBeAcknowledged, now: clock.now)
    outbox.sendQueues[device, default: SendQueue()].noteReceived(skipped: skipped ?? 0, now: now)
    if let acknowledgement = packet.acknowledgement, let next = sessions[index]?.sendCounter {
      let answer = outbox.sendQueues[device]?.acknowledge(
        acknowledgement, on: index, nextCounter: next, now: clock.now)
      outbox.note(answer?.repeated ?? RetransmissionCounts())
      if let took = answer?.roundTrip { noteDelay(milliseconds: took / 1000) }
      if acknowledgement.holdsRuns { confirm(answer?.runs ?? [], by: device) }
    }
    let repeats = outbox.sendQueues[device]?.repeatAfterSilence(now: clock.now) ?? false
    // A received datagram may also shorten the timeout of what is in flight.
    if packet.acknowledgement != nil || packet.isToBeAcknowledged
      || outbox.sendQueues[device]?.bytesUnderWay ?? 0 > 0 || repeats
    {
      outbox.touch(device)
    }
  }
}

extension SendQueue.Permission {
  fileprivate var isNow: Bool { if case .now = self { true } else { false } }
  fileprivate var moment: Instant? { if case .at(let moment) = self { moment } else { nil } }
}
