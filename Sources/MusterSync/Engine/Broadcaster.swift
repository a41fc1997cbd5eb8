internal import MusterModel

/// Broadcast of new data: it is sent at once to all peers that are missing it, and relayed at first
/// receipt.
///
///     peers received by multicast on a link, two or more ─▶ one multicast for all of them
///     all others ─▶ on their session, with the list of other receivers, to avoid duplicates
///     positions for more peers on uplinks than a few ─▶ one batch a second (`PositionFeed`)
///     frames of a busy log for so many ─▶ one batch each half second (`FrameFeed`)
///     received by multicast ─▶ relayed after a random wait, unless others did so first
///
/// A device that misses it learns of it by the next heads or roots.
struct Broadcaster: Sendable {
  var multicaster = Multicaster()
  private var positionFeed = PositionFeed()
  private var frameFeed = FrameFeed()

  /// - Parameters:
  ///   - source: the peer that sent it; nil for data of this device.
  ///   - arrival: how it came; nil for data of this device.
  mutating func push(
    _ fresh: Fresh, from source: DeviceID?, by arrival: Arrival?, announcer: inout Announcer,
    context: inout Context
  ) {
    var covered = arrival?.covered ?? []
    var (direct, audiences) = audience(of: fresh, butNot: source, by: arrival, context: &context)
    let cameBy = arrival?.sharedLink
    audiences.removeAll { audience in
      guard audience.link != cameBy, audience.missing.count == 1,
        context.peers[audience.missing[0]]?.isReachable == true
      else { return false }
      direct.append(audience.missing[0])
      return true
    }
    direct = addressees(among: direct.sorted(), of: fresh, context: &context)
    let key = fresh.key
    let tag = { (device: DeviceID) in DeviceTag(device, about: key) }
    let user = source.flatMap { context.user(of: $0) }
    let copy = user.map { Multicaster.Copy(user: $0, covered: covered) }
    var elsewhere = cameBy == nil ? covered : []
    elsewhere.formUnion(direct.map(tag))
    if let source { elsewhere.insert(tag(source)) }
    for audience in audiences
    where !isRepair(fresh, by: arrival, on: audience.link, context: context) {
      multicaster.add(
        fresh, on: audience.link, receivers: audience.receivers.count,
        isMissed: !audience.missing.isEmpty, isOwn: source == nil, covered: elsewhere,
        copy: audience.link == cameBy ? copy : nil, context: &context)
    }
    let silent = silentPeers(missing: fresh, butNot: source, context: &context)
    guard !direct.isEmpty || !silent.isEmpty else { return }
    covered.formUnion(elsewhere)
    covered.insert(tag(context.local.device))
    for audience in audiences { covered.formUnion(audience.receivers.map(tag)) }
    // Of hundreds of receivers the list could name only an arbitrary few.
    covered =
      direct.count > Limits.coveredDevices
      ? [] : Set(covered.sorted().prefix(Limits.coveredDevices))
    let author = fresh.log.flatMap { context.logs[$0]?.opening.certificate }
    var push = Push(fresh, covered: covered, author: author)
    for device in direct + silent { send(&push, to: device, context: &context) }
  }

  /// Whether data repairs what this device missed on a link where others have it: an answer that
  /// all receive, or a record that came on a session. The narrower the links, the fewer of the
  /// latter are relayed there. A call for help always is.
  private func isRepair(
    _ fresh: Fresh, by arrival: Arrival?, on link: LinkID, context: Context
  ) -> Bool {
    guard let arrival, arrival.link == link else { return false }
    if arrival.multicast == .answer { return !fresh.isUrgent }
    guard !arrival.isMulticast, fresh.isReplaceable else { return false }
    return fresh.draw < context.narrowness
  }

  /// Returns the peers that do not answer and are not received, if what is new is urgent: one that
  /// is back must not wait until it is asked. None of them counts as covered.
  private func silentPeers(
    missing fresh: Fresh, butNot source: DeviceID?, context: inout Context
  ) -> [DeviceID] {
    guard fresh.isUrgent else { return [] }
    let items = NewItems(fresh)
    return context.peers.connected.filter {
      $0 != source && context.peers[$0]?.isReachable == false
        && context.reception(of: $0) == nil && items.areMissing(at: $0, context: &context)
    }.sorted()
  }

  /// Returns the peers to which data is sent on their sessions.
  ///
  /// Over an uplink that is every peer: no other device relays to it, and the next heartbeat may be
  /// a minute away. Those that accept uplinks themselves come first, since they relay to others. Of
  /// all other peers it is a few: the rest gets the data from a relay, or learns of it by heads.
  /// What every device sends again and again goes to a few peers on uplinks too, but positions go
  /// to all of them, by the feed.
  private mutating func addressees(
    among missing: [DeviceID], of fresh: Fresh, context: inout Context
  ) -> [DeviceID] {
    guard missing.count > Limits.pushFanOut else { return missing }
    let positions = fresh.isPeriodic ? fresh.positions : []
    var (servers, clients, others) = ([DeviceID](), [DeviceID](), [DeviceID]())
    for device in missing {
      if fresh.isPeriodic && positions.isEmpty || !isOnUplink(device, context: &context) {
        others.append(device)
      } else if servesUplinks(device, context: &context) {
        servers.append(device)
      } else {
        clients.append(device)
      }
    }
    if !positions.isEmpty {
      if servers.count > Limits.pushFanOut { (servers, clients) = ([], servers + clients) }
      if !clients.isEmpty, positionFeed.add(positions, context: &context) { servers = [] }
      clients = []
    }
    if case .frames(let frames, _, _) = fresh, servers.count + clients.count > Limits.pushFanOut,
      !frameFeed.admits(frames[0].strand, from: frames[0].sequence, context: &context)
    {
      (servers, clients) = ([], [])
    }
    if others.count > Limits.pushFanOut {
      let first = Int(context.random.uniform(below: UInt64(others.count)))
      others = Array((others[first...] + others[..<first]).prefix(Limits.pushFanOut))
    }
    return servers + clients + others
  }

  /// Sends the next batch of positions to the peers on uplinks that are not sent each at once.
  mutating func feedPositions(_ records: RecordCache, context: inout Context) {
    var (servers, clients) = ([DeviceID](), [DeviceID]())
    for device in context.peers.connected
    where context.peers[device]?.isReachable == true && isOnUplink(device, context: &context) {
      if servesUplinks(device, context: &context) {
        servers.append(device)
      } else {
        clients.append(device)
      }
    }
    if servers.count > Limits.pushFanOut { (servers, clients) = ([], servers + clients) }
    positionFeed.sendDue(to: clients, servers: servers, records, context: &context)
  }

  /// Whether data to a peer leaves over an uplink.
  private func isOnUplink(_ device: DeviceID, context: inout Context) -> Bool {
    context.liveSession(of: device).flatMap { context.sessions[$0] }?.link == .uplink
  }

  /// Whether a device last authenticated with a role that accepts uplinks.
  private func servesUplinks(_ device: DeviceID, context: inout Context) -> Bool {
    let certificate = context.peers[device]?.certificate
    return certificate.flatMap { context.roster[$0] }?.role.servesUplinks ?? false
  }

  /// The peers that receive multicast on one link.
  private struct Audience {
    let link: LinkID
    var receivers: [DeviceID] = []
    /// Those that are missing the data: the first two.
    var missing: [DeviceID] = []
  }

  /// Returns the tags without those that two devices of the operation share. Tags are short, and
  /// the key of a log or topic is always the same: a device that shares its tag with one that is
  /// covered would never be sent anything of that log at once.
  private func unambiguous(
    _ tags: Set<DeviceTag>, about key: Bytes16, in roster: Roster
  ) -> Set<DeviceTag> {
    guard !tags.isEmpty else { return [] }
    var (named, shared) = (Set<DeviceTag>(), Set<DeviceTag>())
    for device in roster.devices {
      let tag = DeviceTag(device, about: key)
      if tags.contains(tag), !named.insert(tag).inserted { shared.insert(tag) }
    }
    return shared.isEmpty ? tags : tags.subtracting(shared)
  }

  /// Returns the peers that are missing the data as far as is known: by session, and by link.
  private func audience(
    of fresh: Fresh, butNot source: DeviceID?, by arrival: Arrival?, context: inout Context
  ) -> (direct: [DeviceID], audiences: [Audience]) {
    var direct: [DeviceID] = []
    var audiences: [Audience] = []
    let (key, items) = (fresh.key, NewItems(fresh))
    let tags = arrival?.covered ?? []
    var unshared: Set<DeviceTag>?
    // A multicast may be lost, and on an uplink no relay would make up for a tag that is wrong,
    // whether its sender lies or has a device that is not known here. So none counts there for
    // distress calls, or among many peers.
    let countOnSessions = !fresh.isUrgent || arrival?.isMulticast != true
    let countOnUplinks =
      !fresh.isUrgent && context.peers.connected.count <= Limits.coveredDevices
    for device in context.peers.devices where device != source {
      let isCovered = tags.contains(DeviceTag(device, about: key))
      guard let reception = context.reception(of: device) else {
        guard context.peers[device]?.isReachable == true else { continue }
        if isCovered, isOnUplink(device, context: &context) ? countOnUplinks : countOnSessions {
          let certain = unshared ?? unambiguous(tags, about: key, in: context.roster)
          unshared = certain
          guard !certain.contains(DeviceTag(device, about: key)) else { continue }
        }
        if items.areMissing(at: device, context: &context) { direct.append(device) }
        continue
      }
      let link = reception.link
      let place = audiences.firstIndex { $0.link == link } ?? audiences.count
      if place == audiences.count { audiences.append(Audience(link: link)) }
      audiences[place].receivers.append(device)
      if !isCovered, audiences[place].missing.count < 2, arrival == nil || reception.isRecent,
        items.areMissing(at: device, context: &context)
      {
        audiences[place].missing.append(device)
      }
    }
    guard arrival?.isMulticast == true else {
      return (direct, audiences.filter { !$0.missing.isEmpty }.sorted { $0.link < $1.link })
    }
    // Of what is sent several times, every receiver relays until it has received enough copies.
    let wanted = audiences.filter { audience in
      !audience.missing.isEmpty
        || audience.link == arrival?.link
          && Multicaster.copies(
            of: fresh, receivers: audience.receivers.count, context: context) > 1
    }
    return (direct, wanted.sorted { $0.link < $1.link })
  }

  private func send(_ push: inout Push, to device: DeviceID, context: inout Context) {
    // The peer knows of itself and of this sender.
    let known = [device, context.local.device].map { DeviceTag($0, about: push.fresh.key) }
    switch push.fresh {
    case .records:
      for part in push.parts(without: known) { context.outbox.add(part, to: device) }
    case .frames(let frames, _, let previous):
      let omitsPrevious = shows(
        device, thatItHolds: previous, before: frames[0], context: &context)
      for part in push.parts(without: known, omitsPrevious: omitsPrevious) {
        context.outbox.add(part, to: device)
      }
    }
    context.expectAnswer(from: device)
  }

  /// Returns whether a peer proved that the predecessor of a run is its newest frame: then the
  /// predecessor's hash is omitted.
  private func shows(
    _ device: DeviceID, thatItHolds previous: FrameHash, before first: Frame,
    context: inout Context
  ) -> Bool {
    let log = first.strand
    guard first.sequence > 0,
      let claim = context.peers[device]?.holdings.confirmations.claim(
        of: log, held: context.logs[log], change: context.logs.change(of: log))
    else { return false }
    return claim == LeafHint(Head(log: log, sequence: first.sequence - 1, hash: previous))
  }

  /// Pushes a few new frames to all reachable peers not known to hold them. Of many frames only the
  /// head is advertised, and peers request them; many peers on uplinks are sent some hundreds.
  mutating func forward(
    _ growth: FrameReceiver.Growth, from source: DeviceID?, by arrival: Arrival?,
    announcer: inout Announcer, context: inout Context
  ) {
    let (frames, opening, previous) = (growth.frames, growth.opening, growth.before)
    guard let last = frames.last else { return }
    guard frames.count > Limits.pushedFrames else {
      return push(
        .frames(frames, opening.lane, after: previous?.hash ?? FrameHash.none), from: source,
        by: arrival, announcer: &announcer, context: &context)
    }
    let head = Head(log: last.strand, sequence: last.sequence, hash: last.hash)
    var missing = context.peers.connected.filter { $0 != source }
    if frames.count <= Limits.fedFrames {
      let fed = Set(onUplinks(missing: head, context: &context))
      if fed.count > Limits.pushFanOut {
        frameFeed.wait(for: last.strand, from: frames[0].sequence, context: &context)
        missing.removeAll(where: fed.contains)
      }
    }
    advertise(head, lane: opening.lane, to: missing, context: &context)
  }

  private func advertise(
    _ head: Head, lane: Lane, to devices: [DeviceID], context: inout Context
  ) {
    var packet = Packet()
    packet.heads = [LeafHint(head)]
    for device in devices {
      guard let peer = context.peers[device], peer.isReachable else { continue }
      if let theirs = peer.holdings.logs[head.log], theirs.sequence >= head.sequence { continue }
      context.outbox.add(packet, importance: Outbox.Importance(lane), to: device)
      context.expectAnswer(from: device)
    }
  }

  // MARK: Busy logs

  /// Returns the reachable peers on uplinks that are not known to hold a log up to a head.
  private func onUplinks(missing head: Head, context: inout Context) -> [DeviceID] {
    let items = NewItems.head(head.log, head.sequence)
    return context.peers.connected.filter {
      context.peers[$0]?.isReachable == true && isOnUplink($0, context: &context)
        && items.areMissing(at: $0, context: &context)
    }
  }

  /// Fetches the frames that are due for the peers on uplinks.
  mutating func requestFedFrames(context: inout Context) {
    for (log, from) in frameFeed.takeDue(context: &context) {
      guard let summary = context.logs[log], from <= summary.head.sequence,
        !context.logs.isQuarantined(log, from)
      else { continue }
      guard summary.head.sequence - from < UInt64(Limits.fedFrames) else {
        let devices = onUplinks(missing: summary.head, context: &context)
        advertise(summary.head, lane: summary.opening.lane, to: devices, context: &context)
        continue
      }
      context.effects.append(
        .fetch(
          FetchRequest(
            device: context.local.device, log: log, from: from, through: summary.head.sequence,
            maxFrames: Limits.fedFrames,
            maxBytes: max(
              Int(Limits.signatureInterval) * Limits.frameBodyBytes,
              packetBytes * Self.datagramsInTurn(context)), kind: .feed)))
    }
  }

  /// The most datagrams of one log in a turn: more if they go to fewer peers.
  private static func datagramsInTurn(_ context: Context) -> Int {
    max(
      Limits.frameBatchDatagrams,
      Limits.frameBatchDatagramsInAll / max(1, context.peers.connected.count))
  }

  /// Sends the fetched frames of a log to the peers on uplinks that are missing them, encoded once
  /// for all. What does not fit this turn waits for the next one.
  mutating func feed(_ frames: [Frame], of log: LogID, context: inout Context) {
    guard let summary = context.logs[log], let first = frames.first else { return }
    let lane = summary.opening.lane
    guard let signed = frames.lastIndex(where: { $0.signature != nil }) else {
      let devices = onUplinks(missing: summary.head, context: &context)
      return advertise(summary.head, lane: lane, to: devices, context: &context)
    }
    let pieces = Run.pieces(of: Array(frames[...signed]), as: log, after: first.previous)
      .prefix(Self.datagramsInTurn(context))
    let parts = pieces.map { context.part($0, lane: lane) }
    let last = pieces.reduce(first.sequence) { $0 + UInt64($1.frames.count) } - 1
    let head = Head(log: log, sequence: last, hash: frames[Int(last - first.sequence)].hash)
    for device in onUplinks(missing: head, context: &context) {
      if context.outbox.sendQueues[device]?.queue.waiting ?? 0 < Limits.partsBeforeFeed {
        for part in parts { context.outbox.add(part, to: device) }
        context.expectAnswer(from: device)
      } else {
        advertise(summary.head, lane: lane, to: [device], context: &context)
      }
    }
    if last < summary.head.sequence { frameFeed.wait(for: log, from: last + 1, context: &context) }
  }

  func checkInvariants() {
    multicaster.checkInvariants()
    positionFeed.checkInvariants()
    frameFeed.checkInvariants()
  }
}
