/// The status of a person: the first row of the table in decision 0037 that applies. The cases are
/// in the order of that table. The raw values are in JSON and never change.
public enum PersonStatus: String, Codable, Sendable, Hashable, CaseIterable, Comparable {
  /// A call for help that is not answered.
  case mayday
  /// Command knows where the person is and that they are well.
  case accountedFor
  /// The newest usable fix is inside an active hazard zone or close to one.
  case inHazard
  /// Left the operation.
  case signedOff
  /// An order or a check-in is past its deadline, whatever the clocks.
  case unaccounted
  /// An order or a check-in may be past its deadline.
  case overdue
  /// Nothing was ever received from the person.
  case expected
  /// Nothing was received for longer than the silence setting.
  case noContact
  /// An open order applies and is not satisfied yet.
  case ordered
  /// Inside an assembly zone.
  case atAssembly
  /// Self-reported safe.
  case reportedSafe
  /// In contact, but the newest fix is older than the silence setting, or of unknown time.
  case oldPosition
  /// In contact, without a usable fix.
  case noPosition
  /// In contact, with a usable fix.
  case ok

  /// Its position in the table, from 0.
  public var rank: Int { Self.ranks[self] ?? Self.allCases.count }

  private static let ranks = Dictionary(
    uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })

  /// A label of a few words.
  public var label: String {
    switch self {
    case .mayday: "MAYDAY"
    case .accountedFor: "accounted for"
    case .inHazard: "in hazard"
    case .signedOff: "signed off"
    case .unaccounted: "unaccounted for"
    case .overdue: "overdue"
    case .expected: "expected"
    case .noContact: "no contact"
    case .ordered: "ordered"
    case .atAssembly: "at assembly"
    case .reportedSafe: "reported safe"
    case .oldPosition: "old position"
    case .noPosition: "no position"
    case .ok: "ok"
    }
  }

  /// The severity of the status without mitigation.
  public var severity: Severity {
    switch self {
    case .mayday, .inHazard, .unaccounted: .danger
    case .overdue, .noContact, .ordered: .warning
    case .signedOff, .expected, .oldPosition, .noPosition, .ok: .neutral
    case .accountedFor, .atAssembly, .reportedSafe: .safe
    }
  }

  /// Orders as in the table.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// The severity of a status. Lists sort by it, the worst first.
public enum Severity: String, Codable, Sendable, Hashable, CaseIterable, Comparable {
  case danger
  case warning
  case neutral
  case safe

  private var rank: Int {
    switch self {
    case .danger: 0
    case .warning: 1
    case .neutral: 2
    case .safe: 3
    }
  }

  /// The worse severity orders first.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  /// Returns the state that older programs read.
  ///
  /// - Parameter status: a person who has yet to satisfy an order is unsafe, as before.
  public func safety(of status: PersonStatus) -> SafetyState {
    switch self {
    case .danger: .unsafe
    case .warning: status == .ordered ? .unsafe : .unknown
    case .neutral: .unknown
    case .safe: .safe
    }
  }
}

/// A row of the status table that applies to a person. All are shown, whatever the status.
public struct StatusCondition: Codable, Hashable, Sendable {
  /// The row.
  public let status: PersonStatus
  /// The severity of the row, or a lower one if something mitigates it.
  public let severity: Severity
  /// The reason, in a few words.
  public let phrase: Phrase

  /// Creates a condition with its reason.
  public init(status: PersonStatus, severity: Severity, phrase: Phrase) {
    self.status = status
    self.severity = severity
    self.phrase = phrase
  }

  /// Creates a condition from its text, as earlier programs stored it. Those that are compared with
  /// a constant are equal to it; others have no key.
  public init(status: PersonStatus, severity: Severity, reason: String) {
    let constants = [Self.underDuress, .certificateMissing, .trackerMissing, .inContact]
    let known = constants.first { $0.status == status && $0.reason == reason }
    self.init(
      status: status, severity: severity, phrase: known?.phrase ?? Phrase(verbatim: reason))
  }

  /// The reason in English.
  public var reason: String { phrase.text }

  /// A check-in under duress. Only command may see it.
  public static let underDuress = StatusCondition(
    status: .mayday, severity: .danger, phrase: Phrase(.underDuress))
  /// A person that rows name, and whose certificate has not arrived here.
  public static let certificateMissing = StatusCondition(
    status: .expected, severity: .neutral, phrase: Phrase(.certificateMissing))
  /// The carrier of a tracker that rows name, and whose row has not arrived here.
  public static let trackerMissing = StatusCondition(
    status: .expected, severity: .neutral, phrase: Phrase(.trackerMissing))
  /// No other condition applies.
  public static let inContact = StatusCondition(
    status: .ok, severity: .neutral, phrase: Phrase(.inContact))

  /// Whether nothing but the id of the person is certain.
  var isUnknown: Bool { self == .certificateMissing || self == .trackerMissing }

  /// Returns the condition that is shown as the status: the first, except that an order or a
  /// check-in which a sign-off does not name yields `unaccounted` nevertheless.
  public static func decisive(of conditions: [StatusCondition]) -> StatusCondition {
    let first = conditions.first ?? StatusCondition(status: .ok, severity: .neutral, reason: "")
    guard first.status == .signedOff else { return first }
    return conditions.first { $0.status == .unaccounted } ?? first
  }
}
