public import MusterModel
internal import MusterReplica

/// A node whose data a database archives.
extension Node {
  /// From now on the node's receipts state what the database has committed. MUST be called before
  /// `start`.
  public func awaitArchive() throws {
    try read { replica, _ in replica.awaitArchive() }
  }

  /// Schedules receipts for logs that the database holds as far as stated.
  public func confirmArchived(_ states: [LogState]) throws {
    try attempt { replica, now in
      replica.confirmArchived(states, now: now)
      return .init()
    }
  }

  /// Returns what changes whenever a frame is added: equal values mean that nothing was.
  public func holdings() throws -> [UInt8] {
    try read { replica, _ in replica.root() }
  }
}
