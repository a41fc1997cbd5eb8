internal import MusterModel

extension SyncEngine {
  /// Traps if the engine's tables are inconsistent or exceed their bounds. For tests and
  /// simulations, after each input.
  public func checkInvariants() {
    precondition(context.effects.isEmpty, "effects left behind")
    checkSessions()
    frames.pulls.checkInvariants(context: context)
    let queues = context.outbox.sendQueues.count
    precondition(queues <= Limits.peers, "\(queues) send queues")
    context.peers.checkInvariants(sessions: context.sessions)
    precondition(broadcaster.relayCount <= Limits.relays, "\(broadcaster.relayCount) relays")
    precondition(
      records.clones.count <= Limits.cloneNotices, "\(records.clones.count) notifications")
    context.logs.strands.checkInvariants()
    precondition(
      announcer.heardCount <= Limits.announcers * Limits.livesPerAnnouncer,
      "\(announcer.heardCount) lives")
    precondition(contacts.book.count <= Limits.peers, "\(contacts.book.count) contacts")
    precondition(
      handshaker.count <= Limits.handshakesInFlight, "\(handshaker.count) handshakes")
    checkBounds()
    precondition(
      context.logs.leafCount == context.logs.summaries.count - context.logs.bareLogs
        - context.logs.droppedStrands
        + context.logs.countedInPart
        + records.cache.count
        + context.roster.shownHashes.count + evidence.count,
      "a leaf is missing from the tries")
  }

  private func checkBounds() {
    let share = keys.missing.largestShare
    precondition(share <= Limits.missingKeysPerAuthor, "\(share) missing keys of one author")
    records.cache.checkInvariants()
  }

  private func checkSessions() {
    var joiners = 0
    for (index, session) in context.sessions {
      precondition(session.localIndex == index, "session \(session.localIndex) at \(index)")
      precondition(!handshaker.isPending(index), "index \(index) is used twice")
      switch session.peer {
      case .device(let device):
        precondition(context.peers[device]?.sessions.contains(index) == true, "session of no peer")
      case .joiner: joiners += 1
      }
    }
    precondition(joiners <= Limits.handshakesInFlight, "\(joiners) joiners")
  }
}
