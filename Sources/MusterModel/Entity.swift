/// The kinds of row that are replicated. Numbers are on the wire and append-only.
public enum EntityKind: UInt8, Sendable, CaseIterable, Hashable, Comparable {
  case user = 1
  case report = 2
  case fence = 3

  /// By number, which is the order in the state hash.
  public static func < (left: EntityKind, right: EntityKind) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// How concurrent writes to a field meet.
public enum FieldKind: Sendable {
  /// What nobody superseded is live; several live values are a conflict, of which one is shown.
  case lastWriter
  /// True while any unsuperseded `true` is live: concurrent true and false is true.
  case enableWinsFlag
  /// Elements stay until their own dots are superseded.
  case addWinsSet
}

/// One field of one entity. Numbers are on the wire and append-only; each is unique over all
/// entities so that a field says by itself what it belongs to.
public enum Field: UInt8, Sendable, CaseIterable, Hashable, Comparable {
  case userCallsign = 1
  case userTeam = 2
  case userContact = 3
  case userEmergencyContact = 4
  /// The member's own word, or the commander's override: `Value.claim`.
  case userSafetyClaim = 5
  case userDeactivated = 6

  /// An add-wins set: the create's dot, and one more for each edit that brings a report back.
  case reportExistence = 20
  case reportTitle = 21
  case reportDescription = 22
  case reportCategory = 23
  case reportSeverity = 24
  case reportPosition = 25
  case reportToEvacuate = 26
  case reportStatus = 27
  case reportConfirmations = 28
  case reportComments = 29

  case fenceExistence = 40
  case fenceName = 41
  case fenceCollection = 42
  case fenceKind = 43
  case fenceGeometry = 44
  case fenceActive = 45
  case fenceProperties = 46
  /// An enable-wins flag that nothing clears.
  case fenceDeleted = 47

  /// Read off the number: up to 19 a user's, up to 39 a report's, the rest a fence's.
  public var entity: EntityKind {
    switch rawValue {
    case ..<20: .user
    case ..<40: .report
    default: .fence
    }
  }

  /// Fixed for ever: two versions that merged a field differently would never agree.
  public var kind: FieldKind {
    switch self {
    case .userDeactivated, .reportToEvacuate, .fenceDeleted: .enableWinsFlag
    case .reportExistence, .fenceExistence, .reportConfirmations, .reportComments: .addWinsSet
    default: .lastWriter
    }
  }

  /// The field whose live dots say that a row of this kind exists; users always do.
  public static func existence(of entity: EntityKind) -> Field? {
    switch entity {
    case .user: nil
    case .report: .reportExistence
    case .fence: .fenceExistence
    }
  }

  /// By number, which is the order in the state hash.
  public static func < (left: Field, right: Field) -> Bool { left.rawValue < right.rawValue }
}

/// What a report is about.
public enum ReportCategory: UInt8, Sendable, CaseIterable, Hashable {
  case other = 1
  case fire = 2
  case flood = 3
  case chemical = 4
  case structure = 5
  case medical = 6
  case access = 7

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }
  /// Nil for any other word; upper case is another word.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// Whether a hazard is still there. Where people disagree, open is shown before resolved.
public enum ReportStatus: UInt8, Sendable, CaseIterable, Hashable {
  case open = 1
  case resolved = 2

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }
  /// Nil for any other word; upper case is another word.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// What being inside a fence means.
public enum FenceKind: UInt8, Sendable, CaseIterable, Hashable {
  /// A place to gather: inside is safe.
  case muster = 1
  /// Inside is unsafe.
  case hazard = 2
  /// Only noted.
  case info = 3

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }
  /// Nil for any other word; upper case is another word.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// What somebody says of a user's safety, by their own word or a commander's.
public enum SafetyClaim: UInt8, Sendable, CaseIterable, Hashable {
  case safe = 1
  case needsHelp = 2
}
