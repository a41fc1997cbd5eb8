internal import MusterModel

extension SyncEngine {
  /// Traps if the engine's tables are inconsistent or exceed their bounds. For tests and
  /// simulations, after each input.
  public func checkInvariants() {
    precondition(context.effects.isEmpty, "effects left behind")
    blobs.checkInvariants(connected: context.peers.connected)
    let queues = context.outbox.sendQueues.count
    precondition(queues <= Limits.peers, "\(queues) send queues")
    context.peers.checkInvariants(sessions: context.sessions)
    context.logs.strands.checkInvariants()
    handshaker.checkInvariants(sessions: context.sessions)
    precondition(contacts.book.count <= Limits.peers, "\(contacts.book.count) contacts")
    frames.pulls.checkInvariants(context: context)
    announcer.checkInvariants()
    broadcaster.checkInvariants()
    records.cache.checkInvariants()
    records.clones.checkInvariants()
    let share = keys.missing.largestShare
    precondition(share <= Limits.missingKeysPerAuthor, "\(share) missing keys of one author")
    precondition(
      context.logs.leafCount == context.logs.summaries.count - context.logs.bareLogs
        - context.logs.droppedStrands
        + context.logs.countedInPart
        + records.cache.count
        + context.roster.shownHashes.count + evidence.count,
      "a leaf is missing from the tries")
  }
}
