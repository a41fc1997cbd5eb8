public import MusterModel
internal import MusterReplica

extension Node {
  /// Returns the trackers that this device records, by name.
  public func trackers() throws -> [String: UserID] {
    try read { replica, _ in try replica.queries.trackers() }
  }

  /// Deletes the stored track of a tracker that this device records; its published position stays.
  public func clearTrack(ofTracker name: String) throws {
    try attempt { try $0.clearTrack(ofTracker: name, now: $1) }
  }
}
