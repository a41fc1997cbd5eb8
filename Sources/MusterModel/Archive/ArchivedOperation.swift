/// What an archive holds of one operation.
public struct ArchivedOperation: Hashable, Sendable {
  /// A device that fed the archive.
  public struct Post: Hashable, Sendable {
    /// The device of the post.
    public var device: DeviceID
    /// Frames that it sent, those that were archived before included.
    public var offered: Int
    /// Frames that it was the first to send.
    public var stored: Int
    /// Frames that were rejected.
    public var refused: Int
    /// When it last stored something, by the clock of the server: RFC 3339.
    public var lastAt: String

    /// Creates a record of a post.
    public init(device: DeviceID, offered: Int, stored: Int, refused: Int, lastAt: String) {
      (self.device, self.offered, self.stored) = (device, offered, stored)
      (self.refused, self.lastAt) = (refused, lastAt)
    }
  }

  /// The id of the operation.
  public var id: OperationID
  /// Its name; not unique.
  public var name: String
  /// Archived logs.
  public var logs: Int
  /// Archived frames.
  public var frames: Int
  /// Positions in logs that several frames follow: a device was cloned, or restored from a backup.
  public var forks: Int
  /// By device.
  public var posts: [Post]
  /// The state hash of the projection, which equals that of nodes with the same frames; nil if the
  /// operation was never projected.
  public var stateHash: StateHash?
  /// When it was last projected, by the clock of the server: RFC 3339; nil if never.
  public var projectedAt: String?

  /// Creates a record of what is archived.
  public init(
    id: OperationID, name: String, logs: Int, frames: Int, forks: Int, posts: [Post],
    stateHash: StateHash?, projectedAt: String?
  ) {
    (self.id, self.name, self.logs, self.frames) = (id, name, logs, frames)
    (self.forks, self.posts) = (forks, posts)
    (self.stateHash, self.projectedAt) = (stateHash, projectedAt)
  }
}
