internal import MusterModel

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

  fileprivate static let firstDistance: UInt64 = 32
  fileprivate static let growth: UInt64 = 8
  fileprivate static let restMilliseconds: Int64 = 2000
  fileprivate static let doublings = 6
}

extension FrameReceiver {
  /// Searches for the frame at which a peer's branch diverges from the stored one. Returns false if
  /// the peer cannot be asked, or was asked a short time ago.
  mutating func searchFork(of log: LogID, with device: DeviceID, context: inout Context) -> Bool {
    guard let peer = context.peers[device], !peer.sessions.isEmpty,
      let head = searchedHead(of: log, context: &context),
      head.sequence > 0
    else { return false }
    var search = ForkSearch(distance: ForkSearch.firstDistance, began: context.now, times: 1)
    if let last = peer.branches.searches[log] {
      let rest = ForkSearch.restMilliseconds << Int64(min(last.times, ForkSearch.doublings))
      guard context.now.milliseconds(since: last.began) >= rest else { return false }
      search.times = last.times + 1
    }
    guard peer.branches.searches[log] != nil || peer.branches.searches.count < Limits.forkSearches
    else {
      return false
    }
    context.peers[known: device].branches.searches[log] = search
    sendSearch(of: head, from: search.start(before: head), to: device, context: &context)
    return true
  }

  /// The frame before which a search begins: the newest of a strand without branches. For a log
  /// with more branches than count, the last frame that counts.
  private func searchedHead(of log: LogID, context: inout Context) -> Head? {
    guard let held = context.logs[log] else { return nil }
    if context.roster.overforked.contains(log) {
      return context.logs.countedHeads[log] ?? (held.base == nil ? held.head : nil)
    }
    return held.isParted ? nil : held.head
  }

  private mutating func sendSearch(
    of head: Head, from first: UInt64, to device: DeviceID, context: inout Context
  ) {
    let through = min(first + Limits.signatureInterval - 1, head.sequence + 1)
    var packet = Packet()
    packet.wants = [Want(log: head.log, from: first, through: through, isSearch: true)]
    context.outbox.add(packet, importance: .control, to: device)
  }

  /// Handles a leaf that names another frame than the stored one for the same place.
  mutating func noteFork(_ hint: LeafHint, of device: DeviceID, context: inout Context) {
    let log = LogID(raw: hint.key)
    guard let held = context.logs[log] else { return }
    let head =
      context.roster.overforked.contains(log) ? searchedHead(of: log, context: &context) : held.head
    guard let head, UInt64(hint.number) == head.sequence, hint.hash != LeafHint(head).hash else {
      return
    }
    _ = searchFork(of: log, with: device, context: &context)
  }

  /// Continues the searches of a log. The received frames are stored here through a sequence, so
  /// the branches diverge after it; or they follow no stored frame, so the branches diverge before.
  mutating func goOnSearching(
    in log: LogID, with device: DeviceID, after through: UInt64?, context: inout Context
  ) {
    guard let searches = context.peers[device]?.branches.searches else { return }
    // The search may be for a strand of the log.
    for name in searches.keys.sorted() {
      guard let held = context.logs[name], held.log == log,
        let head = searchedHead(of: name, context: &context),
        var search = searches[name]
      else { continue }
      if let through {
        guard through <= head.sequence, through >= held.first, through > search.cursor else {
          continue
        }
        search.cursor = through
        context.peers[known: device].branches.searches[name] = search
        sendSearch(of: head, from: through + 1, to: device, context: &context)
      } else if search.distance <= head.sequence {
        search.distance *= ForkSearch.growth
        context.peers[known: device].branches.searches[name] = search
        sendSearch(of: head, from: search.start(before: head), to: device, context: &context)
      }
    }
  }

  /// Processes a head that a peer advertises outside a digest. Its set follows from the log, or is
  /// not known yet.
  mutating func noteHead(
    _ hint: LeafHint, of device: DeviceID, on session: UInt32?, context: inout Context
  ) {
    let log = LogID(raw: hint.key)
    context.remember(log, through: UInt64(hint.number), of: device)
    context.confirm(hint, isExact: false, by: device)
    context.noteShared(hint, on: session)
    noteFork(hint, of: device, context: &context)
    if context.peers[device]?.sessions.isEmpty == false {
      pulls.enqueue(log, from: device, context: &context)
    } else {
      pulls.noteNamed(hint, of: device, context: context)
    }
  }
}
