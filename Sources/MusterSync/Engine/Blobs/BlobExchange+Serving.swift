internal import MusterCrypto
internal import MusterModel

/// Answers to requests of peers, and queries about the state.
extension BlobExchange {
  /// The peers that are queried about a blob: all, but on a narrow link first those alone that list
  /// it, or no one as long as a session with an author is sought.
  func holders(of entry: BlobEntry, context: Context) -> [DeviceID] {
    let connected = context.peers.connected
    guard context.outbox.links.isNarrow else { return connected }
    let authors = connected.filter { entry.isListed(by: context.peers[$0]?.certificate) }
    guard authors.isEmpty, soughtAuthor(of: entry, context: context) == nil else { return authors }
    return connected
  }

  /// The author of a blob with which a command device opens a session of its own: it receives its
  /// announces on a narrow link, where each device has few sessions, and each device in between
  /// would send the photo again on the same channel.
  func soughtAuthor(of entry: BlobEntry, context: Context) -> DeviceID? {
    guard context.outbox.links.isNarrow, context.local.certificate.certificate.role == .command
    else { return nil }
    return context.peers.devices.first {
      guard let peer = context.peers[$0] else { return false }
      return entry.isListed(by: peer.certificate) && peer.sessions.isEmpty
        && context.announcesServe(of: peer)
    }
  }

  /// Whether this device leaves a narrow link to the command post.
  func isWaiting(context: Context) -> Bool {
    turn.isWaiting(now: context.now) && mayWait(context: context)
  }

  /// Whether a command device is received on the narrow link, with or without a session: it fetches
  /// the same thumbnails on the same channel.
  func mayWait(context: Context) -> Bool {
    context.outbox.links.isNarrow && context.local.certificate.certificate.role != .command
      && context.peers.devices.contains { context.isCommand($0) && context.isReceived($0) }
  }

  /// Notes that a command device published a receipt for photos: it stores more of them.
  mutating func noteProgressOfCommand(context: inout Context) {
    guard turn.isWaiting(now: context.now) else { return }
    wait(context: &context)
  }

  /// Queues a message, in one of the two lowest priorities.
  func send(
    _ message: BlobMessage, of kind: BlobKind, to device: DeviceID,
    author: CertificateHash? = nil, statesForms: Bool = false, context: inout Context
  ) {
    var packet = Packet()
    packet.blobs =
      statesForms
      ? [.readsShortForms, .readsParts, .readsLargeDatagrams, message] : [message]
    context.outbox.add(
      packet, importance: kind == .thumbnail ? .thumbnails : .photos, to: device, author: author)
  }

  /// Asks a peer which units it holds.
  func query(_ entry: BlobEntry, _ device: DeviceID, context: inout Context) {
    send(
      .query(entry.id), of: entry.listing.kind, to: device, statesForms: true, context: &context)
  }

  /// Reads a unit for a peer, unless enough is queued for it.
  mutating func serve(
    _ unit: Int, of id: BlobID, leaves: UInt16, as form: BlobFetch.Form, to device: DeviceID,
    context: inout Context
  ) {
    guard let entry = catalog[id] else {
      return send(.holding(id, .none), of: .original, to: device, context: &context)
    }
    guard entry.units.contains(unit) else {
      return send(
        .holding(id, BlobHolding(entry.units)), of: entry.listing.kind, to: device,
        context: &context)
    }
    let range = entry.listing.shape.leaves(of: unit)
    var (form, leaves) = (form, leaves & (.max >> UInt16(BlobShape.leavesPerUnit - range.count)))
    if case .leaves(let wantsProof) = form, let queue = context.outbox.sendQueues[device]?.queue {
      // What is queued or in flight is not read again.
      form = .leaves(wantsProof: wantsProof && !queue.holds(.proof(of: id, unit: unit)))
      for (index, leaf) in range.enumerated() where queue.holds(.leaf(leaf, of: id)) {
        leaves &= ~(1 << UInt16(index))
      }
    }
    guard form.hasHashes || leaves != 0 else { return }
    let queued = context.outbox.sendQueues[device]?.queue.blobParts ?? 0
    let reads = context.effects.count { $0.isRead(for: device) }
    guard queued < Limits.unitWantsPerPeer * (BlobShape.leavesPerUnit + 1),
      reads < Limits.unitWantsPerPeer
    else { return }
    if peers[device]?.readsLargeDatagrams == true { context.probeSize(of: device) }
    context.effects.append(
      .fetchUnit(
        BlobFetch(
          device: device, listing: entry.listing, unit: unit, form: form, leaves: leaves)))
  }

  /// Sends what was requested of a unit.
  ///
  /// - Parameter unit: as read from the store and verified; nil if it is damaged or missing.
  mutating func answer(_ fetch: BlobFetch, with unit: BlobUnit?, context: inout Context) {
    let id = fetch.listing.id
    guard let unit else { return lose(fetch.unit, of: id, context: &context) }
    guard let entry = catalog[id] else { return }
    func send(_ message: BlobMessage, context: inout Context) {
      self.send(
        message, of: entry.listing.kind, to: fetch.device, author: entry.certificate,
        context: &context)
    }
    switch fetch.form {
    case .whole(let request, let hashes):
      if hashes > 0 {
        send(
          .path(request: request, hashes: Array(unit.path.prefix(hashes))), context: &context)
      }
    case .leaves(let wantsProof):
      if wantsProof {
        let proof = unit.proof()
        send(.proof(id, unit: fetch.unit, hashes: proof.leaves + proof.path), context: &context)
      }
    }
    let shape = entry.listing.shape
    if case .whole(let request, let hashes) = fetch.form, peers[fetch.device]?.readsParts == true {
      let isLarge = context.outbox.sendQueues[fetch.device]?.path.carriesLargeDatagrams == true
      let ranges = shape.parts(
        of: fetch.unit, leaves: fetch.leaves,
        most: isLarge ? BlobShape.largestPartBytes : BlobShape.partBytes,
        first: Self.firstPart(in: isLarge ? largestPacketBytes : packetBytes, hashes: hashes))
      for range in ranges {
        let part = BlobMessage.part(
          request: request, place: range.lowerBound, bytes: Array(unit.bytes[range]))
        send(part, context: &context)
      }
      return
    }
    let start = shape.bytes(of: fetch.unit).lowerBound
    for (index, leaf) in shape.leaves(of: fetch.unit).enumerated()
    where fetch.leaves >> UInt16(index) & 1 == 1 {
      let range = shape.bytes(ofLeaf: leaf)
      let bytes = Array(unit.bytes[range.lowerBound - start..<range.upperBound - start])
      switch fetch.form {
      case .whole(let request, _):
        send(.piece(request: request, index: index, bytes: bytes), context: &context)
      case .leaves: send(.leaf(id, number: leaf, bytes: bytes), context: &context)
      }
    }
  }

  /// The largest first part of a unit that fits the datagram of its path and an acknowledgement.
  private static func firstPart(in packet: Int, hashes: Int) -> Int {
    guard hashes > 0 else { return .max }
    return packet - BlobMessage.pathBytes(hashes: hashes) - BlobMessage.partHeaderBytes
      - acknowledgementBytes
  }

  private static let acknowledgementBytes = 32

  // MARK: Status

  /// How long a request waits for something to arrive, in milliseconds.
  func patience(in context: Context) -> Int64 {
    4000 + 3 * context.outbox.links.patienceMilliseconds
  }

  /// How long an answer to a query is awaited, in milliseconds. On a narrow link an author that is
  /// received gets more time: a query of all others makes each of them fetch the blob too, on the
  /// same channel.
  func patience(with blob: ActiveBlob, _ id: BlobID, in context: Context) -> Int64 {
    guard context.outbox.links.isNarrow else { return 3000 }
    let isAuthorReceived = context.peers.devices.contains {
      catalog[id]?.isListed(by: context.peers[$0]?.certificate) == true && context.isReceived($0)
    }
    return isAuthorReceived && !blob.isSought
      ? 3 * Self.narrowQueryMilliseconds : Self.narrowQueryMilliseconds
  }

  static var narrowQueryMilliseconds: Int64 { 20_000 }

  /// Why nothing of a requested unit arrives.
  enum UnitStall {
    /// The peer is not received either. It is asked whether it is there.
    case silence
    /// It does not answer. Its parts are retransmitted when it is back, so that another request
    /// would bring them twice.
    case partition
    /// It is there, or another peer has the unit too.
    case refusal
  }

  func stall(of key: BlobUnitKey, from source: DeviceID, context: Context) -> UnitStall {
    let hasOthers = active[key.blob]?.holders.contains {
      $0.key != source && $0.value.contains(key.unit) && peers[$0.key]?.isReliable != false
    }
    guard hasOthers == false, let peer = context.peers[source] else { return .refusal }
    guard case .responsive = peer.heartbeat.liveness else { return .partition }
    return context.now.milliseconds(since: peer.presence.lastReceived) < Self.silentMilliseconds
      ? .refusal : .silence
  }

  private static var silentMilliseconds: Int64 { 2000 }

  /// Whether a peer reports something of a blob, and delivers what it reports.
  func isHeld(_ blob: ActiveBlob) -> Bool {
    blob.holders.contains { !$0.value.isEmpty && peers[$0.key]?.isReliable != false }
  }

  /// Whether all of a listed blob is stored here.
  func isComplete(_ id: BlobID) -> Bool { catalog[id]?.units.isComplete == true }

  /// Returns the progress of a listed blob; nil for another one.
  func progress(of id: BlobID, context: Context) -> BlobProgress? {
    guard let entry = catalog[id] else { return nil }
    let holders = context.peers.connected.filter { peers[$0]?.complete.contains(id) == true }
    return BlobProgress(
      units: entry.units, holders: holders, stall: stall(of: entry, context: context))
  }

  private func stall(of entry: BlobEntry, context: Context) -> BlobStall? {
    if entry.units.isComplete { return nil }
    if entry.goal >= .onRequest { return .notRequested }
    if entry.goal > .requested, context.outbox.links.isNarrow { return .narrowLink }
    if context.peers.connected.isEmpty { return .noPeer }
    if incoming.contains(where: { $0.key.blob == entry.id && $0.value.source != nil }) {
      return nil
    }
    guard let blob = active[entry.id] else { return .waiting }
    return isHeld(blob) ? .waiting : .noHolder
  }

  func checkInvariants(connected: [DeviceID]) {
    precondition(active.count <= Limits.activeBlobs, "\(active.count) active blobs")
    precondition(incoming.count <= Limits.unitsInFlight, "\(incoming.count) units in flight")
    for id in active.keys {
      precondition(catalog[id]?.isWanted == true, "blob \(id) is active and not wanted")
    }
    for (device, peer) in peers {
      precondition(peer.requests.count <= PeerBlobs.mostRequests, "requests from \(device)")
      for key in peer.requests {
        precondition(incoming[key]?.source == device, "a request for \(key) without a unit")
      }
    }
    for (key, unit) in incoming {
      precondition(active[key.blob] != nil, "a unit of an inactive blob")
      guard let source = unit.source else { continue }
      precondition(peers[source]?.requests.contains(key) == true, "a unit without a request")
      precondition(connected.contains(source), "a unit from a lost peer")
    }
  }
}

extension Effect {
  /// Whether a unit is to be read for this peer.
  fileprivate func isRead(for device: DeviceID) -> Bool {
    if case .fetchUnit(let fetch) = self { fetch.device == device } else { false }
  }
}
