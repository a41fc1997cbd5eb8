internal import Synchronization

/// How many wait for something.
final class Waiting: Sendable {
  private let count = Mutex(0)

  /// False when so many wait already.
  func enter(upTo most: Int) -> Bool {
    count.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
  }

  func leave() { count.withLock { $0 -= 1 } }
}
