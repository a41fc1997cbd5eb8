internal import MusterModel

/// Forked logs: their author signed two frames for one place, because a database was restored or
/// cloned, or deliberately. All branches are stored, as strands (`LogSummary`), and are equal on
/// every node.
///
///     received frames do not follow the stored ones
///       ─▶ search: frames from further back, until one follows a stored frame ─▶ attach
///     a peer advertises a strand that is missing ─▶ want ─▶ a run with its origin ─▶ attach
///     attach ─▶ the store finds where the branches diverge ─▶ the strands that are stored now
///
/// The two signatures prove the fork. The branches carry them to every node.
extension FrameReceiver {
  private static let patienceMilliseconds: Int64 = 10_000

  /// Records which frame a run follows. Returns false if the run cannot be accepted.
  mutating func begin(_ run: Run, from device: DeviceID, context: inout Context) -> Bool {
    guard let origin = run.origin, let previous = run.previous, run.first > 0 else { return false }
    guard context.logs[run.log] == nil else { return true }
    guard context.logs[origin] != nil else {
      context.logs.strands.noteOrphan(run.log)
      return false
    }
    if let begun = context.logs.strands[run.log] {
      guard begun.device != device else { return true }
      // A peer that does not continue must not block others.
      guard context.now.milliseconds(since: begun.began) > Self.patienceMilliseconds else {
        return false
      }
      context.logs.strands.end(run.log)
    }
    guard context.logs.strands.hasRoom, context.isWelcome(run.log, from: device) else {
      return false
    }
    // Frames of this peer are kept: later datagrams may have overtaken this one.
    pulls.abandonPull(of: run.log, butFrom: device, context: &context)
    context.logs.strands.begin(
      run.log,
      StrandDownload(
        device: device, log: origin,
        before: Head(log: run.log, sequence: run.first - 1, hash: previous), began: context.now,
        isKnown: context.peers[device]?.holdings.logs[run.log] != nil))
    return true
  }

  /// Passes verified frames of a branch to the store, which knows all stored frames.
  mutating func attach(
    _ frames: [Frame], named name: LogID, opening: Opening, from device: DeviceID,
    context: inout Context
  ) {
    if context.logs.strands.end(name)?.isKnown == false {
      context.peers[known: device].holdings.logs[name] = nil
    }
    pulls.abandonPull(of: name, context: &context)
    context.effects.append(.store(.branch(opening, frames, device)))
  }

  /// Handles the result of storing a branch.
  ///
  /// - Returns: the strands of the log, if they are stored now.
  mutating func noteAttached(
    _ result: AttachmentResult, to log: LogID, of device: DeviceID, context: inout Context
  ) -> [LogSummary]? {
    switch result {
    case .refused(let name):
      // A bundle contained it, or its sender had no session and has made room for others.
      guard context.peers[device] != nil else { return nil }
      // It is requested again only after the peer advertises it again.
      context.peers[known: device].holdings.logs[name] = nil
    case .known(let through):
      goOnSearching(in: log, with: device, after: through, context: &context)
    case .unattached: goOnSearching(in: log, with: device, after: nil, context: &context)
    case .held(let held):
      for strand in held where context.logs[strand.head.log] != strand {
        context.settleConfirmations(of: strand.head.log)
        pulls.abandonPull(of: strand.head.log, context: &context)
        context.logs.set(strand, by: context.roster)
        for peer in context.peers.devices {
          context.peers[known: peer].branches.refused.remove(strand.head.log)
        }
      }
      adoptOrphans(context: &context)
      for peer in context.peers.connected {
        for strand in held { pulls.enqueue(strand.head.log, from: peer, context: &context) }
        pulls.continuePulls(from: peer, context: &context)
      }
      return held
    }
    return nil
  }

  /// Requests strands again whose preceding frames may be stored now.
  mutating func adoptOrphans(context: inout Context) {
    let adopted = context.logs.strands.takeOrphans()
    guard !adopted.isEmpty else { return }
    for device in context.peers.connected {
      for log in adopted where context.logs[log] == nil {
        pulls.enqueue(log, from: device, context: &context)
      }
      pulls.continuePulls(from: device, context: &context)
    }
  }
}
