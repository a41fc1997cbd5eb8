public import MusterModel

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
}

extension Archive {
  /// Returns every operation by name. Throws `ArchiveFault`.
  public func operations() throws -> [ArchivedOperation] {
    let hasProjections =
      try database.run("SELECT to_regclass('muster.projections') IS NOT NULL").first?.integer(0)
      != 0
    return try database.run(
      """
      SELECT id, name, (SELECT count(*) FROM logs WHERE operation = id),
        (SELECT count(*) FROM heads WHERE operation = id AND is_fork)
      FROM operations ORDER BY name, id
      """
    ).map { row in
      guard let id = OperationID(bytes: row.bytes(0)) else { throw Self.damaged }
      let posts = try posts(of: id)
      return ArchivedOperation(
        id: id, name: row.text(1), logs: Int(row.integer(2)),
        frames: posts.reduce(0) { $0 + $1.stored }, forks: Int(row.integer(3)), posts: posts,
        stateHash: hasProjections ? try stateHash(of: id) : nil)
    }
  }

  private func posts(of operation: OperationID) throws -> [ArchivedOperation.Post] {
    try database.run(
      """
      SELECT device, offered, stored, refused,
        to_char(last_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      FROM posts WHERE operation = $1 ORDER BY device
      """, [.bytes(operation.bytes)]
    ).map { row in
      guard let device = DeviceID(bytes: row.bytes(0)) else { throw Self.damaged }
      return ArchivedOperation.Post(
        device: device, offered: Int(row.integer(1)), stored: Int(row.integer(2)),
        refused: Int(row.integer(3)), lastAt: row.text(4))
    }
  }

  private func stateHash(of operation: OperationID) throws -> StateHash? {
    try database.run(
      "SELECT state_hash FROM projections WHERE operation = $1", [.bytes(operation.bytes)]
    ).first.flatMap { StateHash(bytes: $0.bytes(0)) }
  }
}
