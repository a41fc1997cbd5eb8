public import MusterModel
internal import MusterReplica

/// Delta sync.
extension Node {
  /// Returns the rows of a set that changed after a position, in the order in which they changed at
  /// this node.
  public func syncPage(
    of set: SyncedSet, after position: RowChangePosition, limit: Int
  ) throws -> SyncPage {
    try read {
      try SyncReader(set: set, now: $1).page(after: position, limit: limit, of: &$0)
    }
  }

  /// Returns the moment of the newest change of a set; 0 before the first.
  public func newestMoment(of set: SyncedSet) throws -> Int64 {
    try read { replica, _ in try replica.queries.newestMoment(of: set) }
  }

  /// Returns a row with its last change. Throws `Refusal` for an unknown row.
  public func syncItem(of set: SyncedSet, _ kind: EntityKind, named reference: String) throws
    -> SyncPage.Item?
  {
    try read {
      try SyncReader(set: set, now: $1).item(try $0.queries.row(kind, named: reference), of: &$0)
    }
  }
}
