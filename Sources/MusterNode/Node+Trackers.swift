public import MusterModel
internal import MusterReplica

extension Node {
  /// Returns the trackers that this device records, by name.
  public func trackers() throws -> [String: UserID] {
    try read { replica, _ in try replica.queries.trackers() }
  }

  /// Returns the carrier of a tracker that this device records, whether or not it was received
  /// from.
  public func carrier(named name: String) throws -> UserID {
    try read { replica, _ in UserID(raw: replica.queries.trackerRow(named: name).raw) }
  }

  /// Lists the carrier of a tracker before its first position, so that they can report their
  /// status. Does nothing for one that is listed.
  public func enlistCarrier(named name: String) async throws {
    await untilPeersAnswered()
    try attempt { try $0.enlistTracker(named: name, now: $1) }
  }

  /// Deletes the stored track of a tracker that this device records; its published position stays.
  public func clearTrack(ofTracker name: String) throws {
    try attempt { try $0.clearTrack(ofTracker: name, now: $1) }
  }
}
