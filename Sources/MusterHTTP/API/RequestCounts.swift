internal import Synchronization

/// Counts answered requests by status.
final class RequestCounts: Sendable {
  private let counts = Mutex<[Int: UInt64]>([:])

  func count(_ status: Int) { counts.withLock { $0[status, default: 0] += 1 } }

  var byStatus: [(status: Int, count: UInt64)] {
    counts.withLock { $0.sorted { $0.key < $1.key }.map { (status: $0.key, count: $0.value) } }
  }
}
