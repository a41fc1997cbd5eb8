/// The sets of things whose changes are counted, so that a reader can tell whether anything is new.
public enum Dataset: UInt8, Sendable, CaseIterable, Hashable {
  case users = 1
  case reports = 2
  case fences = 3
  case events = 4
  case directives = 5
  /// Of this node alone: those that came or went, and those that somebody took notice of.
  case alerts = 6
  /// Who hears whom.
  case mesh = 7

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }

  /// The set that a row belongs to; nil for what no reader is told of.
  public init?(_ kind: EntityKind) {
    switch kind {
    case .user, .tracker, .permit: self = .users
    case .report: self = .reports
    case .fence: self = .fences
    case .directive: self = .directives
    case .alertAcknowledgement: self = .alerts
    case .settings, .track: return nil
    }
  }
}

/// How often each set has changed at this node, over restarts: a number that only grows.
public struct ChangeCounts: Codable, Hashable, Sendable {
  /// In the order of the sets' numbers.
  public private(set) var counts: [UInt64]

  /// Nothing has changed yet.
  public init() { counts = Array(repeating: 0, count: Dataset.allCases.count) }

  /// The count of one set.
  public subscript(dataset: Dataset) -> UInt64 {
    get { counts[Int(dataset.rawValue) - 1] }
    set { counts[Int(dataset.rawValue) - 1] = newValue }
  }

  /// Nil unless there is one for each set.
  public init?(_ counts: [UInt64]) {
    guard counts.count == Dataset.allCases.count else { return nil }
    self.counts = counts
  }
}
