internal import MusterModel

/// The send queues of all peers: outgoing messages until they are sent and, if reliable, until they
/// are acknowledged.
///
/// Parts of a packet are encoded individually: concatenated Protocol Buffers of one type parse as
/// one message with all their repeated fields. Parts are packed into as few datagrams as possible
/// and sealed at transmission, so that a high-priority part never waits behind parts that were
/// queued earlier.
struct Outbox: Sendable {
  /// Priorities, highest first. The first two alternate (docs/decisions/0018-help-first.md).
  enum Importance: UInt8, CaseIterable, Comparable {
    case urgent, control, positions, state, receipts, history, quarantine, thumbnails, photos

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    init(_ lane: Lane) {
      switch lane {
      case .control: self = .control
      case .urgent: self = .urgent
      case .state: self = .state
      case .history: self = .history
      }
    }

    /// Returns the priority of the most important record.
    init(_ records: [LatestRecord]) {
      self = records.map { Self($0.kind) }.min() ?? .positions
    }

    private init(_ kind: RecordKind) {
      switch kind {
      case .position, .trackerPosition, .otherIncarnations, .clone, .presence: self = .positions
      // Receipts never take bandwidth from the data that they acknowledge.
      case .receipt, .blobReceipt: self = .receipts
      case .neighbours: self = .history
      }
    }
  }

  /// Send queues of peers with a session, created on first use.
  var sendQueues: [DeviceID: SendQueue] = [:]
  var links = LinkPaces()
  /// Peers to which something may have become sendable since the last pass.
  private var touched: [DeviceID] = []
  private var isTouched: Set<DeviceID> = []
  /// Peers with queued parts or an acknowledgement to send.
  private(set) var backlog: Set<DeviceID> = []
  /// Parts dropped because the queue was full. Heads and digests repair the loss.
  private(set) var dropped: UInt64 = 0
  private(set) var retransmissions = RetransmissionCounts()
  private var turns: UInt64 = 0
  /// Whether an urgent part was sent ahead of sealed datagrams that are queued for a link: the
  /// datagrams are next.
  var hasUrgentPassed = false

  /// Queues a packet for a peer.
  ///
  /// - Parameter author: the author of the packet's frames, if any. Authors are served round robin.
  mutating func add(
    _ packet: Packet, importance: Importance, to device: DeviceID, author: CertificateHash? = nil
  ) {
    add(PartQueue.Part(packet, importance: importance, author: author), to: device)
  }

  /// Queues a part that is encoded already.
  mutating func add(_ part: PartQueue.Part, to device: DeviceID) {
    if sendQueues[device, default: SendQueue()].add(part) {
      touch(device)
    } else {
      dropped += 1
    }
  }

  mutating func add(_ record: LatestRecord, to device: DeviceID) {
    var packet = Packet()
    packet.records = [record]
    add(packet, importance: Importance([record]), to: device)
  }

  mutating func note(_ repeated: RetransmissionCounts) {
    retransmissions.afterLoss += repeated.afterLoss
    retransmissions.withoutLoss += repeated.withoutLoss
  }

  /// Counts a part of a photo that arrived here again.
  mutating func noteRepeatedPart() { retransmissions.receivedParts += 1 }

  /// Whether an urgent part is queued for a peer.
  var hasUrgentQueued: Bool { backlog.contains { sendQueues[$0]?.queue.first == .urgent } }

  /// Whether everything for a peer is still queued for the link, so that no answer of it is late.
  func hasSentNothing(of device: DeviceID) -> Bool {
    sendQueues[device].map { $0.queue.waiting > 0 && $0.bytesUnderWay == 0 } ?? false
  }

  mutating func touch(_ device: DeviceID) {
    if isTouched.insert(device).inserted { touched.append(device) }
  }

  /// Returns and clears the peers to process now, in a fixed order.
  mutating func takeTouched() -> [DeviceID] {
    defer {
      touched = []
      isTouched = []
    }
    return touched
  }

  mutating func noteBacklog(of device: DeviceID, owes: Bool) {
    if owes || sendQueues[device]?.isWaiting == true {
      backlog.insert(device)
    } else {
      backlog.remove(device)
    }
  }

  /// Whether the next datagram goes to the peer that has waited longest. No photo is sent in such a
  /// turn while a distress call waits.
  var nextTurnIsAnybodys: Bool { turns % 20 == 19 }

  mutating func claim(of device: DeviceID) -> (importance: UInt8, turn: UInt64) {
    sendQueues[device]?.claim() ?? (.max, .max)
  }

  /// The priority of what is sent next to a peer.
  func next(for device: DeviceID) -> Importance { sendQueues[device]?.next ?? .control }

  mutating func giveTurn(to device: DeviceID) {
    turns += 1
    sendQueues[device]?.turn = turns
  }

  /// Returns the next sealed datagram whose link is open, unless an urgent part takes precedence.
  /// The two alternate.
  mutating func popReady(before claimed: UInt8?, now: Instant) -> LinkPaces.Ready? {
    if claimed == Importance.urgent.rawValue, !hasUrgentPassed { return nil }
    hasUrgentPassed = false
    return links.popReady(now: now)
  }

  /// Discards the queue of a peer whose last session ended. Anti-entropy finds the differences
  /// after it reconnects.
  mutating func forget(_ device: DeviceID) {
    sendQueues[device] = nil
    backlog.remove(device)
  }
}
