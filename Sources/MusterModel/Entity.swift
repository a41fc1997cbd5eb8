/// The kinds of row that are replicated. Numbers are on the wire and append-only.
public enum EntityKind: UInt8, Sendable, CaseIterable, Hashable, Comparable {
  case user = 1
  case report = 2
  case fence = 3
  /// What command asks of people.
  case directive = 4
  /// What command wants of somebody's laptop: the row's id is the user's, or the operation's for
  /// everybody's.
  case settings = 5
  /// Somebody without a key, such as a phone, whose fixes another's node takes in.
  case tracker = 6
  /// A piece of somebody's way.
  case track = 7
  /// Command's permission to be in a hazard zone for a while.
  case permit = 8
  /// Who has taken notice of an alert: the row's id is derived from the alert's (`RowID`).
  case alertAcknowledgement = 9

  /// Whether rows of this kind are made by somebody, who then owns them. The others are there from
  /// the start, and belong to the user of the same id, if there is one.
  public var hasOrigin: Bool {
    self != .user && self != .settings && self != .alertAcknowledgement
  }

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
public enum Field: UInt8, Codable, Sendable, CaseIterable, Hashable, Comparable {
  case userCallsign = 1
  case userTeam = 2
  case userContact = 3
  case userEmergencyContact = 4
  /// The user's own word: `Value.claim`.
  case userSafetyClaim = 5
  case userDeactivated = 6
  /// Command's word in place of the user's: `Value.overruling`.
  case userSafetyOverride = 7
  /// What a login of this user said at a command post, signed by that post: `Value.relayedClaim`.
  case userRelayedClaim = 8
  /// The person left the operation, or is in it again: `Value.signOff` or `Value.signOn`.
  case userSignOff = 9

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
  /// Seconds inside before it is an ENTER.
  case fenceDwellSeconds = 48
  case fenceMode = 49
  /// Of whom somebody is to be inside.
  case fenceRole = 50
  /// When command is to review the fence: a label, by the clock of whoever set it.
  case fenceReviewAt = 51
  /// Whether an entry raises an alert; unset is yes.
  case fenceEntryAlert = 52

  case directiveExistence = 60
  case directiveKind = 61
  case directiveText = 62
  /// The fence to go to. No longer written: `directiveZones`.
  case directiveFence = 63
  /// Those of a role; with the next two unwritten as well it is for everybody in the field.
  case directiveRole = 64
  case directiveTeam = 65
  /// An add-wins set of users' rows.
  case directiveUsers = 66
  /// By the commander's clock. No longer written, and not read where `directiveDurationSeconds` is
  /// set.
  case directiveDeadline = 67
  case directiveStatus = 68
  /// An add-wins set of `Value.reply`.
  case directiveAcknowledgements = 69
  /// The deadline, in seconds from when the directive was issued.
  case directiveDurationSeconds = 70
  /// An add-wins set of the fences to go to.
  case directiveZones = 71
  /// An add-wins set of the directives that this one replaces.
  case directiveSupersedes = 72
  /// An add-wins set of users' rows: whom a roll call is for, as of when it was issued.
  case directiveExpected = 73

  case settingsForeground = 80
  case settingsBackground = 81
  /// After how many seconds without a fix nothing is known of somebody.
  case settingsSilenceSeconds = 82

  case trackerExistence = 100
  case trackerCallsign = 101
  case trackerTeam = 102

  /// What the tracker's owner or command says for whoever carries it: `Value.claim`.
  case trackerSafetyClaim = 103
  /// As `userSafetyOverride`.
  case trackerSafetyOverride = 104
  /// As `userSignOff`.
  case trackerSignOff = 105

  /// Delta-coded fixes.
  case trackPoints = 120

  case permitExistence = 140
  /// An add-wins set of the rows of users and trackers.
  case permitUsers = 141
  case permitTeam = 142
  /// A hazard zone.
  case permitZone = 143
  /// From the permit's first write; of several live values the least is shown.
  case permitDurationSeconds = 144
  /// A flag that nothing clears.
  case permitRevoked = 145

  /// An add-wins set: `Value.alertReply`.
  case alertAcknowledgements = 160

  /// Read off the number: up to 19 a user's, then twenty for each kind.
  public var entity: EntityKind {
    switch rawValue {
    case ..<20: .user
    case ..<40: .report
    case ..<60: .fence
    case ..<80: .directive
    case ..<100: .settings
    case ..<120: .tracker
    case ..<140: .track
    case ..<160: .permit
    default: .alertAcknowledgement
    }
  }

  /// Fixed for ever: two versions that merged a field differently would never agree.
  public var kind: FieldKind {
    switch self {
    case .userDeactivated, .reportToEvacuate, .fenceDeleted, .permitRevoked: .enableWinsFlag
    case .reportExistence, .fenceExistence, .directiveExistence, .trackerExistence,
      .permitExistence, .reportConfirmations, .reportComments, .directiveUsers,
      .directiveAcknowledgements, .directiveZones, .directiveSupersedes, .directiveExpected,
      .permitUsers, .alertAcknowledgements:
      .addWinsSet
    default: .lastWriter
    }
  }

  /// The field whose live dots say that a row of this kind exists. Users and settings always do,
  /// and a track has nothing but its points.
  public static func existence(of entity: EntityKind) -> Field? {
    switch entity {
    case .user, .settings, .track, .alertAcknowledgement: nil
    case .report: .reportExistence
    case .fence: .fenceExistence
    case .directive: .directiveExistence
    case .tracker: .trackerExistence
    case .permit: .permitExistence
    }
  }

  /// By number, which is the order in the state hash.
  public static func < (left: Field, right: Field) -> Bool { left.rawValue < right.rawValue }
}

/// What a report is about.
public enum ReportCategory: UInt8, Codable, Sendable, CaseIterable, Hashable {
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
public enum ReportStatus: UInt8, Codable, Sendable, CaseIterable, Hashable {
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
public enum FenceKind: UInt8, Codable, Sendable, CaseIterable, Hashable {
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

/// How sure a crossing of a fence must be.
public enum FenceMode: UInt8, Codable, Sendable, CaseIterable, Hashable {
  /// An EXIT waits until the whole accuracy circle is outside, or for a second fix outside.
  case careful = 1
  /// An EXIT at the first fix outside, whatever its accuracy, as AWS Location does it.
  case strictAWS = 2
}

/// What somebody says of a user's safety, by their own word or a commander's.
public enum SafetyClaim: UInt8, Codable, Sendable, CaseIterable, Hashable {
  case safe = 1
  case needsHelp = 2
}
