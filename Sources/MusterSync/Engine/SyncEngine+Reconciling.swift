internal import MusterModel

/// Finding out what differs, by roots, then by trie nodes, each of which speaks for what is under
/// its prefix and for nothing else.
extension SyncEngine {
  /// Says what the top of every set looks like; the peer answers where its own differs.
  mutating func beginReconciling(with device: DeviceID) {
    for set in SetID.allCases {
      var packet = Packet()
      packet.digest = [shelf.node(of: set, prefix: .root, answers: false)]
      outbox.add(packet, importance: .control, to: device)
    }
  }

  mutating func compare(_ roots: Roots, of device: DeviceID) {
    guard let peer = peers[device] else { return }
    peers[device]?.roots = roots
    confirm(roots, by: device)
    let own = shelf.roots()
    guard roots != own else { return }
    if let last = peer.lastDigest, now.milliseconds(since: last) < Timing.digestMilliseconds {
      return
    }
    peers[device]?.lastDigest = now
    for set in SetID.allCases where roots[set] != own[set] {
      var packet = Packet()
      packet.digest = [shelf.node(of: set, prefix: .root, answers: false)]
      outbox.add(packet, importance: .control, to: device)
    }
  }

  mutating func compare(_ node: DigestNode, of device: DeviceID) {
    switch node.contents {
    case .children(let hashes):
      for (nibble, hash) in hashes.enumerated() {
        let prefix = node.prefix.child(nibble)
        guard shelf.hash(of: node.set, prefix: prefix) != hash else {
          confirmSubtree(of: node.set, under: prefix, by: device)
          continue
        }
        var packet = Packet()
        packet.digest = [shelf.node(of: node.set, prefix: prefix, answers: false)]
        outbox.add(packet, importance: .control, to: device)
      }
    case .leaves(let leaves):
      for leaf in leaves where node.prefix.range.contains(leaf.key) {
        note(leaf, in: node.set, of: device)
      }
      guard !node.answers, lacksSomething(leaves, of: node) else { return }
      var packet = Packet()
      packet.digest = [shelf.node(of: node.set, prefix: node.prefix, answers: true)]
      outbox.add(packet, importance: .control, to: device)
    }
  }

  /// Whether the sender of these leaves lacks anything that is held here under their prefix.
  private func lacksSomething(_ leaves: [LeafHint], of node: DigestNode) -> Bool {
    var theirs: [Bytes16: LeafHint] = [:]
    for leaf in leaves { theirs[leaf.key] = leaf }
    return shelf.leaves(of: node.set, under: node.prefix).contains { own in
      guard let their = theirs[own.key] else { return true }
      return node.set == .records ? their.hash != own.hash : their.number < own.number
    }
  }

  /// A head that a peer says it holds, outside any digest: which set it is of follows from the log,
  /// or is not known yet.
  mutating func noteHead(_ hint: LeafHint, of device: DeviceID) {
    let log = LogID(raw: hint.key)
    remember(log, through: UInt64(hint.number), of: device)
    confirm(hint, isExact: false, by: device)
    noteFork(hint)
    enqueue(log, from: device)
  }

  /// What a peer shows that it holds.
  mutating func remember(_ log: LogID, through sequence: UInt64, of device: DeviceID) {
    let known = peers[device]?.known[log]
    let set = shelf.logs[log].map { SetID($0.opening.lane) } ?? known?.set ?? .state
    remember(
      log, KnownHead(set: set, sequence: max(sequence, known?.sequence ?? 0)), of: device)
  }

  private mutating func remember(_ log: LogID, _ head: KnownHead, of device: DeviceID) {
    let isKnown = peers[device]?.known[log] != nil
    guard isKnown || (peers[device]?.known.count ?? 0) < Limits.logs else { return }
    peers[device]?.known[log] = head
  }

  /// A leaf says exactly what the peer holds, which may be less than it once did.
  private mutating func note(_ leaf: LeafHint, in set: SetID, of device: DeviceID) {
    if set == .records {
      return wantRecord(RecordTopic(raw: leaf.key), hash: leaf.hash, from: device)
    }
    let log = LogID(raw: leaf.key)
    remember(log, KnownHead(set: set, sequence: UInt64(leaf.number)), of: device)
    confirm(leaf, isExact: true, by: device)
    noteFork(leaf)
    enqueue(log, from: device)
  }

  private mutating func noteFork(_ hint: LeafHint) {
    let log = LogID(raw: hint.key)
    guard let held = shelf.logs[log]?.head, UInt64(hint.number) == held.sequence,
      hint.hash != LeafHint(held).hash
    else { return }
    effects.append(.notice(.forkSeen(log, sequence: held.sequence)))
  }

  private mutating func wantRecord(_ topic: RecordTopic, hash: UInt64, from device: DeviceID) {
    if let held = records[topic], LeafHint(held).hash == hash { return }
    var packet = Packet()
    packet.recordWants = [topic]
    outbox.add(packet, importance: .positions, to: device)
  }

  /// Starts over with what a peer said that it holds, after the roster has grown.
  mutating func wantWhatIsKnown(of device: DeviceID) {
    for log in peers[device]?.known.keys.sorted() ?? [] { enqueue(log, from: device) }
    continuePulls(from: device)
  }
}
