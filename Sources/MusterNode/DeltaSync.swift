public import MusterModel
internal import MusterReplica

/// Delta sync: what changed at a node, for clients that keep a copy.
public struct DeltaSync: Sendable {
  private let node: Node

  /// The changes at this node.
  public init(_ node: Node) { self.node = node }

  /// Returns the rows of a set that changed after a position, in the order in which they changed at
  /// this node.
  public func page(
    of set: SyncedSet, after position: RowChangePosition, limit: Int
  ) async throws -> SyncPage {
    try await node.readSnapshot {
      try SyncReader(set: set, now: $1).page(after: position, limit: limit, of: &$0)
    }
  }

  /// Returns the moment of the newest change of a set; 0 before the first.
  public func newestMoment(of set: SyncedSet) async throws -> Int64 {
    try await node.read { replica, _ in try replica.queries.newestMoment(of: set) }
  }

  /// Returns a row with its last change. Throws `Refusal` for an unknown row.
  public func item(
    of set: SyncedSet, _ kind: EntityKind, named reference: String
  ) async throws -> SyncPage.Item? {
    try await node.read {
      try SyncReader(set: set, now: $1).item(try $0.queries.row(kind, named: reference), of: &$0)
    }
  }
}
