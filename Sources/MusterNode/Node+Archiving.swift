public import MusterModel
internal import MusterReplica

/// A node whose data a database archives.
extension Node {
  /// Reports what the database has committed. From the first call on, which MUST precede `start`,
  /// the node's receipts state that.
  public func confirmArchived(_ states: [LogState]) throws {
    try attempt { replica, now in
      replica.confirmArchived(states, now: now)
      return .init()
    }
  }

  /// Returns the blobs of photos that the node fetches, with the units that it holds.
  public func wantedBlobs() throws -> [(id: BlobID, held: UnitSet)] {
    try read { replica, _ in replica.queries.wantedBlobs() }
  }

  /// Returns what changes whenever a frame is added: equal values mean that nothing was.
  public func holdings() throws -> [UInt8] {
    try read { replica, _ in replica.root() }
  }
}
