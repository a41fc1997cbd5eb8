internal import MusterModel

/// New data to broadcast: a few frames of one log, or a few records; never empty.
enum Fresh: Sendable {
  /// With the hash of the frame before.
  case frames([Frame], Lane, after: FrameHash)
  case records([LatestRecord])

  /// The key from which device tags are derived.
  var key: Bytes16 {
    switch self {
    case .frames(let frames, _, _): frames[0].strand.raw
    case .records(let records): records[0].topic.raw
    }
  }

  /// The log of frames; nil for records.
  var log: LogID? {
    guard case .frames(let frames, _, _) = self else { return nil }
    return frames[0].strand
  }

  /// Whether it consists of neighbour records, which have the lowest priority.
  var isOfNeighbours: Bool {
    guard case .records(let records) = self else { return false }
    return records.allSatisfy { $0.kind == .neighbours }
  }

  /// Whether every device sends such records again and again: a peer that misses one gets another.
  var isPeriodic: Bool {
    guard case .records(let records) = self else { return false }
    return records.allSatisfy { record in
      switch record.kind {
      case .position, .trackerPosition, .presence, .neighbours: true
      case .receipt, .blobReceipt, .otherIncarnations, .clone: false
      }
    }
  }

  /// The positions of people and trackers in it.
  var positions: [LatestRecord] {
    guard case .records(let records) = self else { return [] }
    return records.filter { $0.kind == .position || $0.kind == .trackerPosition }
  }

  /// Whether the next records replace it.
  var isReplaceable: Bool {
    guard case .records = self else { return false }
    return true
  }

  var isUrgent: Bool {
    guard case .frames(_, .urgent, _) = self else { return false }
    return true
  }

  var relayMillisecondsPerPeer: Int64 {
    switch self {
    case .frames: Timing.relayMillisecondsPerPeer
    case .records: Timing.recordRelayMillisecondsPerPeer
    }
  }

  /// Returns whether a run contains all of these frames.
  func isContained(in run: Run) -> Bool {
    guard case .frames(let frames, _, _) = self, let last = frames.last else { return false }
    return last.strand == run.log && last.sequence < run.first + UInt64(run.frames.count)
  }

  /// Returns whether these records, or newer ones of their topics, are among others.
  func isContained(in records: [LatestRecord]) -> Bool {
    guard case .records(let own) = self else { return false }
    return own.allSatisfy { waits in
      records.contains { $0.topic == waits.topic && waits.order <= $0.order }
    }
  }
}

/// New data that waits for its relay by multicast.
///
/// Invariant: at most `Limits.relays`; the oldest is dropped, and its receivers learn of the data
/// by digests.
struct RelayQueue: Sendable {
  struct Relay: Sendable {
    let fresh: Fresh
    let link: LinkID
    let at: Instant
    let covered: Set<DeviceTag>
    /// The number of copies received on the link.
    var copies: Int
  }

  private var waiting: [Relay] = []

  var count: Int { waiting.count }
  /// When the next relay is due.
  var next: Instant? { waiting.map(\.at).min() }

  mutating func add(_ relay: Relay) {
    waiting.append(relay)
    if waiting.count > Limits.relays { waiting.removeFirst() }
  }

  /// Removes and returns what is due, without what others relayed often enough.
  mutating func takeDue(at now: Instant) -> [Relay] {
    let due = waiting.filter { $0.at <= now }
    waiting.removeAll { $0.at <= now }
    return due.filter { $0.copies < Timing.relayRedundancy }
  }

  /// Counts a copy of what waits for a link, relayed there by another device.
  mutating func noteCopy(on link: LinkID, _ isCopy: (Fresh) -> Bool) {
    for index in waiting.indices where waiting[index].link == link {
      if isCopy(waiting[index].fresh) { waiting[index].copies += 1 }
    }
  }
}
