import MusterModel

/// Future events, earliest first; events of one moment in order of insertion.
struct EventQueue<Event> {
  private struct Entry {
    let time: Instant
    let number: UInt64
    let event: Event

    func isBefore(_ other: Entry) -> Bool {
      time == other.time ? number < other.number : time < other.time
    }
  }

  private var heap: [Entry] = []
  private var pushed: UInt64 = 0

  var nextTime: Instant? { heap.first?.time }

  mutating func push(_ event: Event, at time: Instant) {
    pushed += 1
    heap.append(Entry(time: time, number: pushed, event: event))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func pop() -> (time: Instant, event: Event)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return (first.time, first.event) }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
        if heap[child].isBefore(heap[least]) { least = child }
      }
      guard least != parent else { return (first.time, first.event) }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
