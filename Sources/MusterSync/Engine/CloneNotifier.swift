internal import MusterModel

/// Clone notification. Two clones share one device id; each has a session of its own, and answers
/// go to the address that was received last. A message about the other clone must not depend on
/// that, so it is sent a few times on every session of the device. A clone that misses all of them
/// learns of it by digests.
///
///     new data of its own on one session ─▶ roots on the others ─▶ the other clone requests it
///     ─▶ and publishes its incarnation on all sessions ─▶ each knows the other: alarm
struct CloneNotifier: Sendable {
  private var pending = CloneNotices()

  /// Notifies the clones of a device of a record about its incarnations. Ignores other kinds. MUST
  /// be called with each accepted record.
  mutating func notify(
    of record: LatestRecord, from session: UInt32?, records: RecordCache, context: inout Context
  ) {
    guard record.kind.isAboutIncarnations, let device = context.roster[record.certificate]?.device,
      device != context.local.device
    else { return }
    pending.add(record.topic, of: device, from: session, at: context.now)
    sendDue(records, context: &context)
  }

  /// Notifies the clones of a device that data of its own was accepted. Data is not sent back to
  /// its author, so a clone that sends nothing would learn of it only by its next heartbeat.
  ///
  /// MUST be called with the signer of all accepted data. A device that moved, or that has both a
  /// UDP path and an HTTPS uplink, also has several addresses, so the notification is rare.
  mutating func notifyOfData(
    by certificate: CertificateHash, from session: UInt32?, context: inout Context
  ) {
    guard let device = context.roster[certificate]?.device,
      let indices = context.peers[device]?.sessions,
      indices.count > 1, Set(indices.compactMap { context.sessions[$0]?.endpoint }).count > 1,
      // Relayed data goes to the device as to all others.
      session.map(indices.contains) ?? true,
      pending.hasRoomForRoots(of: device)
    else { return }
    let next = context.now.advanced(byMilliseconds: Timing.firstRootsNoticeMilliseconds)
    pending.addRoots(of: device, from: session, at: next)
    context.deadlines.schedule(.clones, at: next)
  }

  mutating func sendDue(_ records: RecordCache, context: inout Context) {
    for notice in pending.takeDue(at: context.now) { send(notice, records, context: &context) }
    if let next = pending.next { context.deadlines.schedule(.clones, at: next) }
  }

  private mutating func send(
    _ notice: CloneNotice, _ records: RecordCache, context: inout Context
  ) {
    guard let peer = context.peers[notice.device] else { return }
    var packet = Packet()
    if let topic = notice.topic {
      guard let record = records[topic] else { return }
      packet.records = [record]
    } else {
      packet.roots = context.logs.roots()
    }
    for index in peer.sessions where index != notice.source {
      guard let session = context.sessions[index] else { continue }
      context.transmit(packet, on: index, to: .endpoint(session.endpoint, session.link))
    }
  }

  func checkInvariants() {
    precondition(pending.count <= Limits.cloneNotices, "\(pending.count) clone notices")
  }
}
