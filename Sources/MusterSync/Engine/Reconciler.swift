internal import MusterModel

/// Anti-entropy: finds differences by roots, then by trie nodes. Each node describes what is under
/// its prefix and nothing else.
///
///     roots ─▶ nodes of the sets that differ ─▶ nodes of differing children … ─▶ leaves
///     leaves ─▶ what the sender is missing is sent at once, within the credit of its message;
///               what is missing here is requested
struct Reconciler: Sendable {
  /// The peer that may push unrequested data, and until when.
  private var granted: Grant?
  private var comparisons = RecordComparisons()
  /// When a digest exchange last began with any peer.
  private var began: Instant?

  /// Records that a record was pushed here.
  mutating func noteRecordPush(at now: Instant) { comparisons.notePush(at: now) }

  /// Compares roots. Returns whether they differ and a digest exchange begins, which is an answer
  /// in itself.
  @discardableResult
  mutating func compare(
    _ roots: Roots, of device: DeviceID, on session: UInt32?, context: inout Context
  ) -> Bool {
    let own = context.logs.roots()
    context.peers[known: device].holdings.roots = roots
    context.peers[known: device].holdings.rootsAt = context.now
    for lane in Lane.allCases where roots[SetID(lane)] == own[SetID(lane)] {
      let count = context.logs.frameCounts()[lane] ?? 0
      context.peers[known: device].holdings.agreedFrames[lane] = count
    }
    context.confirm(roots, by: device, on: session)
    var differing = SetID.allCases.filter { roots[$0] != own[$0] }
    if !mayCompareRecords(with: device, on: session, context: &context) {
      differing.removeAll { $0 == .records }
    }
    if !context.mayCompareCertificates(own, roots, of: device) {
      differing.removeAll { $0 == .certificates }
    }
    guard !differing.isEmpty, hasRoomForDigest(of: differing, context),
      mayBeginDigest(with: device, own: own, theirs: roots, context: &context)
    else {
      return false
    }
    if differing.contains(.records) {
      comparisons.noteBegin(at: context.now)
      context.peers[known: device].digests.records = context.now
    }
    began = context.now
    for set in differing {
      context.peers[known: device].digests.begun[set] = context.clock.now
      send(context.logs.node(of: set, prefix: .root, answers: false), to: device, context: &context)
    }
    return true
  }

  /// Whether the links have room for one more digest exchange: together, those of all devices take
  /// a part of their capacity. While data is in flight, roots always differ somewhere, and records
  /// differ in many places.
  private func hasRoomForDigest(of sets: [SetID], _ context: Context) -> Bool {
    guard let began else { return true }
    let datagrams = sets == [.records] ? Timing.digestDatagrams : 1
    let crowd = context.outbox.links.airtimeMilliseconds(of: context.peers.crowd)
    return context.now.milliseconds(since: began) >= Timing.shareOfCrowd * datagrams * crowd
  }

  private func mayCompareRecords(
    with device: DeviceID, on session: UInt32?, context: inout Context
  ) -> Bool {
    if session.flatMap({ context.sessions[$0] })?.link == .uplink,
      !comparisons.mayBeginOnUplink(
        at: context.now, last: context.peers[known: device].digests.records)
    {
      return false
    }
    return comparisons.mayBegin(
      at: context.now, narrowness: context.outbox.links.isFull ? 1000 : context.narrowness)
  }

  /// Returns whether to begin a digest exchange. In a busy mesh roots always differ: the same
  /// difference is examined with growing intervals, and a new one shortens the heartbeats a limited
  /// number of times.
  private mutating func mayBeginDigest(
    with device: DeviceID, own: Roots, theirs: Roots, context: inout Context
  ) -> Bool {
    var digest = Digested(at: context.now, own: own, theirs: theirs)
    if let last = context.peers[known: device].digests.last {
      let isSame = last.own == own && last.theirs == theirs
      let doublings = Int64(min(last.repeats, Timing.digestDoublings))
      let wait =
        isSame
        ? Timing.digestRepeatMilliseconds << doublings
        : Timing.digestMilliseconds + 4 * context.outbox.links.patienceMilliseconds
      guard context.now.milliseconds(since: last.at) >= wait else { return false }
      if isSame { digest.repeats = last.repeats + 1 }
    }
    context.peers[known: device].digests.last = digest
    if digest.repeats == 0,
      context.peers[known: device].heartbeat.resets.take(
        Heartbeat.resetMilliseconds, now: context.now)
    {
      context.peers[known: device].heartbeat.recheck(now: context.clock.now)
      context.scheduleTending(of: device)
    }
    return true
  }

  private mutating func send(_ node: DigestNode, to device: DeviceID, context: inout Context) {
    var packet = Packet()
    packet.digest = [node]
    if case .leaves = node.contents, !node.answers, mayGrant(to: device, context: &context) {
      packet.digest[0].credit = Limits.digestCreditBytes
      if granted?.places.count ?? 0 < Limits.knownHeads {
        granted?.places.insert(Grant.Place(set: node.set, prefix: node.prefix))
      }
    }
    context.outbox.add(packet, importance: .control, to: device)
    if !node.answers { context.expectAnswer(from: device) }
  }

  /// Returns whether this peer may push unrequested data: one peer at a time, to avoid duplicates.
  private mutating func mayGrant(to device: DeviceID, context: inout Context) -> Bool {
    if let granted, granted.device != device, granted.until > context.now { return false }
    let until = context.now.advanced(byMilliseconds: Timing.grantMilliseconds)
    var grant = granted?.device == device ? granted : nil
    if let last = grant?.until, last <= context.now { grant = nil }
    granted = Grant(device: device, until: until, places: grant?.places ?? [])
    return true
  }

  /// Returns whether a peer knows what is stored under a prefix, and pushes what is missing there.
  private func isGranted(_ node: DigestNode, to device: DeviceID, context: inout Context) -> Bool {
    guard let granted, granted.device == device, granted.until > context.now else { return false }
    return granted.places.contains(Grant.Place(set: node.set, prefix: node.prefix))
  }

  mutating func compare(
    _ node: DigestNode, of device: DeviceID, on session: UInt32?, frames: inout FrameReceiver,
    evidence: inout EvidenceExchange,
    records: RecordCache, context: inout Context
  ) {
    switch node.contents {
    case .children(let hashes):
      guard !isAnsweredElsewhere(node, of: device, context: &context) else { return }
      for (nibble, hash) in hashes.enumerated() {
        let prefix = node.prefix.child(nibble)
        guard context.logs.hash(of: node.set, prefix: prefix) != hash else {
          context.confirmSubtree(of: node.set, under: prefix, by: device, on: session)
          continue
        }
        send(
          context.logs.node(of: node.set, prefix: prefix, answers: false), to: device,
          context: &context)
      }
    case .leaves(let leaves):
      context.peers[known: device].digests.begun[node.set] = nil
      let comesUnasked = !node.answers && isGranted(node, to: device, context: &context)
      for leaf in leaves where node.prefix.range.contains(leaf.key) {
        note(
          leaf, in: node.set, of: device, on: session, comesUnasked: comesUnasked, frames: &frames,
          evidence: &evidence, records: records, context: &context)
      }
      if !node.answers { supply(leaves, of: node, to: device, records: records, context: &context) }
    }
  }

  /// Returns whether the peer answers instead: if both sides begin at once, only the device with
  /// the lower id answers, since one comparison finds everything.
  private mutating func isAnsweredElsewhere(
    _ node: DigestNode, of device: DeviceID, context: inout Context
  ) -> Bool {
    guard node.prefix == .root else {
      context.peers[known: device].digests.begun[node.set] = nil
      return false
    }
    guard device < context.local.device,
      let begun = context.peers[known: device].digests.begun[node.set]
    else {
      return false
    }
    return context.now.milliseconds(since: begun) < Timing.digestRepeatMilliseconds
  }

  /// Sends what the sender of these leaves is missing, as far as its credit allows, and lists the
  /// rest.
  private mutating func supply(
    _ leaves: [LeafHint], of node: DigestNode, to device: DeviceID, records: RecordCache,
    context: inout Context
  ) {
    var theirs: [Bytes16: LeafHint] = [:]
    for leaf in leaves { theirs[leaf.key] = leaf }
    var credit = node.credit
    var rest: [LeafHint] = []
    for own in context.logs.leaves(of: node.set, under: node.prefix) {
      let their = theirs[own.key]
      if node.set == .certificates {
        guard their == nil else { continue }
        if credit >= Context.chainBytes {
          credit -= Context.chainBytes
          context.serveCertificates([own.key], to: device)
        } else {
          rest.append(own)
        }
      } else if node.set == .evidence {
        if their == nil { rest.append(own) }
      } else if node.set == .records {
        guard their?.hash != own.hash, let record = records[RecordTopic(raw: own.key)] else {
          continue
        }
        if credit >= record.body.count, !isForAll(record, context) {
          credit -= record.body.count
          context.outbox.add(record, to: device)
        } else {
          rest.append(own)
        }
      } else if their.map({ $0.number < own.number }) ?? true {
        let first = context.logs[LogID(raw: own.key)]?.first ?? 0
        let from = their.map { max(UInt64($0.number) + 1, first) } ?? first
        let frames = min(UInt64(own.number) + 1 - from, UInt64(credit / Limits.frameBodyBytes))
        if frames > 0, node.set != .quarantine {
          credit -= Int(frames) * Limits.frameBodyBytes
          let through = from + frames - 1
          // A peer without the strand needs the position at which it branches off.
          let asked = their == nil ? 0 : from
          context.serve([Want(log: LogID(raw: own.key), from: asked, through: through)], to: device)
          if through < UInt64(own.number) { rest.append(own) }
        } else {
          rest.append(own)
        }
      }
    }
    guard !rest.isEmpty else { return }
    // A peer that is missing much is led to it by subtree hashes, since a packet holds few leaves.
    guard rest.count <= Self.leavesInAnswer else {
      return send(
        context.logs.node(of: node.set, prefix: node.prefix, answers: false), to: device,
        context: &context)
    }
    var answer = node
    answer.contents = .leaves(rest)
    answer.answers = true
    answer.credit = 0
    send(answer, to: device, context: &context)
  }

  /// Whether a record is listed, so that a request for it is answered to all that are missing it.
  /// What its author sends again and again is sent at once: few are missing it for long.
  private func isForAll(_ record: LatestRecord, _ context: Context) -> Bool {
    let fresh = Fresh.records([record])
    return !fresh.isPeriodic && fresh.isAnsweredToAll(narrowness: context.narrowness)
  }

  /// The number of leaves that fit a packet.
  private static let leavesInAnswer = 32

  /// Records a leaf, which states exactly what the peer holds, possibly less than before.
  private mutating func note(
    _ leaf: LeafHint, in set: SetID, of device: DeviceID, on session: UInt32?,
    comesUnasked: Bool, frames: inout FrameReceiver, evidence: inout EvidenceExchange,
    records: RecordCache, context: inout Context
  ) {
    switch set {
    case .records where comesUnasked: break
    case .certificates where comesUnasked: break
    case .evidence: evidence.request(leaf.key, from: device, context: &context)
    case .certificates: context.wantCertificate(leaf.key, from: device)
    case .records:
      wantRecord(
        RecordTopic(raw: leaf.key), hash: leaf.hash, from: device, records: records,
        context: &context)
    case .quarantine:
      let log = LogID(raw: leaf.key)
      let known = context.peers[known: device].holdings.logs[log]?.sequence ?? 0
      context.remember(
        log, KnownHead(set: set, sequence: max(UInt64(leaf.number), known)), of: device)
      frames.pulls.enqueue(log, from: device, context: &context)
    default:
      let log = LogID(raw: leaf.key)
      // It may hold more of the log in the quarantine set.
      let known = context.peers[known: device].holdings.logs[log]
      let beyond = known?.set == .quarantine ? known?.sequence ?? 0 : 0
      context.remember(
        log, KnownHead(set: set, sequence: max(UInt64(leaf.number), beyond)), of: device)
      context.confirm(leaf, isExact: true, by: device)
      context.noteShared(leaf, on: session)
      frames.noteFork(leaf, of: device, context: &context)
      if !comesUnasked { frames.pulls.enqueue(log, from: device, context: &context) }
    }
  }

  private mutating func wantRecord(
    _ topic: RecordTopic, hash: UInt64, from device: DeviceID, records: RecordCache,
    context: inout Context
  ) {
    if context.peers[known: device].holdings.records[topic] != nil
      || context.peers[known: device].holdings.records.count < Limits.knownRecords
    {
      context.peers[known: device].holdings.records[topic] = hash
    }
    if let held = records[topic], LeafHint(held).hash == hash { return }
    var packet = Packet()
    packet.recordWants = [topic]
    context.outbox.add(packet, importance: .positions, to: device)
  }
}
