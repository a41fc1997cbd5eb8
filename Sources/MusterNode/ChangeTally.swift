internal import MusterModel
internal import Synchronization

/// The change counts of the data sets, readable without waiting for the node's queue.
final class ChangeTally: Sendable {
  private let newest: Mutex<ChangeCounts>

  init(_ counts: ChangeCounts) { newest = Mutex(counts) }

  var counts: ChangeCounts { newest.withLock { $0 } }

  func set(_ counts: ChangeCounts) { newest.withLock { $0 = counts } }
}
