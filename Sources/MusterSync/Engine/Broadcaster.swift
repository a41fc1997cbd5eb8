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
  private var relays = RelayQueue()
  private var positionFeed = PositionFeed()
  private var frameFeed = FrameFeed()

  /// Counts copies of waiting relays in what another device relayed on a link.
  mutating func noteCopies(of run: Run, on link: LinkID) {
    relays.noteCopy(on: link) { $0.isContained(in: run) }
  }

  mutating func noteCopies(of records: [LatestRecord], on link: LinkID) {
    relays.noteCopy(on: link) { $0.isContained(in: records) }
  }

  /// - Parameters:
  ///   - source: the peer that sent it; nil for data of this device.
  ///   - arrival: how it came; nil for data of this device.
  mutating func push(
    _ fresh: Fresh, from source: DeviceID?, by arrival: Arrival?, announcer: inout Announcer,
    context: inout Context
  ) {
    var covered = arrival?.covered ?? []
    var (direct, audiences) = audience(
      of: fresh, butNot: source, covered: covered, context: &context)
    let cameBy = arrival?.sharedLink
    audiences.removeAll { audience in
      guard audience.link != cameBy, audience.count == 1,
        context.peers[audience.devices[0]]?.isReachable == true
      else { return false }
      direct.append(audience.devices[0])
      return true
    }
    direct = addressees(among: direct.sorted(), of: fresh, context: &context)
    let key = fresh.key
    let tag = { (device: DeviceID) in DeviceTag(device, about: key) }
    covered.insert(tag(context.local.device))
    if let source { covered.insert(tag(source)) }
    for device in direct { covered.insert(tag(device)) }
    multicast(
      fresh, to: audiences, cameBy: cameBy, isOwn: source == nil, covered: covered,
      announcer: &announcer, context: &context)
    guard !direct.isEmpty else { return }
    for audience in audiences { for device in audience.devices { covered.insert(tag(device)) } }
    // Of hundreds of receivers the list could name only an arbitrary few.
    covered =
      direct.count > Limits.coveredDevices
      ? [] : Set(covered.sorted().prefix(Limits.coveredDevices))
    let author = fresh.log.flatMap { context.logs[$0]?.opening.certificate }
    var push = Push(fresh, covered: covered, author: author)
    for device in direct { send(&push, to: device, context: &context) }
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

  /// The peers that receive multicast on one link and are missing the data.
  private struct Audience {
    let link: LinkID
    var devices: [DeviceID] = []
    /// The number of receivers. In a large group not all are examined, but all are counted.
    var count = 0
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
    of fresh: Fresh, butNot source: DeviceID?, covered: Set<DeviceTag>, context: inout Context
  ) -> (direct: [DeviceID], audiences: [Audience]) {
    var direct: [DeviceID] = []
    var audiences: [Audience] = []
    let (key, items) = (fresh.key, NewItems(fresh))
    let covered = unambiguous(covered, about: key, in: context.roster)
    // On an uplink no relay would make up for a tag that is wrong, whether its sender lies or has a
    // device that is not known here. So none counts there for distress calls, or among many peers.
    let countOnUplinks =
      !fresh.isUrgent && context.peers.connected.count <= Limits.coveredDevices
    for device in context.peers.devices where device != source {
      var place: Int?
      if let announced = context.peers[device]?.presence.announced,
        context.announcesServe(since: announced.at)
      {
        place = audiences.firstIndex { $0.link == announced.link }
        if place == nil {
          place = audiences.count
          audiences.append(Audience(link: announced.link))
        }
      }
      if let place, audiences[place].devices.count > Limits.coveredDevices {
        audiences[place].count += 1
        continue
      }
      let isCovered =
        covered.contains(DeviceTag(device, about: key))
        && (countOnUplinks || !isOnUplink(device, context: &context))
      guard !isCovered, isMissing(items, device, context: &context) else { continue }
      if let place {
        audiences[place].devices.append(device)
        audiences[place].count += 1
      } else if context.peers[device]?.isReachable == true {
        direct.append(device)
      }
    }
    audiences.removeAll { $0.count == 0 }
    return (direct, audiences.sorted { $0.link < $1.link })
  }

  private mutating func multicast(
    _ fresh: Fresh, to audiences: [Audience], cameBy: LinkID?, isOwn: Bool,
    covered: Set<DeviceTag>, announcer: inout Announcer, context: inout Context
  ) {
    for audience in audiences {
      let (link, count) = (audience.link, Int64(audience.count))
      let covered = covered.union(sureAudience(audience.devices, of: fresh, context: &context))
      guard !isOwn else {
        if !multicast(fresh, on: link, covered: covered, announcer: &announcer, context: &context) {
          announcer.quicken(context: &context)
        }
        continue
      }
      var most = min(
        Timing.relayLastMilliseconds,
        Timing.relayMilliseconds + fresh.relayMillisecondsPerPeer * count)
      if context.outbox.links.isNarrow {
        // On a slow link, copies from others are received late.
        most = min(
          Timing.relayLastOnNarrowLinksMilliseconds,
          most + context.outbox.links.patienceMilliseconds * count / 16)
      }
      let wait = 1 + Int64(context.random.uniform(below: UInt64(most)))
      relays.add(
        RelayQueue.Relay(
          fresh: fresh, link: link, at: context.now.advanced(byMilliseconds: wait),
          covered: covered,
          copies: link == cameBy ? 1 : 0))
      context.deadlines.schedule(.relays, at: context.now.advanced(byMilliseconds: wait))
    }
  }

  /// Returns the tags of devices that certainly receive this multicast, so that no relay repeats it
  /// for them: flooding with self-pruning (Lim and Kim, 2001). Only at low loss, and only for
  /// records, which the next one replaces; frames are received twice. On a narrow link that is true
  /// of urgent frames alone: copies of the others would wait in the queues of all radios, where no
  /// device receives them in time to withdraw its own.
  private func sureAudience(
    _ receivers: [DeviceID], of fresh: Fresh, context: inout Context
  ) -> Set<DeviceTag> {
    let isNarrow = context.outbox.links.isNarrow
    guard fresh.isReplaceable || isNarrow && !fresh.isUrgent,
      receivers.count <= Limits.coveredDevices
    else { return [] }
    let losses = context.peers.connected.compactMap {
      context.outbox.sendQueues[$0]?.path.receivedLoss.percent
    }
    // A narrow link carries so few datagrams that one that is late makes a path look lossy.
    let loss = isNarrow ? losses.reduce(0, +) / max(1, losses.count) : losses.max() ?? 0
    guard loss <= Timing.reliableLossPercent else { return [] }
    return Set(receivers.map { DeviceTag($0, about: fresh.key) })
  }

  mutating func sendDueRelays(
    _ records: RecordCache, announcer: inout Announcer, context: inout Context
  ) {
    for relay in relays.takeDue(at: context.now) where isStillFresh(relay.fresh, in: records) {
      if !multicast(
        relay.fresh, on: relay.link, covered: relay.covered, announcer: &announcer,
        context: &context)
      {
        announcer.quicken(context: &context)
      }
    }
    if let next = relays.next { context.deadlines.schedule(.relays, at: next) }
  }

  private func isStillFresh(_ fresh: Fresh, in records: RecordCache) -> Bool {
    switch fresh {
    case .frames: true
    case .records(let pushed):
      pushed.contains { records[$0.topic]?.order == $0.order }
    }
  }

  /// Sends the data in as few datagrams as possible. Returns false if a record does not fit one.
  private mutating func multicast(
    _ fresh: Fresh, on link: LinkID, covered: Set<DeviceTag>, announcer: inout Announcer,
    context: inout Context
  ) -> Bool {
    switch fresh {
    case .frames(let frames, let lane, let previous):
      for run in Run.pieces(of: frames, previous: previous, covered: covered) {
        var announce = announcer.blank(context: &context)
        announce.runs = [run]
        context.transmit(
          announcer.sealed(announce, context: &context),
          to: .multicast(link == .unknown ? nil : link),
          importance: lane == .urgent ? .urgent : .control)
      }
    case .records(let records):
      var announce = announcer.blank(context: &context)
      announce.covered = covered
      announce.records = records
      let datagram = announcer.sealed(announce, context: &context)
      guard datagram.count <= Limits.datagramBytes else { return false }
      context.transmit(
        datagram, to: .multicast(link == .unknown ? nil : link),
        importance: fresh.isOfNeighbours ? .history : .control)
    }
    return true
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
        && isMissing(items, $0, context: &context)
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

  /// Returns whether a peer has not proved that it holds this, or newer data.
  private func isMissing(_ items: NewItems, _ device: DeviceID, context: inout Context) -> Bool {
    switch items {
    case .head(let log, let sequence):
      context.peers[device]?.holdings.logs[log].map { $0.sequence < sequence } ?? true
    case .records(let hints):
      hints.contains {
        context.peers[device]?.holdings.records[RecordTopic(raw: $0.key)] != $0.hash
      }
    }
  }

  func checkInvariants() {
    precondition(relays.count <= Limits.relays, "\(relays.count) relays")
    positionFeed.checkInvariants()
    frameFeed.checkInvariants()
  }
}

/// What is new in the data, prepared once, since every peer is checked against it.
private enum NewItems: Sendable {
  case head(LogID, UInt64)
  case records([LeafHint])

  init(_ fresh: Fresh) {
    switch fresh {
    case .frames(let frames, _, _):
      self = .head(frames[0].strand, frames[frames.count - 1].sequence)
    case .records(let records): self = .records(records.map { LeafHint($0) })
    }
  }
}

extension Run {
  /// Returns runs that each fit a multicast datagram, as any single frame does. Covered devices are
  /// listed as far as there is room.
  fileprivate static func pieces(
    of frames: [Frame], previous: FrameHash, covered: Set<DeviceTag>
  ) -> [Run] {
    var (pieces, rest, previous) = ([Run](), frames[...], previous)
    while !rest.isEmpty {
      var count = rest.count
      var run = Run(Array(rest), of: rest[rest.startIndex].strand, after: previous)
      while count > 1, run.wire.bytes.count > Limits.announcedRunBytes {
        count -= 1
        run = Run(Array(rest.prefix(count)), of: run.log, after: previous)
      }
      // Two bytes per device, and three for the field.
      let room = max(0, Limits.announcedRunBytes - run.wire.bytes.count - 3) / 2
      run.covered = Set(covered.sorted().prefix(room))
      pieces.append(run)
      previous = rest[rest.startIndex + count - 1].hash
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}
