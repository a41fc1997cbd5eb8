internal import MusterModel

extension SyncEngine {
  /// Traps if the engine's tables are inconsistent or exceed their bounds. For tests and
  /// simulations, after each input.
  public func checkInvariants() {
    precondition(context.effects.isEmpty, "effects left behind")
    checkSessions()
    checkPulls()
    checkReassembly()
    precondition(context.outbox.flows.count <= Limits.peers, "\(context.outbox.flows.count) flows")
    context.peers.checkInvariants()
    precondition(relays.count <= Limits.relays, "\(relays.count) relays")
    precondition(lifeTellings.count <= Limits.lifeTellings, "\(lifeTellings.count) notifications")
    context.logs.strands.checkInvariants()
    precondition(
      announced.count <= Limits.announcers * Limits.livesPerAnnouncer, "\(announced.count) lives")
    precondition(contacts.count <= Limits.peers, "\(contacts.count) contacts")
    precondition(
      handshakes.count <= Limits.handshakesInFlight, "\(handshakes.count) handshakes")
    checkBounds()
    precondition(
      context.logs.leafCount == context.logs.summaries.count - context.logs.bareLogs
        - context.logs.droppedStrands
        + context.logs.countedInPart
        + records.count
        + context.roster.shownHashes.count + evidence.count,
      "a leaf is missing from the tries")
  }

  private func checkBounds() {
    let share = keys.missing.largestShare
    precondition(share <= Limits.missingKeysPerAuthor, "\(share) missing keys of one author")
    records.checkInvariants()
  }

  private func checkSessions() {
    var joiners = 0
    for (index, session) in context.sessions {
      precondition(session.localIndex == index, "session \(session.localIndex) at \(index)")
      precondition(handshakes[index] == nil, "index \(index) is used twice")
      switch session.peer {
      case .device(let device):
        precondition(context.peers[device]?.sessions.contains(index) == true, "session of no peer")
      case .joiner: joiners += 1
      }
    }
    precondition(joiners <= Limits.handshakesInFlight, "\(joiners) joiners")
    for device in context.peers.devices {
      guard let peer = context.peers[device], peer.device == device else {
        preconditionFailure("another device's state at \(device)")
      }
      let distinct = Set(peer.sessions).count
      precondition(
        peer.otherRules == nil || peer.sessions.isEmpty, "a session with a device of other rules")
      precondition(
        peer.sessions.count <= Limits.sessionsPerPeer && distinct == peer.sessions.count,
        "sessions \(peer.sessions)")
      for index in peer.sessions {
        precondition(context.sessions[index]?.peer == .device(device), "session \(index) is gone")
      }
    }
  }

  private func checkPulls() {
    var owed: [DeviceID: Int] = [:]
    for (log, pull) in pulls {
      precondition(!pull.segments.isEmpty || !pull.returned.isEmpty, "a pull of nothing")
      for segment in pull.segments {
        precondition(next(of: log) <= segment.last, "nothing left to pull of \(log)")
        precondition(segment.missing > 0, "a segment that has come")
        precondition(
          context.peers[segment.device]?.pulling.logs.contains(log) == true,
          "a pull without a timeout")
        owed[segment.device, default: 0] += segment.missing
      }
    }
    for device in context.peers.devices {
      guard let peer = context.peers[device] else { continue }
      precondition(
        peer.pulling.frames == owed[device] ?? 0,
        "\(peer.pulling.frames) frames asked for, \(owed[device] ?? 0) in pulls")
      precondition(peer.known.count <= Limits.knownHeads, "\(peer.known.count) known heads")
      precondition(
        !peer.sessions.isEmpty || peer.pulling.queue.isEmpty, "a queue without a session")
    }
  }

  private func checkReassembly() {
    var total = 0
    for (log, sources) in reassembly.logs {
      let next = next(of: log)
      for source in sources {
        precondition(!source.frames.isEmpty, "an empty buffer")
        precondition(source.frames.keys.allSatisfy { $0 >= next }, "frames held and waiting")
        total += source.frames.count
      }
    }
    precondition(total == reassembly.total, "\(total) frames wait, not \(reassembly.total)")
    precondition(
      total <= Limits.bufferedFramesInAll + Limits.bufferedFramesReserved * Limits.peers,
      "\(total) frames wait")
  }
}
