/// A priority queue of moments: a binary heap, so adding and removing cost O(log n).
///
/// Invariant: no element is before its parent. Only due elements are removed: to change a deadline,
/// the caller adds the new one, and ignores the old one when it is due.
struct DeadlineQueue<Element: Sendable>: Sendable {
  private var heap: [(moment: Int64, element: Element)] = []

  /// How many deadlines wait.
  var count: Int { heap.count }

  /// The first moment; nil if none waits.
  var first: Int64? { heap.first?.moment }

  /// Adds a deadline.
  mutating func insert(_ element: Element, at moment: Int64) {
    heap.append((moment, element))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].moment < heap[parent].moment else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the first deadline if it is at or before `now`.
  mutating func popDue(at now: Int64) -> (moment: Int64, element: Element)? {
    guard let first = heap.first, first.moment <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].moment < heap[least].moment { least = child }
      }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
