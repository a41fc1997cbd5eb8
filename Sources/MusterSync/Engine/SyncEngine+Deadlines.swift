public import MusterModel

/// Timers. Only due items are processed: an idle peer costs nothing until its deadline.
extension SyncEngine {
  /// The earliest time at which the engine requires `deadlinePassed`. It may be in the past.
  public var nextDeadline: Instant? { context.deadlines.next }

  mutating func passDeadlines() {
    var due: [DeadlineQueue.Item] = []
    while let item = context.deadlines.popDue(now: context.now) { due.append(item) }
    for item in due { pass(item) }
  }

  private mutating func pass(_ item: DeadlineQueue.Item) {
    switch item {
    case .announce:
      announcer.announceIfDue(records.cache, frames: &frames, context: &context)
    case .handshake(let index): handshaker.tend(index, contacts: contacts, context: &context)
    case .session(let index): tendSession(index)
    case .contacts: tryContacts()
    case .peer(let device): tend(device)
    case .clones: records.notifyDueClones(context: &context)
    // Before each transmission on the links, what is due is sent.
    case .relays: break
    case .sendQueue(let device):
      context.passFlowDeadline(of: device)
      frames.pulls.passPullDeadline(of: device, context: &context)
    case .links: break
    case .blobs: blobs.passDeadline(context: &context)
    case .positions: broadcaster.feedPositions(records.cache, context: &context)
    case .frames: broadcaster.requestFedFrames(context: &context)
    }
  }
}
