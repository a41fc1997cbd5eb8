internal import MusterModel
internal import MusterReplica

/// The version of a row that a client saw.
public enum SeenVersion: Sendable {
  /// One of these hashes of the row's writes.
  case hash(Set<String>)
  /// The number of commits that changed the row at this node.
  case changes(Int64)

  func isCurrent(of key: RowKey, in replica: inout Replica, now: ClockReading) throws -> Bool {
    switch self {
    case .hash(let versions): versions.contains(try replica.version(of: key, now: now))
    case .changes(let count): count == (try replica.syncVersion(of: key, now: now))
    }
  }
}
