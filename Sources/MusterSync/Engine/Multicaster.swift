internal import MusterModel

/// Data that is to be sent by multicast: new data of this device at once, that of others as a
/// relay, after a random wait; and what a peer asked for, if others may be missing it too.
///
///     new data ─▶ intent ── its wait ends, and the link is open ─▶ needed? ─▶ sealed and sent
///                   ▲                                                └─▶ withdrawn
///                   └─ copies of other users, once verified
///
/// A relay is withdrawn only when each device that is received here, and not known to hold the
/// data, is received by the senders of enough copies: flooding with self-pruning (Lim and Kim,
/// 2001). So the only device that receives another one relays to it, in a group of any size. Each
/// copy lists the devices that its sender receives.
///
/// What waits is not sealed. It costs nothing once it is not needed, and newer data replaces it.
///
/// Invariant: at most `Limits.relays` wait, each item once for a link; the least important and
/// oldest is dropped, and its receivers learn of the data by digests.
struct Multicaster: Sendable {
  private var waiting: [Intent] = []
  private var answers = AnswerLedger()
  /// Whether a multicast was sent while something else waited for the link, which is next.
  private var hasPassed = false

  /// Data to be sent on a link.
  private struct Intent: Sendable {
    let fresh: Fresh
    let link: LinkID
    /// The earliest time of transmission.
    var at: Instant
    let reason: Reason
    /// Devices that hold the data, or were sent it otherwise.
    let covered: Set<DeviceTag>
    var copies: [Copy]
    /// How often data of this device was sent, and no relay of it received.
    var attempts: Int64 = 0

    var isOwn: Bool { if case .own = reason { true } else { false } }

    var isAnswer: Bool { if case .answer = reason { true } else { false } }

    /// Whether it waits for this device's part of what concerns all. New frames do not: a missing
    /// one is missing until a device asks for it. Nor does an answer by its author: it comes first,
    /// and withdraws those of all others.
    var isShared: Bool {
      if case .answer(let isByAuthor) = reason { !isByAuthor } else { fresh.log == nil }
    }

    /// New data comes before answers.
    var importance: Outbox.Importance {
      guard isAnswer, case .frames(_, let lane, _) = fresh else { return fresh.importance }
      return lane == .control ? .positions : Outbox.Importance(lane)
    }
  }

  private enum Reason: Sendable {
    /// Data of this device.
    case own
    /// Data of others that is new here.
    case relay
    /// A peer asked for it.
    case answer(byAuthor: Bool)
  }

  /// A multicast of the data by another user.
  struct Copy: Sendable {
    let user: UserID
    /// The devices that its sender receives.
    let covered: Set<DeviceTag>
  }

  var count: Int { waiting.count }

  /// Adds data to be sent on a link: at once if it is of this device, else after a random wait.
  ///
  /// - Parameters:
  ///   - copy: the multicast by which it was received on this link, if any.
  ///   - receivers: the number of devices that are received on the link.
  ///   - isMissed: whether one of these is missing the data: otherwise a relay is a further copy.
  mutating func add(
    _ fresh: Fresh, on link: LinkID, receivers: Int, isMissed: Bool, isOwn: Bool,
    covered: Set<DeviceTag>, copy: Copy?, context: inout Context
  ) {
    var at = context.now
    if !isOwn {
      let most = longestWait(of: fresh, receivers: receivers, isMissed: isMissed, context: context)
      at = at.advanced(byMilliseconds: 1 + Int64(context.random.uniform(below: UInt64(most))))
    }
    add(
      Intent(
        fresh: fresh, link: link, at: at, reason: isOwn ? .own : .relay, covered: covered,
        copies: copy.map { [$0] } ?? []),
      context: &context)
  }

  private mutating func add(_ added: Intent, context: inout Context) {
    var intent = added
    waiting.removeAll { earlier in
      guard earlier.link == intent.link, earlier.fresh.isContained(in: intent.fresh) else {
        return false
      }
      intent.at = min(intent.at, earlier.at)
      return true
    }
    waiting.append(intent)
    if waiting.count > Limits.relays {
      let least = waiting.indices.max {
        (waiting[$0].importance, $1) < (waiting[$1].importance, $0)
      }
      if let least { waiting.remove(at: least) }
    }
    context.deadlines.schedule(.relays, at: intent.at)
  }

  /// Adds what a peer asked for. Its author sends it soon; all others after a random wait, so that
  /// they receive that multicast, or the first of theirs.
  ///
  /// - Parameters:
  ///   - pieces: one item, in pieces that each fit a datagram; not empty.
  ///   - receivers: the number of devices that are received on the link.
  ///   - hasSession: whether the peer can be answered on a session.
  /// - Returns: false if it is to be answered there.
  mutating func answer(
    with pieces: [Fresh], byAuthor isByAuthor: Bool, on link: LinkID, receivers: Int,
    hasSession: Bool, context: inout Context
  ) -> Bool {
    let item = AnswerLedger.Item(pieces)
    switch answers.verdict(on: item, hasSession: hasSession, now: context.now) {
    case .onItsWay: return true
    case .alone: return false
    case .toAll: break
    }
    var longest: Int64 = 0
    for fresh in pieces {
      longest = longestWait(of: fresh, receivers: receivers, isMissed: false, context: context)
      let drawn = Int64(context.random.uniform(below: UInt64(longest)))
      let wait = isByAuthor ? 1 : 1 + longest / Self.authorsPart + drawn
      add(
        Intent(
          fresh: fresh, link: link, at: context.now.advanced(byMilliseconds: wait),
          reason: .answer(byAuthor: isByAuthor), covered: [], copies: []),
        context: &context)
    }
    let links = context.outbox.links
    answers.note(
      item, within: longest + links.patienceMilliseconds + links.delayMilliseconds,
      now: context.now)
    return true
  }

  /// The part of the longest wait that is left to the author of what is asked for.
  private static let authorsPart: Int64 = 8

  /// Returns the longest random wait before a relay, in milliseconds: the time in which all
  /// receivers could relay, twice, so that a few relays withdraw all others.
  private func longestWait(
    of fresh: Fresh, receivers: Int, isMissed: Bool, context: Context
  ) -> Int64 {
    let links = context.outbox.links
    let least = min(
      Timing.relayLastMilliseconds,
      Timing.relayMilliseconds + fresh.relayMillisecondsPerPeer * Int64(receivers))
    let bytes = fresh.bytes + 2 * receivers
    let airtime = links.airtimeMilliseconds(of: context.peers.crowd, bytes: bytes)
    let all = 2 * (airtime + links.delayMilliseconds)
    let most =
      if !isMissed {
        Timing.furtherCopyLastMilliseconds
      } else if fresh.isUrgent {
        Timing.urgentRelayLastMilliseconds
      } else {
        Timing.relayLastInCrowdsMilliseconds
      }
    return min(max(least, all), most)
  }

  // MARK: Copies

  /// Counts copies of what waits in a multicast of another user, after its contents were verified:
  /// frames equal to waiting ones, and records that are stored now.
  mutating func noteCopies(
    in announce: Announce, from device: DeviceID, on link: LinkID, records: RecordCache,
    context: Context
  ) {
    guard !waiting.isEmpty else { return }
    for run in announce.runs {
      noteCopy(from: device, on: link, covered: run.covered, context: context) {
        $0.isContained(in: run)
      }
    }
    let verified = (announce.records + [announce.record].compactMap { $0 }).filter { record in
      records[record.topic].map { LeafHint($0) == LeafHint(record) } ?? false
    }
    noteCopy(from: device, on: link, covered: announce.covered, context: context) {
      $0.isContained(in: verified)
    }
  }

  private mutating func noteCopy(
    from device: DeviceID, on link: LinkID, covered: Set<DeviceTag>, context: Context,
    _ isCopy: (Fresh) -> Bool
  ) {
    guard let user = context.user(of: device) else { return }
    for index in waiting.indices where waiting[index].link == link {
      guard waiting[index].copies.count < Timing.mostCopies,
        !waiting[index].copies.contains(where: { $0.user == user }),
        isCopy(waiting[index].fresh)
      else { continue }
      waiting[index].copies.append(Copy(user: user, covered: covered))
    }
  }

  /// Returns how many copies, from different users, each receiver is to be sent: one if a missed
  /// one is repaired soon; more for urgent data, and where datagrams are lost.
  static func copies(of fresh: Fresh, receivers: Int, context: Context) -> Int {
    let links = context.outbox.links
    // A full queue loses more with each further copy.
    let loss = links.isCongested(now: context.now) ? 0 : lossPercent(context)
    if fresh.isUrgent {
      // So that one device in a thousand misses all of them.
      return [3, 10, 17, 25].firstIndex { loss <= $0 }.map { $0 + 2 } ?? Timing.mostCopies
    }
    // The second copy of a frame saves a request. The more of the links' capacity a relay by each
    // receiver would take, the fewer frames have one.
    let busy = links.airtimeMilliseconds(of: receivers) + links.delayMilliseconds
    guard fresh.draw < 1000 - busy else { return 1 }
    return fresh.isReplaceable && loss <= Timing.reliableLossPercent ? 1 : 2
  }

  /// Returns the mean loss rate of datagrams from peers on this device's links.
  private static func lossPercent(_ context: Context) -> Int {
    let losses = context.peers.connected.compactMap { device -> Int? in
      guard let path = context.outbox.sendQueues[device]?.path, !path.window.isOverTCP else {
        return nil
      }
      return path.receivedLoss.percent
    }
    return losses.reduce(0, +) / max(1, losses.count)
  }

  // MARK: Transmission

  /// Sends what is due and needed, the most important first, while its link is open.
  mutating func sendDue(_ records: RecordCache, announcer: inout Announcer, context: inout Context)
  {
    while let index = nextDue(context: &context) {
      let intent = waiting[index]
      if !intent.fresh.isUrgent, yieldsLink(context: context) { break }
      waiting.remove(at: index)
      // A relay shows that it was received.
      if intent.attempts > 0, !intent.copies.isEmpty { continue }
      guard let fresh = current(intent.fresh, in: records),
        let listed = receiversInNeed(of: intent, context: &context)
      else { continue }
      send(fresh, for: intent, covered: listed, announcer: &announcer, context: &context)
      hasPassed = true
      if intent.isOwn, context.narrowness > 0 { repeatLater(intent, context: context) }
    }
  }

  /// Repeats data of this device unless a relay of it is received, where many share a link: a full
  /// queue drops a multicast for all of its receivers at once, and nothing that follows soon names
  /// a presence record.
  private mutating func repeatLater(_ sent: Intent, context: Context) {
    var intent = sent
    intent.attempts += 1
    let most =
      sent.fresh.isUrgent ? Timing.urgentRepeats : sent.fresh.isPresence ? 1 : 0
    guard intent.attempts <= most else { return }
    intent.at = context.now.advanced(
      byMilliseconds: Timing.urgentRelayLastMilliseconds << intent.attempts)
    waiting.append(intent)
  }

  /// Returns whether something else is next, in turns: a sealed datagram or an urgent part that
  /// waits for a link.
  private mutating func yieldsLink(context: Context) -> Bool {
    guard context.outbox.links.isPaced, hasPassed else { return false }
    hasPassed = false
    return context.outbox.links.isQueueing || context.outbox.hasUrgentQueued
  }

  /// Schedules the next transmission, after everything else that the links admit was sent.
  mutating func schedule(context: inout Context) {
    var next: Instant?
    for intent in waiting {
      var at = max(intent.at, context.now.advanced(byMicroseconds: 1))
      if let opens = opensAt(intent, context: &context) { at = max(at, opens) }
      next = min(next ?? at, at)
    }
    if let next { context.deadlines.schedule(.relays, at: next) }
  }

  /// When an intent may be sent; nil if that is now.
  private func opensAt(_ intent: Intent, context: inout Context) -> Instant? {
    let link = context.outbox.links.opensAt(intent.link.destination, now: context.now)
    guard intent.isShared, link == nil else { return link }
    return context.outbox.links.commonOpensAt(crowd: context.peers.crowd, now: context.now)
  }

  private func nextDue(context: inout Context) -> Int? {
    var first: Int?
    for index in waiting.indices where waiting[index].at <= context.now {
      let intent = waiting[index]
      if let first, waiting[first].importance <= intent.importance { continue }
      guard opensAt(intent, context: &context) == nil else { continue }
      first = index
    }
    return first
  }

  /// Returns the data without records that newer ones replaced; nil if nothing is left.
  private func current(_ fresh: Fresh, in records: RecordCache) -> Fresh? {
    guard case .records(let pushed) = fresh else { return fresh }
    let isLeft = pushed.contains { record in
      records[record.topic].map { $0.version <= record.version } ?? false
    }
    return isLeft ? fresh : nil
  }

  /// Returns the list of covered devices for a multicast: those that are received on its link, and
  /// those that have the data otherwise. Nil if no device needs it.
  private func receiversInNeed(of intent: Intent, context: inout Context) -> Set<DeviceTag>? {
    let (key, items) = (intent.fresh.key, NewItems(intent.fresh))
    let received = context.peers.devices.filter { device in
      guard let reception = context.reception(of: device) else { return false }
      return reception.link == intent.link && (intent.isOwn || reception.isRecent)
    }
    let copies = Self.copies(of: intent.fresh, receivers: received.count, context: context)
    var (listed, shared) = (Set<DeviceTag>(), Set<DeviceTag>())
    for device in received {
      let tag = DeviceTag(device, about: key)
      if !listed.insert(tag).inserted { shared.insert(tag) }
    }
    let isNeeded = received.contains { device in
      let tag = DeviceTag(device, about: key)
      // Where each device is sent several copies, a tag of two devices counts once less.
      let wanted = copies + (copies > 1 && shared.contains(tag) ? 1 : 0)
      guard !intent.covered.contains(tag) || shared.contains(tag),
        intent.copies.lazy.filter({ $0.covered.contains(tag) }).prefix(wanted).count < wanted
      else { return false }
      return items.areMissing(at: device, context: &context)
    }
    guard isNeeded else { return nil }
    listed.formUnion(intent.covered)
    listed.insert(DeviceTag(context.local.device, about: key))
    // Where one copy suffices, what an earlier one covered is covered.
    if copies == 1 { for copy in intent.copies { listed.formUnion(copy.covered) } }
    return listed
  }

  /// Sends the data in as few datagrams as possible. If a record does not fit one, its receivers
  /// learn of it by digests.
  private func send(
    _ fresh: Fresh, for intent: Intent, covered: Set<DeviceTag>, announcer: inout Announcer,
    context: inout Context
  ) {
    let destination = Destination.multicast(intent.link.destination)
    // A list that does not fit is cut at a random place, so that those of several senders name all.
    var tags = covered.sorted()
    let first = Int(context.random.uniform(below: UInt64(max(1, tags.count))))
    tags = Array(tags[first...] + tags[..<first])
    switch fresh {
    case .frames(let frames, _, let previous):
      for run in Run.pieces(of: frames, previous: previous, covered: tags) {
        var announce = announcer.blank(context: &context)
        announce.runs = [run]
        announce.isAnswer = intent.isAnswer
        let datagram = announcer.sealed(announce, context: &context)
        if intent.isShared { context.outbox.links.takeCommon(datagram.count, now: context.now) }
        context.transmit(datagram, to: destination, importance: fresh.importance)
      }
    case .records(let records):
      var announce = announcer.blank(context: &context)
      announce.records = records
      announce.isAnswer = intent.isAnswer
      var datagram = announcer.sealed(announce, context: &context)
      let room = (Limits.datagramBytes - datagram.count - 3) / 2
      guard room >= 0 else { return announcer.quicken(context: &context) }
      announce.covered = Set(tags.prefix(room))
      datagram = announcer.sealed(announce, context: &context)
      context.outbox.links.takeCommon(datagram.count, now: context.now)
      context.transmit(datagram, to: destination, importance: fresh.importance)
    }
  }

  func checkInvariants() {
    precondition(waiting.count <= Limits.relays, "\(waiting.count) multicasts")
  }
}

extension LinkID {
  /// The link of a multicast; nil for every link.
  fileprivate var destination: LinkID? { self == .unknown ? nil : self }
}

extension Run {
  /// Returns runs that each fit a multicast datagram, as any single frame does. Covered devices are
  /// listed as far as there is room.
  static func pieces(
    of frames: [Frame], previous: FrameHash, covered: [DeviceTag]
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
      run.covered = Set(covered.prefix(room))
      pieces.append(run)
      previous = rest[rest.startIndex + count - 1].hash
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}
