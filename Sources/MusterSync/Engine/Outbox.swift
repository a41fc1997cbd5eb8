internal import MusterModel

/// What this device wants to say to each peer, until it may leave and, where that matters, until it
/// is acknowledged.
///
/// Parts of a packet are encoded one by one: Protocol Buffers of one type, joined, parse as one
/// message with all their repeated fields. They are packed into as few datagrams as they fit, and
/// sealed as these leave, so that what matters most never waits behind what was said earlier.
struct Outbox: Sendable {
  /// In the order in which they leave; the first two take turns
  /// (docs/decisions/0018-help-first.md).
  enum Importance: UInt8, CaseIterable, Comparable {
    case urgent, control, positions, state, receipts, thumbnails, photos, history, quarantine

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    init(_ lane: Lane) {
      switch lane {
      case .control: self = .control
      case .urgent: self = .urgent
      case .state: self = .state
      case .history: self = .history
      }
    }

    /// That of the most important of them.
    init(_ records: [LatestRecord]) {
      self = records.map { Self($0.kind) }.min() ?? .positions
    }

    private init(_ kind: RecordKind) {
      switch kind {
      case .position, .trackerPosition, .livesHeard, .clone: self = .positions
      // A mark that says what has arrived never takes the room of what is to arrive.
      case .receipt: self = .receipts
      case .neighbours: self = .history
      }
    }
  }

  /// Of peers with a session: made as soon as there is anything to say.
  var flows: [DeviceID: Flow] = [:]
  var links = LinkPaces()
  /// Peers to whom something may have become possible since the last look.
  private var touched: [DeviceID] = []
  private var isTouched: Set<DeviceID> = []
  /// Peers for whom something waits, or to whom an acknowledgement is owed.
  private(set) var backlog: Set<DeviceID> = []
  /// Parts that found no room; heads and digests mend that.
  private(set) var dropped: UInt64 = 0
  private var turns: UInt64 = 0
  /// Something urgent went before sealed datagrams that wait for a link: it is their turn now.
  var hasUrgentPassed = false

  /// - Parameter author: whose frames these are, where they are frames: authors take turns.
  mutating func add(
    _ packet: Packet, importance: Importance, to device: DeviceID, author: CertificateHash? = nil
  ) {
    let part = PartQueue.Part(packet, importance: importance, author: author)
    if flows[device, default: Flow()].queue.add(part) {
      touch(device)
    } else {
      dropped += 1
    }
  }

  mutating func touch(_ device: DeviceID) {
    if isTouched.insert(device).inserted { touched.append(device) }
  }

  /// The peers to look at now, in a fixed order.
  mutating func takeTouched() -> [DeviceID] {
    defer {
      touched = []
      isTouched = []
    }
    return touched
  }

  mutating func noteBacklog(of device: DeviceID, owes: Bool) {
    if owes || flows[device]?.queue.waiting ?? 0 > 0 {
      backlog.insert(device)
    } else {
      backlog.remove(device)
    }
  }

  var nextTurnIsAnybodys: Bool { turns % 20 == 19 }

  mutating func claim(of device: DeviceID) -> (importance: UInt8, turn: UInt64) {
    flows[device]?.claim() ?? (.max, .max)
  }

  mutating func giveTurn(to device: DeviceID) {
    turns += 1
    flows[device]?.turn = turns
  }

  /// The next sealed datagram whose link is open, unless what a peer is to be told next is urgent
  /// and may go before it: the two take turns.
  mutating func popReady(before claimed: UInt8?, now: Instant) -> LinkPaces.Ready? {
    if claimed == Importance.urgent.rawValue, !hasUrgentPassed { return nil }
    hasUrgentPassed = false
    return links.popReady(now: now)
  }

  /// Its last session has ended: what was to be said is found to differ when it is back.
  mutating func forget(_ device: DeviceID) {
    flows[device] = nil
    backlog.remove(device)
  }
}
