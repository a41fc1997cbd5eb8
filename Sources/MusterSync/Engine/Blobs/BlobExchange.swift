internal import MusterCrypto
internal import MusterModel

/// The transfer of blobs: which are missing, which peers hold which units, what is requested from
/// which peer (docs/decisions/0051-photos.md).
///
///     listed blob ─▶ queue ─▶ active ─▶ query ─▶ holdings of peers
///                                                     │
///     store ◀── whole unit ◀── path, leaves ◀── request ┘ rarest unit first
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
  private var dormant = DormantBlobs()
  private(set) var incoming: [BlobUnitKey: IncomingUnit] = [:]
  private(set) var peers: [DeviceID: PeerBlobs] = [:]
  private var order: UInt64 = 0
  private var nextReview: Instant?
  private var notices = BlobNotices()
  private(set) var turn = ThumbnailTurn()

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
      if catalog[entry.id] == nil, entry.isWanted, entry.listing.kind == .thumbnail {
        wait(context: &context)
      }
      let entry = catalog.set(entry)
      // Units were found that another start left, or a peer queried the blob before its list came.
      if entry.units.count > before { notify(of: entry, isReceived: false, context: &context) }
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
    let first: BlobGoal = isWaiting(context: context) ? .requested : .urgentThumbnail
    let last: BlobGoal = context.outbox.links.isNarrow ? .requested : .rest
    while hasRoom, let id = queue.pop(first...last, except: busyCertificates(context)) {
      if let entry = catalog[id], entry.isWanted { activate(entry, context: &context) }
    }
    if !active.isEmpty { review(within: Self.reviewMilliseconds, context: &context) }
  }

  private mutating func activate(_ entry: BlobEntry, context: inout Context) {
    order += 1
    dormant.remove(entry.id)
    queue.remove(entry)
    let devices = holders(of: entry, context: context)
    if let author = soughtAuthor(of: entry, context: context) {
      context.peers.seek(
        author, until: context.now.advanced(byMilliseconds: 3 * Self.narrowQueryMilliseconds))
      context.deadlines.schedule(.contacts, at: context.now.advanced(byMicroseconds: 1))
    }
    active[entry.id] = ActiveBlob(
      entry.listing, order: order, since: context.now,
      isSought: devices.count == context.peers.connected.count)
    for device in devices { query(entry, device, context: &context) }
  }

  /// Queries all peers about a blob that its author does not hold.
  private mutating func seek(_ entry: BlobEntry, context: inout Context) {
    let asked = holders(of: entry, context: context)
    active[entry.id]?.seek(now: context.now)
    for device in context.peers.connected where !asked.contains(device) {
      query(entry, device, context: &context)
    }
  }

  /// Notes that a command device is missing thumbnails, or makes progress.
  mutating func wait(context: inout Context) {
    guard mayWait(context: context) else { return }
    turn.wait(now: context.now)
    review(within: Self.reviewMilliseconds, context: &context)
  }

  // MARK: Peers

  /// Queries a peer with which a session begins. If there was one before, the peer may have
  /// restarted, and does not know of earlier queries.
  mutating func connect(_ device: DeviceID, context: inout Context) {
    peers[device]?.beginSession()
    guard !catalog.isEmpty else { return }
    wake(dormant.takeAll())
    for (id, blob) in active.sorted(by: { $0.value.order < $1.value.order }) {
      guard let entry = catalog[id],
        blob.isSought || holders(of: entry, context: context).contains(device)
      else { continue }
      query(entry, device, context: &context)
    }
    refill(context: &context)
  }

  private mutating func wake(_ blobs: Set<BlobID>) {
    for id in blobs { if let entry = catalog[id] { queue.add(entry) } }
  }

  /// Forgets a peer whose last session ended. Leaves of its units are kept.
  mutating func disconnect(_ device: DeviceID, context: inout Context) {
    for key in peers[device]?.requests ?? [] { release(key) }
    notices.forget(device)
    for id in active.keys { active[id]?.note(nil, of: device) }
    guard peers.removeValue(forKey: device) != nil else { return }
    pumpAll(context: &context)
  }

  /// Ends the request for a unit. What arrived of it stays.
  private mutating func release(_ key: BlobUnitKey) {
    guard let source = incoming[key]?.source else { return }
    incoming[key]?.release()
    peers[source]?.finish(key)
  }

  // MARK: Messages

  mutating func receive(
    _ message: BlobMessage, from device: DeviceID, endpoint: Endpoint, context: inout Context
  ) {
    switch message {
    case .query(let blob): answer(blob, of: device, context: &context)
    case .holding(let blob, let holding):
      note(holding, of: blob, by: device, endpoint: endpoint, context: &context)
    case .want(let want):
      serve(
        want.unit, of: want.blob, leaves: want.leaves, as: .leaves(wantsProof: want.wantsProof),
        to: device, context: &context)
    case .request(let request):
      guard peers[device, default: PeerBlobs()].serve(request.number) else { return }
      serve(
        request.unit, of: request.blob, leaves: request.leaves,
        as: .whole(request: request.number, hashes: request.hashes), to: device,
        context: &context)
    case .readsShortForms, .readsParts, .readsLargeDatagrams:
      peers[device, default: PeerBlobs()].note(form: message)
    case .padding: break
    case .proof(let blob, let unit, let hashes):
      take(proof: hashes, of: BlobUnitKey(blob: blob, unit: unit), from: device, &context)
    case .path(let request, let hashes):
      guard let key = peers[device]?.unit(ofRequest: request) else { return }
      incoming[key]?.take(siblings: hashes, from: device)
      advance(key, context: &context)
    case .leaf(let blob, let leaf, let bytes):
      let key = BlobUnitKey(blob: blob, unit: leaf / BlobShape.leavesPerUnit)
      guard incoming[key]?.source == device else { return }
      take(of: key, from: device, &context) {
        $0.take(bytes, index: leaf % BlobShape.leavesPerUnit, from: device)
      }
    case .piece(let request, let index, let bytes):
      let key = peers[device]?.unit(ofRequest: request)
      take(of: key, from: device, &context) { $0.take(bytes, index: index, from: device) }
    case .part(let request, let place, let bytes):
      let key = peers[device]?.unit(ofRequest: request)
      take(of: key, from: device, &context) { $0.take(bytes, at: place, from: device) }
    }
  }

  /// Takes leaves of a unit. `body` returns false if they are not of this blob.
  private mutating func take(
    of key: BlobUnitKey?, from device: DeviceID, _ context: inout Context,
    _ body: (inout IncomingUnit) -> Bool
  ) {
    guard let key, var unit = incoming.removeValue(forKey: key) else {
      return context.outbox.noteRepeatedPart()
    }
    let (before, received) = (unit.missing, unit.receivedBytes)
    let isGenuine = unit.noteProgress(now: context.now, body)
    if unit.receivedBytes == received { context.outbox.noteRepeatedPart() }
    incoming[key] = unit
    guard isGenuine else { return distrust(device, over: key.blob, context: &context) }
    advance(key, missing: before, context: &context)
  }

  private mutating func take(
    proof hashes: [Bytes32], of key: BlobUnitKey, from device: DeviceID, _ context: inout Context
  ) {
    guard incoming[key]?.source == device else { return }
    let forgers = incoming[key]?.take(proof: hashes, from: device) ?? []
    for forger in forgers.sorted() { distrust(forger, over: key.blob, context: &context) }
    if !forgers.isEmpty { release(key) }
    advance(key, context: &context)
    pumpAll(context: &context)
  }

  /// Rejects data that does not verify, and asks this peer for nothing more of the blob.
  private mutating func distrust(
    _ device: DeviceID, over blob: BlobID, context: inout Context
  ) {
    if let endpoint = context.liveSession(of: device).flatMap({ context.sessions[$0]?.endpoint }) {
      context.reject(.forged, from: endpoint)
    }
    guard peers[device] != nil else { return }
    peers[device]?.refuse(blob)
    fail(device, context: context)
    active[blob]?.note(nil, of: device)
    for other in peers[device]?.requests ?? [] where other.blob == blob { release(other) }
    pumpAll(context: &context)
  }

  private mutating func answer(_ id: BlobID, of device: DeviceID, context: inout Context) {
    peers[device, default: PeerBlobs()].note(query: id, now: context.now)
    let entry = catalog[id]
    let held = entry.map { BlobHolding($0.units) }
    send(
      .holding(id, held ?? .none), of: entry?.listing.kind ?? .original, to: device,
      statesForms: true,
      context: &context)
    if let entry, entry.isWanted, entry.goal < .requested, active[id] == nil,
      isWaiting(context: context), context.isCommand(device), hasRoom
    {
      activate(entry, context: &context)
    }
    guard let entry = catalog.request(id, by: device, now: context.now), entry.isWanted else {
      return
    }
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
    peers[device, default: PeerBlobs()].note(id, isComplete: set.isComplete, now: context.now)
    if set.isComplete, entry.listing.kind == .thumbnail, context.isCommand(device) {
      wait(context: &context)
    }
    if active[id] == nil {
      guard !set.isEmpty, entry.isWanted, peers[device]?.isReliable != false,
        makeRoom(for: entry, context: context)
      else { return }
      activate(entry, context: &context)
    }
    active[id]?.note(set, of: device)
    review(within: Self.reviewMilliseconds, context: &context)
    let denied = (peers[device]?.requests ?? []).filter { $0.blob == id && set.isEmpty }
    guard denied.isEmpty else {
      for key in denied { release(key) }
      fail(device, context: context)
      return pumpAll(context: &context)
    }
    pump(device, context: &context)
  }

  /// Returns whether a blob that a peer holds may become active.
  private mutating func makeRoom(for entry: BlobEntry, context: Context) -> Bool {
    if context.outbox.links.isNarrow, entry.goal > .requested { return false }
    if entry.goal < .requested, isWaiting(context: context) { return false }
    guard active.count >= Limits.activeBlobs else { return true }
    let idle = active.filter { !isHeld($0.value) }.min { $0.value.order < $1.value.order }
    guard let idle else { return false }
    deactivate(idle.key)
    dormant.insert(idle.key)
    return true
  }

  // MARK: Receiving

  /// - Parameter missing: how many leaves were missing before.
  private mutating func advance(
    _ key: BlobUnitKey, missing: Int = 0, context: inout Context
  ) {
    guard var nodes = active[key.blob]?.nodes, let source = incoming[key]?.source else { return }
    switch incoming[key]?.verify(key.blob, nodes: &nodes) {
    case nil: return
    case .incomplete?:
      guard missing > PeerBlobs.missingForNext,
        incoming[key]?.missing ?? 0 <= PeerBlobs.missingForNext
      else { return }
    case .forged(let forger)?:
      release(key)
      if let forger { return distrust(forger, over: key.blob, context: &context) }
    case .whole(let unit)?:
      active[key.blob]?.note(nodes)
      peers[source]?.deliver()
      drop(key)
      store(unit, context: &context)
    }
    pump(source, context: &context)
  }

  /// Stores a verified unit.
  private mutating func store(_ unit: BlobUnit, context: inout Context) {
    context.effects.append(.store(.blobUnit(unit)))
    guard let entry = catalog.insert(unit.number, of: unit.blob) else { return }
    notify(of: entry, isReceived: true, context: &context)
    guard entry.units.isComplete else { return }
    queue.remove(entry)
    deactivate(unit.blob)
    refill(context: &context)
  }

  /// Informs all peers of a blob that was received whole: it is counted, and its queries end.
  /// Informs peers of a part if they queried it and are not known to hold that part.
  private mutating func notify(
    of entry: BlobEntry, isReceived: Bool, context: inout Context
  ) {
    for device in context.peers.connected {
      guard
        isReceived && entry.units.isComplete
          || peers[device]?.queried.contains(entry.id) == true
            && active[entry.id]?.holders[device]?.isSuperset(of: entry.units) != true
      else { continue }
      notices.owe(
        entry.id, to: device, isNarrow: context.outbox.links.isNarrow, now: context.now)
    }
    sendNotices(context: &context)
  }

  private mutating func sendNotices(context: inout Context) {
    for (device, blobs) in notices.takeDue(now: context.now) {
      for entry in blobs.compactMap({ catalog[$0] }) {
        send(
          .holding(entry.id, BlobHolding(entry.units)), of: entry.listing.kind, to: device,
          context: &context)
      }
    }
    if let next = notices.dueAt { context.deadlines.schedule(.blobs, at: next) }
  }

  /// Takes a unit of a bundle, which passes the same check as one from a peer.
  mutating func take(carried unit: BlobUnit, context: inout Context) {
    func note(_ result: BundleItemResult) { context.effects.append(.notice(.carried(result))) }
    guard let entry = catalog[unit.blob] else { return note(.refusedUnit(.unattached)) }
    guard entry.goal < .onRequest, !entry.units.contains(unit.number) else {
      return note(.knownUnit)
    }
    guard unit.isValid(for: entry.listing) else { return note(.refusedUnit(.forged)) }
    drop(BlobUnitKey(blob: unit.blob, unit: unit.number))
    store(unit, context: &context)
  }

  /// Notes that a stored unit is damaged: it is fetched again.
  mutating func lose(_ unit: Int, of id: BlobID, context: inout Context) {
    guard let entry = catalog.clear(unit, of: id) else { return }
    notify(of: entry, isReceived: false, context: &context)
    guard entry.isWanted, active[id] == nil else { return }
    queue.add(entry)
    refill(context: &context)
  }

  // MARK: Requesting

  private mutating func pumpAll(context: inout Context) {
    guard !active.isEmpty else { return }
    for device in context.peers.connected { pump(device, context: &context) }
  }

  /// Requests the next unit from a peer, unless enough is requested from it. On a narrow link it is
  /// one from all peers together, and three for a command device: a call for help would wait half a
  /// minute in the radio's queue.
  private mutating func pump(_ device: DeviceID, context: inout Context) {
    let requests = peers[device]?.requests ?? []
    guard requests.count < PeerBlobs.mostRequests, incoming.count < Limits.unitsInFlight,
      !context.outbox.links.isNarrow
        || incoming.count(where: { $0.value.source != nil }) < unitsOnNarrowLinks(context),
      peers[device]?.isPaused(at: context.now) != true,
      requests.allSatisfy({ (incoming[$0]?.missing ?? 0) <= PeerBlobs.missingForNext }),
      let key = next(from: device, context: context), let entry = catalog[key.blob]
    else { return }
    var unit =
      incoming[key] ?? IncomingUnit(listing: entry.listing, number: key.unit, now: context.now)
    unit.ask(device, now: context.now)
    incoming[key] = unit
    peers[device, default: PeerBlobs()].begin(key)
    let message = request(of: key, unit, from: device)
    send(message, of: entry.listing.kind, to: device, context: &context)
    review(within: Self.reviewMilliseconds, context: &context)
  }

  private func unitsOnNarrowLinks(_ context: Context) -> Int {
    context.local.certificate.certificate.role == .command ? 3 : 1
  }

  /// The hashes of the leaves are requested only where a forged one is to be found.
  private mutating func request(
    of key: BlobUnitKey, _ unit: IncomingUnit, from device: DeviceID
  ) -> BlobMessage {
    guard peers[device]?.readsShortForms == true, !unit.needsProof,
      let number = peers[device]?.number(key)
    else { return .want(unit.want(of: key.blob)) }
    let hashes = active[key.blob]?.nodes.missing(of: key.unit) ?? 0
    return .request(unit.request(of: key.blob, number: number, hashes: hashes))
  }

  // MARK: Time

  private static let reviewMilliseconds: Int64 = 1000
  private static let idleReviewMilliseconds: Int64 = 10_000

  private mutating func fail(_ device: DeviceID, context: Context) {
    let patience = patience(in: context)
    peers[device]?.fail(patience: patience, now: context.now)
  }

  private mutating func review(within milliseconds: Int64, context: inout Context) {
    let moment = context.now.advanced(byMilliseconds: milliseconds)
    if let next = nextReview, next <= moment, next > context.now { return }
    nextReview = moment
    context.deadlines.schedule(.blobs, at: moment)
  }

  /// Seeks blobs that their authors do not hold at other peers; gives the place of those that none
  /// holds to others.
  private mutating func passOver(context: inout Context) {
    for (id, blob) in active.sorted(by: { $0.value.order < $1.value.order })
    where !isHeld(blob)
      && context.now.milliseconds(since: blob.since) >= patience(with: blob, id, in: context)
    {
      if !blob.isSought, let entry = catalog[id] {
        seek(entry, context: &context)
      } else if queue.count > 0 {
        deactivate(id)
        dormant.insert(id)
      }
    }
  }

  /// Requests stalled units from other peers, and gives the place of blobs that no peer holds to
  /// others.
  mutating func passDeadline(context: inout Context) {
    sendNotices(context: &context)
    guard let due = nextReview, due <= context.now else {
      if let nextReview { context.deadlines.schedule(.blobs, at: nextReview) }
      return
    }
    nextReview = nil
    var stalled: Set<DeviceID> = []
    for (key, unit) in incoming.sorted(by: { $0.key < $1.key }) {
      guard let source = unit.source,
        context.now.milliseconds(since: unit.moved) >= patience(in: context)
      else { continue }
      switch stall(of: key, from: source, context: context) {
      case .silence: context.expectAnswer(from: source)
      case .partition: incoming[key]?.wait(until: context.now)
      case .refusal:
        release(key)
        stalled.insert(source)
      }
    }
    for device in stalled.sorted() { fail(device, context: context) }
    for entry in catalog.expireRequests(now: context.now) where !entry.isWanted {
      queue.remove(entry)
      deactivate(entry.id)
    }
    passOver(context: &context)
    wake(dormant.takeDue(now: context.now))
    refill(context: &context)
    pumpAll(context: &context)
    if !incoming.isEmpty || !active.isEmpty || !dormant.isEmpty || catalog.hasRequests
      || isWaiting(context: context)
    {
      review(
        within: incoming.isEmpty ? Self.idleReviewMilliseconds : Self.reviewMilliseconds,
        context: &context)
    }
  }
}
