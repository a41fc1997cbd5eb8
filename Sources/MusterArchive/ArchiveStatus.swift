public import MusterModel

extension Archive {
  /// Returns operations by name. Throws `ArchiveFault`.
  ///
  /// - Parameter ids: those to return; nil for all.
  public func operations(_ ids: [OperationID]? = nil) throws -> [ArchivedOperation] {
    let hasProjections =
      try database.run("SELECT to_regclass('muster.projections') IS NOT NULL").first?.integer(0)
      != 0
    return try database.run(
      """
      SELECT id, name, (SELECT count(*) FROM logs WHERE operation = id),
        (SELECT count(*) FROM heads WHERE operation = id AND is_fork)
      FROM operations WHERE $1::bytea[] IS NULL OR id = ANY($1::bytea[]) ORDER BY name, id
      """, [ids.map { .list($0.map(\.bytes)) } ?? .null]
    ).map { row in
      guard let id = OperationID(bytes: row.bytes(0)) else { throw Self.damaged }
      let posts = try posts(of: id)
      let projection = hasProjections ? try projection(of: id) : nil
      return ArchivedOperation(
        id: id, name: row.text(1), logs: Int(row.integer(2)),
        frames: posts.reduce(0) { $0 + $1.stored }, forks: Int(row.integer(3)), posts: posts,
        stateHash: projection?.hash, projectedAt: projection?.at)
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

  private func projection(of operation: OperationID) throws -> (hash: StateHash?, at: String)? {
    try database.run(
      """
      SELECT state_hash, to_char(projected_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      FROM projections WHERE operation = $1
      """, [.bytes(operation.bytes)]
    ).first.map { (StateHash(bytes: $0.bytes(0)), $0.text(1)) }
  }
}
