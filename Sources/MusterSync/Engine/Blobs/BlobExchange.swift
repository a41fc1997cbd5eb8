internal import MusterCrypto
internal import MusterModel

/// The transfer of blobs: which are missing, which peers hold which units, what is requested from
/// which peer (docs/decisions/0051-photos.md).
///
///     listed blob ─▶ queue ─▶ active ─▶ query ─▶ holdings of peers
///                                                     │
///     store ◀── whole unit ◀── proof, leaves ◀── want ┘ rarest unit first
///
/// Invariants:
/// - A unit is stored only after its leaves led to the root in the list of its frame.
/// - Of each peer at most two units are requested, the second one only when half of the first has
///   arrived. A unit is requested from one peer at a time.
/// - Without blobs it sends nothing and sets no timer.
struct BlobExchange: Sendable {
  private(set) var catalog = BlobCatalog()
  private var queue = BlobQueue()
  private(set) var active: [BlobID: ActiveBlob] = [:]
  /// Missing blobs that no peer holds; queried again when a peer connects or reports a unit.
  private var dormant: Set<BlobID> = []
  private(set) var incoming: [BlobUnitKey: IncomingUnit] = [:]
  private(set) var peers: [DeviceID: PeerBlobs] = [:]
  private var order: UInt64 = 0
  private var nextReview: Instant?
  /// When dormant blobs are queried again, and the pause before, which doubles.
  private var wake: (at: Instant, pause: Int64)?

  /// A blob about which the peers were queried.
  struct ActiveBlob: Sendable {
    let order: UInt64
    let since: Instant
    /// What each peer that answered holds.
    private(set) var holders: [DeviceID: UnitSet] = [:]

    init(order: UInt64, since: Instant) { (self.order, self.since) = (order, since) }

    mutating func note(_ set: UnitSet?, of device: DeviceID) { holders[device] = set }

    var isHeld: Bool { holders.contains { !$0.value.isEmpty } }
  }

  // MARK: The list

  /// Adds blobs, or changes their goals.
  mutating func change(_ entries: [BlobEntry], removing: [BlobID], context: inout Context) {
    for id in removing {
      guard let entry = catalog.remove(id) else { continue }
      queue.remove(entry)
      deactivate(id)
      for device in context.peers.connected {
        send(.holding(id, .none), of: entry.listing.kind, to: device, context: &context)
      }
    }
    for entry in entries {
      let before = catalog[entry.id]?.units.count ?? 0
      let entry = catalog.set(entry)
      // Units were found that another start left, or a peer queried the blob before its list came.
      if entry.units.count > before { notify(of: entry, except: nil, context: &context) }
      if !entry.isWanted {
        queue.remove(entry)
        deactivate(entry.id)
      } else if active[entry.id] == nil {
        dormant.remove(entry.id)
        queue.add(entry)
      }
    }
    refill(context: &context)
    pumpAll(context: &context)
  }

  private mutating func deactivate(_ id: BlobID) {
    dormant.remove(id)
    guard active.removeValue(forKey: id) != nil else { return }
    for key in incoming.keys where key.blob == id { drop(key) }
  }

  private mutating func drop(_ key: BlobUnitKey) {
    if let source = incoming.removeValue(forKey: key)?.source { peers[source]?.finish(key) }
  }

  private mutating func refill(context: inout Context) {
    guard !context.peers.connected.isEmpty else { return }
    let last: BlobGoal = context.outbox.links.isNarrow ? .requested : .rest
    while active.count < Limits.activeBlobs, let id = queue.pop(through: last) {
      if let entry = catalog[id], entry.isWanted { activate(entry, context: &context) }
    }
    if !active.isEmpty { review(within: Self.reviewMilliseconds, context: &context) }
  }

  private mutating func activate(_ entry: BlobEntry, context: inout Context) {
    order += 1
    dormant.remove(entry.id)
    queue.remove(entry)
    active[entry.id] = ActiveBlob(order: order, since: context.now)
    for device in context.peers.connected {
      send(.query(entry.id), of: entry.listing.kind, to: device, context: &context)
    }
  }

  // MARK: Peers

  /// Queries a peer with which a session begins. If there was one before, the peer may have
  /// restarted, and does not know of earlier queries.
  mutating func connect(_ device: DeviceID, context: inout Context) {
    guard !catalog.isEmpty else { return }
    wake = nil
    wakeDormant()
    for (id, _) in active.sorted(by: { $0.value.order < $1.value.order }) {
      let kind = catalog[id]?.listing.kind ?? .original
      send(.query(id), of: kind, to: device, context: &context)
    }
    refill(context: &context)
  }

  private mutating func wakeDormant() {
    for id in dormant { if let entry = catalog[id] { queue.add(entry) } }
    dormant = []
  }

  /// Forgets a peer whose last session ended. Leaves of its units are kept.
  mutating func disconnect(_ device: DeviceID, context: inout Context) {
    guard let peer = peers.removeValue(forKey: device) else { return forgetHolder(device) }
    for key in peer.requests { release(key) }
    forgetHolder(device)
    pumpAll(context: &context)
  }

  private mutating func forgetHolder(_ device: DeviceID) {
    for id in active.keys { active[id]?.note(nil, of: device) }
  }

  private mutating func release(_ key: BlobUnitKey) {
    incoming[key]?.release()
  }

  // MARK: Messages

  mutating func receive(
    _ message: BlobMessage, from device: DeviceID, endpoint: Endpoint, context: inout Context
  ) {
    switch message {
    case .query(let blob): answer(blob, of: device, context: &context)
    case .holding(let blob, let holding):
      note(holding, of: blob, by: device, endpoint: endpoint, context: &context)
    case .want(let want): serve(want, to: device, context: &context)
    case .proof(let blob, let unit, let hashes):
      let key = BlobUnitKey(blob: blob, unit: unit)
      guard incoming[key]?.source == device else { return }
      incoming[key]?.noteArrival(now: context.now)
      guard incoming[key]?.take(hashes: hashes) == true else {
        return distrust(device, over: key, endpoint: endpoint, context: &context)
      }
      advance(key, context: &context)
    case .leaf(let blob, let leaf, let bytes):
      let key = BlobUnitKey(blob: blob, unit: leaf / BlobShape.leavesPerUnit)
      guard incoming[key]?.source == device else { return }
      incoming[key]?.noteArrival(now: context.now)
      guard incoming[key]?.take(bytes, leaf: leaf) == true else {
        return distrust(device, over: key, endpoint: endpoint, context: &context)
      }
      advance(key, context: &context)
    }
  }

  /// Rejects data that does not verify, and asks this peer for nothing more of the blob.
  private mutating func distrust(
    _ device: DeviceID, over key: BlobUnitKey, endpoint: Endpoint, context: inout Context
  ) {
    context.reject(.forged, from: endpoint)
    peers[device, default: PeerBlobs()].refuse(key.blob)
    active[key.blob]?.note(nil, of: device)
    for other in peers[device]?.requests ?? [] where other.blob == key.blob {
      release(other)
      peers[device]?.finish(other)
    }
    pumpAll(context: &context)
  }

  private mutating func answer(_ id: BlobID, of device: DeviceID, context: inout Context) {
    peers[device, default: PeerBlobs()].note(query: id)
    let entry = catalog[id]
    let holding = entry.map { BlobHolding($0.units) } ?? .none
    send(.holding(id, holding), of: entry?.listing.kind ?? .original, to: device, context: &context)
    guard let entry = catalog.request(id, now: context.now), entry.isWanted else { return }
    review(within: Self.reviewMilliseconds, context: &context)
    if active[id] == nil {
      queue.add(entry)
      refill(context: &context)
    }
  }

  private mutating func note(
    _ holding: BlobHolding, of id: BlobID, by device: DeviceID, endpoint: Endpoint,
    context: inout Context
  ) {
    guard let entry = catalog[id] else { return }
    guard let set = holding.set(units: entry.units.units) else {
      return context.reject(.malformed, from: endpoint)
    }
    guard peers[device]?.refuses(id) != true else { return }
    peers[device, default: PeerBlobs()].note(id, isComplete: set.isComplete)
    if active[id] == nil {
      guard !set.isEmpty, entry.isWanted, makeRoom(for: entry, context: context) else { return }
      activate(entry, context: &context)
    }
    active[id]?.note(set, of: device)
    review(within: Self.reviewMilliseconds, context: &context)
    pump(device, context: &context)
  }

  /// Returns whether a blob that a peer holds may become active.
  private mutating func makeRoom(for entry: BlobEntry, context: Context) -> Bool {
    if context.outbox.links.isNarrow, entry.goal > .requested { return false }
    guard active.count >= Limits.activeBlobs else { return true }
    let idle = active.filter { !$0.value.isHeld }.min { $0.value.order < $1.value.order }
    guard let idle else { return false }
    deactivate(idle.key)
    dormant.insert(idle.key)
    return true
  }

  // MARK: Receiving

  private mutating func advance(_ key: BlobUnitKey, context: inout Context) {
    guard let arriving = incoming[key] else { return }
    guard let unit = arriving.unit(of: key.blob) else {
      if arriving.missing == PeerBlobs.missingForNext, let source = arriving.source {
        pump(source, context: &context)
      }
      return
    }
    drop(key)
    context.effects.append(.store(.blobUnit(unit)))
    guard let entry = catalog.insert(key.unit, of: key.blob) else { return }
    if entry.units.isComplete {
      announce(entry, context: &context)
      deactivate(key.blob)
      refill(context: &context)
    } else {
      notify(of: entry, except: arriving.source, context: &context)
    }
    if let source = arriving.source { pump(source, context: &context) }
  }

  /// Informs the peers that queried a blob of what is held now, unless they hold all of it.
  private mutating func notify(
    of entry: BlobEntry, except source: DeviceID?, context: inout Context
  ) {
    for device in context.peers.connected {
      guard device != source, peers[device]?.queries(entry.id) == true,
        active[entry.id]?.holders[device]?.isComplete != true
      else { continue }
      send(
        .holding(entry.id, BlobHolding(entry.units)), of: entry.listing.kind, to: device,
        context: &context)
    }
  }

  /// Informs all connected peers that a blob was received whole: it is counted, and the query has
  /// ended.
  private func announce(_ entry: BlobEntry, context: inout Context) {
    for device in context.peers.connected {
      send(.holding(entry.id, .complete), of: entry.listing.kind, to: device, context: &context)
    }
  }

  /// Takes a unit of a bundle, which passes the same check as one from a peer.
  mutating func take(carried unit: BlobUnit, context: inout Context) {
    func note(_ result: BundleItemResult) { context.effects.append(.notice(.carried(result))) }
    guard let entry = catalog[unit.blob] else { return note(.refusedUnit(.unattached)) }
    guard entry.goal != .none, !entry.units.contains(unit.number) else { return note(.knownUnit) }
    guard unit.isValid(for: entry.listing) else { return note(.refusedUnit(.forged)) }
    drop(BlobUnitKey(blob: unit.blob, unit: unit.number))
    context.effects.append(.store(.blobUnit(unit)))
    guard let entry = catalog.insert(unit.number, of: unit.blob) else { return }
    guard entry.units.isComplete else {
      return notify(of: entry, except: nil, context: &context)
    }
    announce(entry, context: &context)
    queue.remove(entry)
    deactivate(unit.blob)
  }

  /// Notes that a stored unit is damaged: it is fetched again.
  mutating func lose(_ unit: Int, of id: BlobID, context: inout Context) {
    guard let entry = catalog.clear(unit, of: id) else { return }
    notify(of: entry, except: nil, context: &context)
    guard entry.isWanted, active[id] == nil else { return }
    queue.add(entry)
    refill(context: &context)
  }

  // MARK: Requesting

  private mutating func pumpAll(context: inout Context) {
    guard !active.isEmpty else { return }
    for device in context.peers.connected { pump(device, context: &context) }
  }

  /// Requests the next unit from a peer, unless enough is requested from it.
  private mutating func pump(_ device: DeviceID, context: inout Context) {
    let requests = peers[device]?.requests ?? []
    guard requests.count < PeerBlobs.mostRequests, incoming.count < Limits.unitsInFlight,
      peers[device]?.isPaused(at: context.now) != true,
      requests.allSatisfy({ (incoming[$0]?.missing ?? 0) <= PeerBlobs.missingForNext }),
      let key = next(from: device, local: context.local.device), let entry = catalog[key.blob]
    else { return }
    var unit =
      incoming[key] ?? IncomingUnit(listing: entry.listing, number: key.unit, now: context.now)
    unit.ask(device, now: context.now)
    incoming[key] = unit
    peers[device, default: PeerBlobs()].begin(key)
    send(.want(unit.want(of: key.blob)), of: entry.listing.kind, to: device, context: &context)
    review(within: Self.reviewMilliseconds, context: &context)
  }

  /// The unit to request: of the first active blob of which the peer holds one, the rarest. Ties
  /// are broken differently on each device, so that devices that begin together fetch different
  /// units and serve each other.
  private func next(from device: DeviceID, local: DeviceID) -> BlobUnitKey? {
    let blobs = active.filter { $0.value.holders[device]?.isEmpty == false }.sorted {
      let (left, right) = (catalog[$0.key]?.goal ?? .none, catalog[$1.key]?.goal ?? .none)
      return (left, $0.value.order) < (right, $1.value.order)
    }
    for (id, blob) in blobs {
      guard let held = catalog[id]?.units, let offered = blob.holders[device] else { continue }
      let candidates = (0..<held.units).filter {
        offered.contains($0) && !held.contains($0)
          && incoming[BlobUnitKey(blob: id, unit: $0)]?.source == nil
      }
      let rarest = candidates.min { left, right in
        let counts = [left, right].map { unit in
          blob.holders.values.count { $0.contains(unit) }
        }
        return counts[0] != counts[1]
          ? counts[0] < counts[1]
          : Self.draw(left, of: id, by: local) < Self.draw(right, of: id, by: local)
      }
      if let rarest { return BlobUnitKey(blob: id, unit: rarest) }
    }
    return nil
  }

  private static func draw(_ unit: Int, of blob: BlobID, by device: DeviceID) -> UInt64 {
    var bits = device.raw.high ^ blob.raw.low ^ UInt64(unit) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  // MARK: Time

  private mutating func wakeIfDue(now: Instant) {
    guard !dormant.isEmpty else { return wake = nil }
    guard let due = wake else {
      return wake = (now.advanced(byMilliseconds: Self.wakeMilliseconds), Self.wakeMilliseconds)
    }
    guard due.at <= now else { return }
    wakeDormant()
    let pause = min(2 * due.pause, Self.mostWakeMilliseconds)
    wake = (now.advanced(byMilliseconds: pause), pause)
  }

  private static let wakeMilliseconds: Int64 = 10_000
  private static let mostWakeMilliseconds: Int64 = 320_000

  private static let reviewMilliseconds: Int64 = 1000
  private static let idleReviewMilliseconds: Int64 = 10_000
  private static let patienceMilliseconds: Int64 = 4000
  private static let queryMilliseconds: Int64 = 3000

  private mutating func review(within milliseconds: Int64, context: inout Context) {
    let moment = context.now.advanced(byMilliseconds: milliseconds)
    if let next = nextReview, next <= moment, next > context.now { return }
    nextReview = moment
    context.deadlines.schedule(.blobs, at: moment)
  }

  /// Requests stalled units from other peers, and gives the place of blobs that no peer holds to
  /// others.
  mutating func passDeadline(context: inout Context) {
    guard let due = nextReview, due <= context.now else {
      if let nextReview { context.deadlines.schedule(.blobs, at: nextReview) }
      return
    }
    nextReview = nil
    let patience =
      Self.patienceMilliseconds + 3 * context.outbox.links.patienceMilliseconds
    for (key, unit) in incoming.sorted(by: { $0.key < $1.key }) {
      guard let source = unit.source,
        context.now.milliseconds(since: unit.moved) >= patience
      else { continue }
      release(key)
      peers[source]?.finish(key)
      peers[source]?.pause(until: context.now.advanced(byMilliseconds: Self.reviewMilliseconds / 2))
    }
    for entry in catalog.expireRequests(now: context.now) where !entry.isWanted {
      queue.remove(entry)
      deactivate(entry.id)
    }
    if queue.count > 0 {
      for (id, blob) in active
      where !blob.isHeld && context.now.milliseconds(since: blob.since) >= Self.queryMilliseconds {
        deactivate(id)
        dormant.insert(id)
      }
    }
    wakeIfDue(now: context.now)
    refill(context: &context)
    pumpAll(context: &context)
    if !incoming.isEmpty || !active.isEmpty || !dormant.isEmpty || catalog.hasRequests {
      review(
        within: incoming.isEmpty ? Self.idleReviewMilliseconds : Self.reviewMilliseconds,
        context: &context)
    }
  }
}
