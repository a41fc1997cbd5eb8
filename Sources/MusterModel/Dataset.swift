/// The data sets whose changes are counted, so that a reader can detect changes.
public enum Dataset: UInt8, Sendable, NamedCase, Hashable {
  case users = 1
  case reports = 2
  case fences = 3
  case events = 4
  case directives = 5
  /// Alerts of this node only: raised, cleared or acknowledged. Also the settings of the operation,
  /// which contain the emergency contacts that alerts show, and the unverified calls.
  case alerts = 6
  /// The mesh topology: which device receives from which.
  case mesh = 7
  /// The records of users.
  case records = 8
  /// Exposure notices, and those that concern this node's user. The log of devices nearby is not
  /// counted.
  case proximity = 9

  /// Returns the set that a row belongs to; nil if its changes are not reported.
  public init?(_ kind: EntityKind) {
    switch kind {
    case .user, .tracker, .permit, .checkIn: self = .users
    case .report: self = .reports
    case .fence: self = .fences
    case .directive: self = .directives
    case .alertAcknowledgement, .settings, .unverifiedCall: self = .alerts
    case .record: self = .records
    case .exposure: self = .proximity
    case .track: return nil
    }
  }
}

/// How often each data set has changed at this node. The numbers only grow, also over restarts.
public struct ChangeCounts: Codable, Hashable, Sendable {
  /// One count per set, in the order of the sets' numbers.
  public private(set) var counts: [UInt64]

  /// Creates counts of zero.
  public init() { counts = Array(repeating: 0, count: Dataset.allCases.count) }

  /// The count of one set.
  public subscript(dataset: Dataset) -> UInt64 {
    get { counts[Int(dataset.rawValue) - 1] }
    set { counts[Int(dataset.rawValue) - 1] = newValue }
  }

  /// Returns nil unless there is one count for each set.
  public init?(_ counts: [UInt64]) {
    guard counts.count == Dataset.allCases.count else { return nil }
    self.counts = counts
  }
}
