/// The sets of rows of which clients keep a copy by delta sync.
///
/// The numbers are stored: they are append-only.
public enum SyncedSet: UInt8, NamedCase, Sendable {
  case users = 1
  case reports = 2
  case fences = 3
  case records = 4

  /// Returns the set that a row belongs to; nil if its changes are not recorded.
  public init?(_ kind: EntityKind) {
    switch kind {
    case .user, .tracker: self = .users
    case .report: self = .reports
    case .fence: self = .fences
    case .record: self = .records
    default: return nil
    }
  }
}

/// When a row last changed at this node, and how often.
public struct RowChange: Hashable, Sendable {
  /// The row.
  public let row: RowID
  /// The moment of the commit: this node's wall clock in milliseconds, but later than that of any
  /// earlier commit of the set.
  public let moment: Int64
  /// The number of commits that changed the row.
  public let version: Int64

  /// Creates a change that was recorded.
  public init(row: RowID, moment: Int64, version: Int64) {
    self.row = row
    self.moment = moment
    self.version = version
  }
}

/// A position in the changes of a set, which are ordered by moment, then by row.
public struct RowChangePosition: Hashable, Sendable {
  /// That of the change before.
  public let moment: Int64
  /// That of the change before; nil after all changes of the moment.
  public let row: RowID?

  /// Creates a position.
  public init(moment: Int64, row: RowID?) {
    self.moment = moment
    self.row = row
  }
}
