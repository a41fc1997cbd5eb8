internal import MusterCrypto
internal import MusterModel

/// A strand of a forked log that has begun to come, from one peer.
struct BegunStrand: Sendable {
  let device: DeviceID
  /// The log that is forked.
  let log: LogID
  /// What the strand is said to go on from.
  let before: Head
  let began: Instant
  /// Whether the peer says that it holds a strand of this name: what is found by a search has one
  /// that nobody else knows.
  let isKnown: Bool
}

/// Where a peer's branch of a log parts from the one held: asked for from ever further back.
struct ForkSearch: Sendable {
  var distance: UInt64
  var began: Instant
  /// How often it was begun.
  var times: Int
  /// Through which sequence what came was held here too.
  var cursor: UInt64 = 0

  func start(before head: Head) -> UInt64 {
    head.sequence >= distance ? head.sequence + 1 - distance : 1
  }
}

/// Logs of which an author signed two frames for one place: a database that was restored or cloned,
/// or a lie. All branches are held, as strands (`LogSummary`), and equal on every node.
///
///     what a peer sends does not follow from what is held
///       ─▶ search: frames from further back, until they follow from something ─▶ attach
///     a strand that is not held is offered ─▶ want ─▶ a run that says what it follows ─▶ attach
///     attach ─▶ the store finds where the branches part ─▶ the strands that are held now
///
/// Both signatures of the author's are proof of the fork, and the branches themselves bring it to
/// everybody.
extension SyncEngine {
  private static let searchDistance: UInt64 = 32
  private static let searchGrowth: UInt64 = 8
  private static let searchRestMilliseconds: Int64 = 2000
  private static let searchDoublings = 6
  private static let patienceMilliseconds: Int64 = 10_000

  /// Looks for where a peer's branch parts from the one held. False where it cannot be asked, or
  /// was not long ago: nothing has come of that.
  mutating func searchFork(of log: LogID, with device: DeviceID) -> Bool {
    guard let peer = peers[device], !peer.sessions.isEmpty, let head = searchedHead(of: log),
      head.sequence > 0
    else { return false }
    var search = ForkSearch(distance: Self.searchDistance, began: now, times: 1)
    if let last = peer.searches[log] {
      let rest = Self.searchRestMilliseconds << Int64(min(last.times, Self.searchDoublings))
      guard now.milliseconds(since: last.began) >= rest else { return false }
      search.times = last.times + 1
    }
    guard peer.searches[log] != nil || peer.searches.count < Limits.forkSearches else {
      return false
    }
    peers[device]?.searches[log] = search
    sendSearch(of: head, from: search.start(before: head), to: device)
    return true
  }

  /// The frame before which a branch is searched for: the newest of a strand from which no other
  /// goes on; of a log with more branches than count the last that counts.
  private func searchedHead(of log: LogID) -> Head? {
    guard let held = shelf.logs[log] else { return nil }
    if isOverforked(log) { return shelf.countedHeads[log] ?? (held.base == nil ? held.head : nil) }
    return held.isParted ? nil : held.head
  }

  private mutating func sendSearch(of head: Head, from first: UInt64, to device: DeviceID) {
    let through = min(first + Limits.signatureInterval - 1, head.sequence + 1)
    var packet = Packet()
    packet.wants = [Want(log: head.log, from: first, through: through, isSearch: true)]
    outbox.add(packet, importance: .control, to: device)
  }

  /// A leaf that names another frame than the one held for the same place.
  mutating func noteFork(_ hint: LeafHint, of device: DeviceID) {
    let log = LogID(raw: hint.key)
    guard let held = shelf.logs[log] else { return }
    let head = isOverforked(log) ? searchedHead(of: log) : held.head
    guard let head, UInt64(hint.number) == head.sequence, hint.hash != LeafHint(head).hash else {
      return
    }
    _ = searchFork(of: log, with: device)
  }

  // MARK: Strands that come

  /// Notes where the frames of a run are said to go on from. False where they cannot be taken.
  mutating func begin(_ run: Run, from device: DeviceID) -> Bool {
    guard let origin = run.origin, let previous = run.previous, run.first > 0 else { return false }
    guard shelf.logs[run.log] == nil else { return true }
    guard shelf.logs[origin] != nil else {
      strands.noteOrphan(run.log)
      return false
    }
    if let begun = strands[run.log] {
      guard begun.device != device else { return true }
      // Who begins and does not go on must not keep others from it.
      guard now.milliseconds(since: begun.began) > Self.patienceMilliseconds else { return false }
      strands.end(run.log)
    }
    guard strands.hasRoom, isWelcome(run.log, from: device) else { return false }
    // Of this peer's, later datagrams may have overtaken this one.
    abandonPull(of: run.log, butFrom: device)
    strands.begin(
      run.log,
      BegunStrand(
        device: device, log: origin,
        before: Head(log: run.log, sequence: run.first - 1, hash: previous), began: now,
        isKnown: peers[device]?.known[run.log] != nil))
    return true
  }

  /// Gives frames that their author's signature proves to whoever knows all that is held.
  mutating func attach(
    _ frames: [Frame], named name: LogID, opening: Opening, from device: DeviceID
  ) {
    if strands.end(name)?.isKnown == false { peers[device]?.known[name] = nil }
    abandonPull(of: name)
    effects.append(.store(.branch(opening, frames, device)))
  }

  mutating func noteAttached(
    _ result: AttachmentResult, to log: LogID, of device: DeviceID
  ) {
    switch result {
    // Requested again only once the peer names it again.
    case .refused(let name): peers[device]?.known[name] = nil
    case .known(let through): goOnSearching(in: log, with: device, after: through)
    case .unattached: goOnSearching(in: log, with: device, after: nil)
    case .held(let held):
      for strand in held where shelf.logs[strand.head.log] != strand {
        settleConfirmations(of: strand.head.log)
        abandonPull(of: strand.head.log)
        set(strand, counted: counted(strand))
        for peer in peers.devices { peers[peer]?.refused.remove(strand.head.log) }
      }
      adoptOrphans()
      if let opening = held.first?.opening { tellItsCopies(of: opening.certificate, from: nil) }
      for peer in peers.connected {
        for strand in held { enqueue(strand.head.log, from: peer) }
        continuePulls(from: peer)
      }
      quickenAnnounce()
    }
  }

  /// What came is held here too, through a sequence, so the branches part behind it; or it follows
  /// nothing that is held, and they part before.
  private mutating func goOnSearching(
    in log: LogID, with device: DeviceID, after through: UInt64?
  ) {
    guard let searches = peers[device]?.searches else { return }
    // The search may be in a strand of the log.
    for name in searches.keys.sorted() {
      guard let held = shelf.logs[name], held.log == log, let head = searchedHead(of: name),
        let search = searches[name]
      else { continue }
      if let through {
        guard through <= head.sequence, through >= held.first, through > search.cursor else {
          continue
        }
        peers[device]?.searches[name]?.cursor = through
        sendSearch(of: head, from: through + 1, to: device)
      } else if search.distance <= head.sequence {
        let wider = search.distance * Self.searchGrowth
        peers[device]?.searches[name]?.distance = wider
        sendSearch(
          of: head, from: ForkSearch(distance: wider, began: now, times: 1).start(before: head),
          to: device)
      }
    }
  }

  /// What they go on from may be held now.
  mutating func adoptOrphans() {
    let adopted = strands.takeOrphans()
    guard !adopted.isEmpty else { return }
    for device in peers.connected {
      for log in adopted where shelf.logs[log] == nil { enqueue(log, from: device) }
      continuePulls(from: device)
    }
  }
}
