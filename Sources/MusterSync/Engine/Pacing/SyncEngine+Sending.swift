internal import MusterModel

/// The one way out: everything that leaves passes `transmit`, at the pace of its link; what is said
/// to peers also at the pace of the way to them.
extension SyncEngine {
  /// Sends a sealed datagram as soon as its link lets it. No IP fragment is ever sent, so a larger
  /// one is a programmer's error.
  mutating func transmit(
    _ datagram: [UInt8], to destination: Destination, importance: Outbox.Importance = .control
  ) {
    precondition(datagram.count <= Limits.datagramBytes, "datagram of \(datagram.count) bytes")
    if case .endpoint(let endpoint, let link) = destination, endpoint.isUplink, link != .uplink {
      return transmit(datagram, to: .endpoint(endpoint, .uplink), importance: importance)
    }
    guard outbox.links.opensAt(destination.link, now: now) == nil else {
      return outbox.links.wait(datagram, to: destination, importance: importance)
    }
    leave(datagram, to: destination)
  }

  private mutating func leave(_ datagram: [UInt8], to destination: Destination) {
    outbox.links.take(datagram.count, by: destination.link, now: now)
    effects.append(.send(datagram, to: destination))
  }

  mutating func limitLinks(to rate: LinkRate?) {
    outbox.links.limit(to: rate, now: now)
    for device in outbox.backlog.sorted() { outbox.touch(device) }
  }

  // MARK: At the end of each input

  /// Lets leave what may, after everything that had to be stored, and asks the store for what is to
  /// follow.
  mutating func flushOutbox() {
    if outbox.links.rate == nil {
      while let ready = outbox.links.popReady(now: now) { leave(ready.bytes, to: ready.to) }
      for device in outbox.takeTouched() {
        if fetchToFill(device) { continue }
        while sendPacket(to: device) {}
        settle(device)
      }
    } else {
      sendInTurn()
    }
    if let ready = outbox.links.nextReady(now: now) { deadlines.schedule(.links, at: ready) }
  }

  /// On a narrow link whoever has the most important thing to be told comes next, and of those who
  /// was served longest ago; every twentieth turn goes to whoever has waited longest. Datagrams
  /// that are sealed already go before all but what is urgent.
  private mutating func sendInTurn() {
    var looked = Set(outbox.takeTouched())
    if outbox.links.isAnyOpen(now: now) {
      var candidates = looked.union(outbox.backlog).map {
        (device: $0, claim: outbox.claim(of: $0))
      }
      while outbox.links.isAnyOpen(now: now) {
        let anybody = outbox.nextTurnIsAnybodys
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

  /// Seals one datagram of what waits for a peer, with the acknowledgement that is owed. False when
  /// nothing may leave now.
  private mutating func sendPacket(to device: DeviceID) -> Bool {
    guard let index = liveSession(of: device) else {
      outbox.forget(device)
      return false
    }
    let mayTalk = outbox.flows[device]?.permission(now: now).isNow ?? false
    let mustAcknowledge = sessions[index]?.received.dueAt.map { $0 <= now } ?? false
    guard mayTalk || mustAcknowledge, let link = sessions[index]?.link,
      outbox.links.opensAt(link, now: now) == nil
    else { return false }
    var bytes: [UInt8] = []
    let holdsRuns = sessions[index]?.runs.areAllHeld ?? false
    if let acknowledgement = sessions[index]?.received.take(
      now: now, lossPercent: outbox.flows[device]?.path.lossPercent ?? 0,
      holdsRuns: holdsRuns)
    {
      var packet = Packet()
      packet.acknowledgement = acknowledgement
      bytes = packet.encoded()
    }
    var parts: [UInt64] = []
    if mayTalk {
      outbox.flows[device]?.use(index, isOverTCP: link == .uplink)
      outbox.flows[device]?.patience = outbox.links.patienceMilliseconds * 1000
      let packed = outbox.flows[device]?.queue.pack(room: packetBytes - bytes.count)
      bytes += packed?.bytes ?? []
      parts = packed?.numbers ?? []
    }
    guard !bytes.isEmpty, let endpoint = sessions[index]?.endpoint,
      let counter = sessions[index]?.sendCounter, let datagram = sessions[index]?.seal(bytes)
    else { return false }
    outbox.flows[device]?.noteSent(
      counter, on: index, size: datagram.count + Limits.headerBytes, parts: parts, now: now)
    peers[device]?.bytesOut += UInt64(datagram.count + Limits.headerBytes)
    leave(datagram, to: .endpoint(endpoint, link))
    return true
  }

  /// Asks for more to say where there is room, and sees to it that the peer is looked at in time.
  private mutating func settle(_ device: DeviceID) {
    let owes = liveSession(of: device).flatMap { sessions[$0]?.received.dueAt } != nil
    outbox.noteBacklog(of: device, owes: owes)
    fetchMore(for: device)
    guard let deadline = flowDeadline(of: device) else { return }
    // What could not leave now is not looked at again at this very moment.
    deadlines.schedule(.flow(device), at: max(deadline, now.advanced(byMicroseconds: 1)))
  }

  // MARK: Deadlines

  /// When a peer's flow is to be looked at; nil while nothing is under way, waits or is owed.
  mutating func flowDeadline(of device: DeviceID) -> Instant? {
    let look = outbox.flows[device]?.look(now: now)
    let loss = look?.lossDeadline
    guard let index = liveSession(of: device), let link = sessions[index]?.link else { return loss }
    let owed = sessions[index]?.received.dueAt
    guard owed != nil || look?.permittedAt != nil else { return loss }
    // Whoever only waits for the link is looked at when it opens, with all others that do.
    guard outbox.links.opensAt(link, now: now) == nil else { return loss }
    return [loss, owed, look?.permittedAt].compactMap { $0 }.min()
  }

  mutating func passFlowDeadline(of device: DeviceID) {
    outbox.flows[device]?.passDeadline(now: now)
    outbox.touch(device)
  }

  // MARK: Status

  /// Parts of datagrams, and sealed datagrams, that found no room to wait since the start.
  public var droppedForLackOfRoom: UInt64 { outbox.dropped + outbox.links.dropped }

  // MARK: Acknowledgements

  /// A datagram of a device was authenticated and not seen before.
  mutating func noteReceived(
    _ counter: UInt64, packet: Packet, on index: UInt32, of device: DeviceID
  ) {
    let skipped = sessions[index]?.received.note(
      counter, isToBeAcknowledged: packet.isToBeAcknowledged, now: now)
    outbox.flows[device, default: Flow()].noteHeard(skipped: skipped ?? 0, now: now)
    if let acknowledgement = packet.acknowledgement, let next = sessions[index]?.sendCounter {
      let answer = outbox.flows[device]?.acknowledge(
        acknowledgement, on: index, nextCounter: next, now: now)
      if let took = answer?.roundTrip { outbox.links.noteDelay(milliseconds: took / 1000) }
      if acknowledgement.holdsRuns { confirm(answer?.runs ?? [], by: device) }
    }
    let repeats = outbox.flows[device]?.repeatAfterSilence() ?? false
    // What is heard may also shorten the wait for what is under way.
    if packet.acknowledgement != nil || packet.isToBeAcknowledged
      || outbox.flows[device]?.bytesUnderWay ?? 0 > 0 || repeats
    {
      outbox.touch(device)
    }
  }
}

extension Flow.Permission {
  fileprivate var isNow: Bool { if case .now = self { true } else { false } }
}
