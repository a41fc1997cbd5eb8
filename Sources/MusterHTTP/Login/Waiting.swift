internal import Synchronization

/// Counts waiting tasks.
final class Waiting: Sendable {
  private let count = Mutex(0)

  /// Returns false at the limit.
  func enter(upTo most: Int) -> Bool {
    count.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
  }

  func leave() { count.withLock { $0 -= 1 } }
}
