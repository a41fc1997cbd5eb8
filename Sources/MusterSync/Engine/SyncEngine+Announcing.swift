internal import MusterModel

/// What follows from received announces.
extension SyncEngine {
  mutating func receiveAnnounce(
    _ bytes: ArraySlice<UInt8>, by arrival: Arrival
  ) throws(WireError) {
    let endpoint = arrival.endpoint
    switch try announcer.authenticate(bytes, by: arrival, context: &context) {
    case nil: return
    case .stranger(let moment):
      context.peers.noteStranger(at: endpoint, now: context.now)
      contacts.addHint(endpoint, device: nil, at: moment, context: &context)
    case .otherRules(let rules, let sender):
      meet(sender.device, certificate: sender.certificate, withOther: rules, at: endpoint)
      if sender.isNewcomer, rules.isStated { announcer.introduce(context: &context) }
    case .announce(let announce, let sender, let hasRestarted):
      guard context.meet(sender.device, certificate: sender.certificate, at: endpoint) else {
        return
      }
      context.peers.noteKnown(at: endpoint, now: context.now)
      contacts.book.name(endpoint, as: sender.device)
      if sender.isNewcomer { announcer.introduce(context: &context) }
      note(announce, of: sender.device, by: arrival, hasRestarted: hasRestarted)
    }
  }

  private mutating func note(
    _ announce: Announce, of device: DeviceID, by arrival: Arrival, hasRestarted: Bool
  ) {
    let endpoint = arrival.endpoint
    context.peers[known: device].presence.recordAnnounce(
      on: arrival.link, hasRestarted: hasRestarted, now: context.clock.now)
    // Its process restarted, or the device woke up: it lost its side of our session.
    if hasRestarted { probeNow(device) }
    if context.peers[known: device].sessions.isEmpty {
      context.peers[known: device].presence.endpoint = endpoint
    }
    for hint in announce.heads { frames.noteHead(hint, of: device, on: nil, context: &context) }
    receivePush(announce, of: device, by: arrival)
    frames.pulls.noteAsked(announce.wants, context: context)
    broadcaster.fetch(announce.wants, for: device, context: &context)
    if let record = announce.record {
      receive([record], from: device, by: arrival.covering(recordOf: announce))
    }
    broadcaster.multicaster.noteCopies(
      in: announce, from: device, on: arrival.link, records: records.cache, context: context)
    let isMissingFrames = announce.heads.contains { isLacked($0) }
    if isMissingFrames,
      context.peers[known: device].heartbeat.resets.take(
        Heartbeat.resetMilliseconds, now: context.clock.now)
    {
      announcer.quicken(context: &context)
    }
    // An announce with nothing but a record is no reason to connect.
    let isPosition = announce.roots == nil && announce.runs.isEmpty
    if !isPosition, contacts.isWanted(device, context: &context) {
      let moment = announcer.soon(context: &context)
      contacts.addHint(endpoint, device: device, at: moment, context: &context)
    }
    if context.peers[known: device].isReachable {
      frames.pulls.continuePulls(from: device, context: &context)
      if let roots = announce.roots, !isMissingFrames {
        reconciler.compare(roots, of: device, on: nil, context: &context)
      }
    }
    if let roots = announce.roots, roots == context.logs.roots() { announcer.noteConsistent() }
  }

  /// Returns whether a named head is missing here and not requested yet.
  private func isLacked(_ hint: LeafHint) -> Bool {
    let log = LogID(raw: hint.key)
    return context.logs.isBehind(of: log, by: UInt64(hint.number)) && frames.pulls[log] == nil
  }
}
