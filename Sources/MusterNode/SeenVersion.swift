public import MusterModel
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

/// The version of a row that a write requires.
public struct RowCondition: Sendable {
  let kind: EntityKind
  let reference: String
  let seen: SeenVersion

  /// Creates a condition.
  ///
  /// - Parameter reference: the row's id, or the first digits of it.
  public init(kind: EntityKind, reference: String, seen: SeenVersion) {
    self.kind = kind
    self.reference = reference
    self.seen = seen
  }

  /// Throws `Refusal` if the row has another version, or is unknown.
  func check(in replica: inout Replica, now: ClockReading) throws {
    let id = try replica.queries.row(kind, named: reference)
    guard try seen.isCurrent(of: RowKey(kind: kind, id: id), in: &replica, now: now) else {
      throw Refusal.changed("\(kind) \(id.short) was changed meanwhile: reload and try again")
    }
  }
}
