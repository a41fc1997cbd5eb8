internal import MusterCrypto
internal import MusterModel

/// A strand of a forked log whose download from one peer has begun.
struct BegunStrand: Sendable {
  let device: DeviceID
  /// The log that is forked.
  let log: LogID
  /// The frame that the strand follows, according to the peer.
  let before: Head
  let began: Instant
  /// Whether the peer advertised a strand of this name. A search returns strands under a name that
  /// only this device uses.
  let isKnown: Bool
}

/// A search for the frame at which a peer's branch of a log diverges from the stored one. Each
/// request begins further back.
struct ForkSearch: Sendable {
  var distance: UInt64
  var began: Instant
  /// How many searches of this log have begun.
  var times: Int
  /// The last sequence through which the received frames are stored here too.
  var cursor: UInt64 = 0

  func start(before head: Head) -> UInt64 {
    head.sequence >= distance ? head.sequence + 1 - distance : 1
  }
}

/// Forked logs: their author signed two frames for one place, because a database was restored or
/// cloned, or deliberately. All branches are stored, as strands (`LogSummary`), and are equal on
/// every node.
///
///     received frames do not follow the stored ones
///       ─▶ search: frames from further back, until one follows a stored frame ─▶ attach
///     a peer advertises a strand that is missing ─▶ want ─▶ a run with its origin ─▶ attach
///     attach ─▶ the store finds where the branches diverge ─▶ the strands that are stored now
///
/// The two signatures prove the fork. The branches carry them to every node.
extension SyncEngine {
  private static let searchDistance: UInt64 = 32
  private static let searchGrowth: UInt64 = 8
  private static let searchRestMilliseconds: Int64 = 2000
  private static let searchDoublings = 6
  private static let patienceMilliseconds: Int64 = 10_000

  /// Searches for the frame at which a peer's branch diverges from the stored one. Returns false if
  /// the peer cannot be asked, or was asked a short time ago.
  mutating func searchFork(of log: LogID, with device: DeviceID) -> Bool {
    guard let peer = context.peers[device], !peer.sessions.isEmpty,
      let head = searchedHead(of: log),
      head.sequence > 0
    else { return false }
    var search = ForkSearch(distance: Self.searchDistance, began: context.now, times: 1)
    if let last = peer.searches[log] {
      let rest = Self.searchRestMilliseconds << Int64(min(last.times, Self.searchDoublings))
      guard context.now.milliseconds(since: last.began) >= rest else { return false }
      search.times = last.times + 1
    }
    guard peer.searches[log] != nil || peer.searches.count < Limits.forkSearches else {
      return false
    }
    context.peers[device]?.searches[log] = search
    sendSearch(of: head, from: search.start(before: head), to: device)
    return true
  }

  /// The frame before which a search begins: the newest of a strand without branches. For a log
  /// with more branches than count, the last frame that counts.
  private func searchedHead(of log: LogID) -> Head? {
    guard let held = context.logs[log] else { return nil }
    if isOverforked(log) {
      return context.logs.countedHeads[log] ?? (held.base == nil ? held.head : nil)
    }
    return held.isParted ? nil : held.head
  }

  private mutating func sendSearch(of head: Head, from first: UInt64, to device: DeviceID) {
    let through = min(first + Limits.signatureInterval - 1, head.sequence + 1)
    var packet = Packet()
    packet.wants = [Want(log: head.log, from: first, through: through, isSearch: true)]
    context.outbox.add(packet, importance: .control, to: device)
  }

  /// Handles a leaf that names another frame than the stored one for the same place.
  mutating func noteFork(_ hint: LeafHint, of device: DeviceID) {
    let log = LogID(raw: hint.key)
    guard let held = context.logs[log] else { return }
    let head = isOverforked(log) ? searchedHead(of: log) : held.head
    guard let head, UInt64(hint.number) == head.sequence, hint.hash != LeafHint(head).hash else {
      return
    }
    _ = searchFork(of: log, with: device)
  }

  // MARK: Receiving strands

  /// Records which frame a run follows. Returns false if the run cannot be accepted.
  mutating func begin(_ run: Run, from device: DeviceID) -> Bool {
    guard let origin = run.origin, let previous = run.previous, run.first > 0 else { return false }
    guard context.logs[run.log] == nil else { return true }
    guard context.logs[origin] != nil else {
      context.logs.strands.noteOrphan(run.log)
      return false
    }
    if let begun = context.logs.strands[run.log] {
      guard begun.device != device else { return true }
      // A peer that does not continue must not block others.
      guard context.now.milliseconds(since: begun.began) > Self.patienceMilliseconds else {
        return false
      }
      context.logs.strands.end(run.log)
    }
    guard context.logs.strands.hasRoom, isWelcome(run.log, from: device) else { return false }
    // Frames of this peer are kept: later datagrams may have overtaken this one.
    abandonPull(of: run.log, butFrom: device)
    context.logs.strands.begin(
      run.log,
      BegunStrand(
        device: device, log: origin,
        before: Head(log: run.log, sequence: run.first - 1, hash: previous), began: context.now,
        isKnown: context.peers[device]?.known[run.log] != nil))
    return true
  }

  /// Passes verified frames of a branch to the store, which knows all stored frames.
  mutating func attach(
    _ frames: [Frame], named name: LogID, opening: Opening, from device: DeviceID
  ) {
    if context.logs.strands.end(name)?.isKnown == false { context.peers[device]?.known[name] = nil }
    abandonPull(of: name)
    context.effects.append(.store(.branch(opening, frames, device)))
  }

  mutating func noteAttached(
    _ result: AttachmentResult, to log: LogID, of device: DeviceID
  ) {
    switch result {
    // It is requested again only after the peer advertises it again.
    case .refused(let name): context.peers[device]?.known[name] = nil
    case .known(let through): goOnSearching(in: log, with: device, after: through)
    case .unattached: goOnSearching(in: log, with: device, after: nil)
    case .held(let held):
      for strand in held where context.logs[strand.head.log] != strand {
        settleConfirmations(of: strand.head.log)
        abandonPull(of: strand.head.log)
        set(strand, counted: counted(strand))
        for peer in context.peers.devices { context.peers[peer]?.refused.remove(strand.head.log) }
      }
      adoptOrphans()
      if let opening = held.first?.opening { tellItsCopies(of: opening.certificate, from: nil) }
      for peer in context.peers.connected {
        for strand in held { enqueue(strand.head.log, from: peer) }
        continuePulls(from: peer)
      }
      quickenAnnounce()
    }
  }

  /// Continues the searches of a log. The received frames are stored here through a sequence, so
  /// the branches diverge after it; or they follow no stored frame, so the branches diverge before.
  private mutating func goOnSearching(
    in log: LogID, with device: DeviceID, after through: UInt64?
  ) {
    guard let searches = context.peers[device]?.searches else { return }
    // The search may be for a strand of the log.
    for name in searches.keys.sorted() {
      guard let held = context.logs[name], held.log == log, let head = searchedHead(of: name),
        let search = searches[name]
      else { continue }
      if let through {
        guard through <= head.sequence, through >= held.first, through > search.cursor else {
          continue
        }
        context.peers[device]?.searches[name]?.cursor = through
        sendSearch(of: head, from: through + 1, to: device)
      } else if search.distance <= head.sequence {
        let wider = search.distance * Self.searchGrowth
        context.peers[device]?.searches[name]?.distance = wider
        sendSearch(
          of: head,
          from: ForkSearch(distance: wider, began: context.now, times: 1).start(before: head),
          to: device)
      }
    }
  }

  /// Requests strands again whose preceding frames may be stored now.
  mutating func adoptOrphans() {
    let adopted = context.logs.strands.takeOrphans()
    guard !adopted.isEmpty else { return }
    for device in context.peers.connected {
      for log in adopted where context.logs[log] == nil { enqueue(log, from: device) }
      continuePulls(from: device)
    }
  }
}
