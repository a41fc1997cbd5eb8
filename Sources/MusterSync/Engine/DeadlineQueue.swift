internal import MusterModel

/// A priority queue of deadlines, so that a datagram does not cost a scan of every idle peer.
///
/// A binary heap that may return an item too early, never too late. A deadline that moves later
/// needs no update: the engine knows the true deadline and reschedules an item that was popped
/// early. Each item occurs once. Items with equal deadlines are ordered by item, so that the order
/// is deterministic.
struct DeadlineQueue: Sendable {
  /// An item that has a deadline.
  enum Item: Hashable, Comparable, Sendable {
    case announce
    case handshake(UInt32)
    case session(UInt32)
    case contacts
    case peer(DeviceID)
    case relays
    /// Incarnation records to retransmit to all sessions of a device.
    case clones
    /// Data queued for one peer, and acknowledgements owed in either direction.
    case sendQueue(DeviceID)
    /// Sealed datagrams that are queued for a link.
    case links
    /// Blobs that are being fetched.
    case blobs
    /// The next batch of positions for peers on uplinks.
    case positions
    /// The next frames of busy logs for peers on uplinks.
    case frames

    private var rank: Int {
      switch self {
      case .announce: 0
      case .handshake: 1
      case .session: 2
      case .contacts: 3
      case .peer: 4
      case .clones: 5
      case .relays: 6
      case .sendQueue: 7
      case .links: 8
      case .blobs: 9
      case .positions: 10
      case .frames: 11
      }
    }

    static func < (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.handshake(let left), .handshake(let right)): left < right
      case (.session(let left), .session(let right)): left < right
      case (.peer(let left), .peer(let right)): left < right
      case (.sendQueue(let left), .sendQueue(let right)): left < right
      default: left.rank < right.rank
      }
    }
  }

  private var heap: [(at: Instant, item: Item)] = []
  /// The valid deadline of each item. Heap entries with another deadline are stale.
  private var moments: [Item: Instant] = [:]

  /// The earliest time at which an item may be due.
  var next: Instant? { heap.first?.at }

  /// Schedules an item for `moment` at the latest.
  mutating func schedule(_ item: Item, at moment: Instant) {
    if let known = moments[item], known <= moment { return }
    moments[item] = moment
    heap.append((moment, item))
    rise(heap.count - 1)
  }

  /// Removes and returns the next item that is due.
  mutating func popDue(now: Instant) -> Item? {
    while let first = heap.first, first.at <= now {
      removeFirst()
      guard moments[first.item] == first.at else { continue }
      moments[first.item] = nil
      return first.item
    }
    dropStale()
    return nil
  }

  /// Removes stale entries from the top. A stale first entry would wake the shell without need.
  private mutating func dropStale() {
    while let first = heap.first, moments[first.item] != first.at { removeFirst() }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    heap[left].at != heap[right].at
      ? heap[left].at < heap[right].at : heap[left].item < heap[right].item
  }

  private mutating func rise(_ start: Int) {
    var index = start
    while index > 0, precedes(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
        if precedes(child, least) { least = child }
      }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
