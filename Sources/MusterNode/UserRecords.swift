public import MusterModel
public import MusterReplica

/// The records of users at a node: key-value data sets that every device of a user writes.
public enum UserRecords {
  /// Returns the data sets of a user, by name.
  public static func datasets(
    of user: UserID, at node: isolated Node
  ) throws -> [RecordDataset] {
    try node.read { replica, _ in try replica.queries.recordDatasets(of: user) }
  }

  /// Returns the records of a user's data set that changed after a position, removed ones included,
  /// in the order in which they changed at this node; and the data set, nil if it has none.
  public static func page(
    of user: UserID, in dataset: String, after position: RecordIndexPosition, limit: Int,
    at node: isolated Node
  ) throws -> (page: RecordPage, dataset: RecordDataset?) {
    try node.read { replica, _ in
      (
        try replica.queries.records(of: user, in: dataset, after: position, limit: limit),
        try replica.queries.recordDatasets(of: user).first { $0.name == dataset }
      )
    }
  }

  /// Sets or removes records of this device's user, as `RecordRequests.update` does. On return the
  /// changes are durable. Returns the changed records.
  public static func update(
    _ dataset: String, _ changes: [RecordChange], at node: isolated Node
  ) async throws -> [RecordSummary] {
    await node.untilPeersAnswered()
    guard !changes.isEmpty else { return [] }
    var count: UInt64 = 0
    try node.attempt { replica, now in
      let written = try replica.write(RecordRequests.update(dataset, changes), now: now)
      count = written.answer
      return written.outcome
    }
    let before = RecordIndexPosition(syncCount: count - 1)
    return try node.read { replica, _ in
      try replica.queries.records(in: dataset, after: before, limit: changes.count).records
    }
  }

  /// Removes all records of a data set of this device's user. On return that is durable. Returns
  /// the data set.
  public static func delete(
    _ dataset: String, at node: isolated Node
  ) async throws -> RecordDataset? {
    await node.untilPeersAnswered()
    try node.attempt { replica, now in
      try replica.write(RecordRequests.delete(dataset), now: now).outcome
    }
    return try node.read { replica, _ in
      try replica.queries.recordDatasets().first { $0.name == dataset }
    }
  }

  /// Returns the data sets of this device's user with changes that a reader has missed, by name.
  public static func datasets(
    in missed: Node.MissedChanges, at node: isolated Node
  ) throws -> [RecordDataset] {
    try node.read { replica, _ in
      switch missed {
      case .changed(let rows): try replica.queries.recordDatasets(changedBy: rows.map(\.id))
      case .reload: try replica.queries.recordDatasets()
      }
    }
  }
}
