internal import MusterCrypto
internal import MusterModel

/// Answers to requests of peers, and queries about the state.
extension BlobExchange {
  /// Queues a message, in one of the two lowest priorities.
  func send(
    _ message: BlobMessage, of kind: BlobKind, to device: DeviceID,
    author: CertificateHash? = nil, statesForms: Bool = false, context: inout Context
  ) {
    var packet = Packet()
    packet.blobs = statesForms ? [.readsShortForms, .readsParts, message] : [message]
    context.outbox.add(
      packet, importance: kind == .thumbnail ? .thumbnails : .photos, to: device, author: author)
  }

  /// Returns what a peer is informed that this device holds.
  func holding(of entry: BlobEntry, for device: DeviceID, context: Context) -> BlobHolding {
    isReserved(entry, from: device, context: context) ? .none : BlobHolding(entry.units)
  }

  /// Whether a thumbnail is not served to a device yet, because a command device, or this one as
  /// such, is missing one: on a narrow link one copy for each device takes minutes.
  func isReserved(_ entry: BlobEntry, from device: DeviceID, context: Context) -> Bool {
    guard context.outbox.links.isNarrow, entry.listing.kind == .thumbnail,
      !context.isCommand(device)
    else { return false }
    let isMissingOwn =
      context.local.certificate.certificate.role == .command
      && active.contains { isHeld($0.value) && catalog[$0.key]?.listing.kind == .thumbnail }
    return isMissingOwn
      || context.peers.connected.contains { other in
        guard context.isCommand(other), let queried = peers[other]?.queried else { return false }
        return queried.all.contains { id in
          guard let query = queried[id], catalog[id]?.isHeldThumbnail == true else { return false }
          return context.now.milliseconds(since: query) < Self.reservedMilliseconds
        }
      }
  }

  /// How long a command device may take over a thumbnail after its last query.
  private static let reservedMilliseconds: Int64 = 120_000

  /// Reads a unit for a peer, unless enough is queued for it.
  mutating func serve(
    _ unit: Int, of id: BlobID, leaves: UInt16, as form: BlobFetch.Form, to device: DeviceID,
    context: inout Context
  ) {
    guard let entry = catalog[id] else {
      return send(.holding(id, .none), of: .original, to: device, context: &context)
    }
    guard entry.units.contains(unit), !isReserved(entry, from: device, context: context) else {
      return send(
        .holding(id, holding(of: entry, for: device, context: context)), of: entry.listing.kind,
        to: device, context: &context)
    }
    let count = entry.listing.shape.leaves(of: unit).count
    guard form.hasHashes || leaves & (.max >> UInt16(BlobShape.leavesPerUnit - count)) != 0 else {
      return
    }
    let queued = context.outbox.sendQueues[device]?.queue.blobParts ?? 0
    guard queued < Limits.unitWantsPerPeer * (BlobShape.leavesPerUnit + 1) else { return }
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
    if case .whole(let request, _) = fetch.form, peers[fetch.device]?.readsParts == true {
      for range in shape.parts(of: fetch.unit, leaves: fetch.leaves) {
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

  // MARK: Status

  /// How long a request waits for something to arrive, in milliseconds.
  func patience(in context: Context) -> Int64 {
    4000 + 3 * context.outbox.links.patienceMilliseconds
  }

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
