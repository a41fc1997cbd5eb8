internal import MusterModel

/// What is due when, soonest first, so that a datagram costs no look at every idle peer.
///
/// A binary heap that may say a moment too early, never too late: whoever moves a deadline later
/// need not tell, and what is popped before its time is put back by the engine, which knows the
/// true one. Each thing stands in it once; of equal moments the lesser thing comes first, so that
/// the order depends on nothing else.
struct DeadlineQueue: Sendable {
  /// What waits for its time.
  enum Item: Hashable, Comparable, Sendable {
    case announce
    case handshake(UInt32)
    case session(UInt32)
    case contacts
    case peer(DeviceID)
    case relays
    /// Words about lives that all sessions of a device are told again.
    case lives
    /// What waits for one peer, or is owed to it or by it.
    case flow(DeviceID)
    /// Sealed datagrams that wait for a link.
    case links

    private var rank: Int {
      switch self {
      case .announce: 0
      case .handshake: 1
      case .session: 2
      case .contacts: 3
      case .peer: 4
      case .lives: 5
      case .relays: 6
      case .flow: 7
      case .links: 8
      }
    }

    static func < (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.handshake(let left), .handshake(let right)): left < right
      case (.session(let left), .session(let right)): left < right
      case (.peer(let left), .peer(let right)): left < right
      case (.flow(let left), .flow(let right)): left < right
      default: left.rank < right.rank
      }
    }
  }

  private var heap: [(at: Instant, item: Item)] = []
  /// The moment at which each thing counts; entries of other moments are passed over.
  private var moments: [Item: Instant] = [:]

  /// The earliest moment at which something may be due.
  var next: Instant? { heap.first?.at }

  /// Makes sure that a thing is looked at by then.
  mutating func schedule(_ item: Item, at moment: Instant) {
    if let known = moments[item], known <= moment { return }
    moments[item] = moment
    heap.append((moment, item))
    rise(heap.count - 1)
  }

  /// Takes the next thing whose moment has come.
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

  /// What stands first must count, or its moment would wake the shell for nothing.
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
