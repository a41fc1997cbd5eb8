/// The kinds of replicated rows. Numbers are on the wire and append-only.
public enum EntityKind: UInt8, Sendable, CaseIterable, Hashable, Comparable {
  case user = 1
  case report = 2
  case fence = 3
  /// Instructions from command.
  case directive = 4
  /// Settings that command makes for a user's devices, or for all devices: the row's id is the
  /// user's, or the operation's.
  case settings = 5
  /// A device without a key, such as a phone, whose fixes another node records.
  case tracker = 6
  /// A segment of a person's track.
  case track = 7
  /// Command's permission to be in a hazard zone for a limited time.
  case permit = 8
  /// Acknowledgements of an alert: the row's id is derived from the alert's (`RowID`).
  case alertAcknowledgement = 9
  /// A timer by which a person must check in. The row belongs to the person, or to the owner of the
  /// person's tracker, also if command starts it.
  case checkIn = 10
  /// A record of a user's key-value data sets; only that user's devices write it. The row's id is
  /// derived from the record's name (`RowOrigin`).
  case record = 11
  /// What devices send to command about exposures, sealed, and what command publishes about them:
  /// the row's id is a device's, or the operation's.
  case exposure = 12
  /// A call for help whose caller is not proven, as one device received it (decision 0099). The
  /// row's id is derived from the device and the credential that was used (`RowOrigin`).
  case unverifiedCall = 13

  /// Whether rows of this kind are created by an author, who then owns them. Other rows always
  /// exist, and belong to the user with the same id, if there is one.
  public var hasOrigin: Bool {
    ![.user, .settings, .alertAcknowledgement, .exposure].contains(self)
  }

  /// Orders by number, as the state hash does.
  public static func < (left: EntityKind, right: EntityKind) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// How concurrent writes to a field merge.
public enum FieldKind: Sendable {
  /// Every value that is not superseded is live; several live values are a conflict, of which one
  /// is shown.
  case lastWriter
  /// True while any `true` that is not superseded is live: concurrent true and false is true.
  case enableWinsFlag
  /// Elements stay until their own dots are superseded.
  case addWinsSet
}

/// One field of one entity. Numbers are on the wire, append-only, and unique over all entities, so
/// that a field identifies its entity.
public enum Field: UInt8, Codable, Sendable, CaseIterable, Hashable, Comparable {
  case userCallsign = 1
  case userTeam = 2
  case userContact = 3
  case userEmergencyContact = 4
  /// The user's self-reported safety: `Value.claim`.
  case userSafetyClaim = 5
  case userDeactivated = 6
  /// Command's override of the user's safety: `Value.overruling`.
  case userSafetyOverride = 7
  /// The safety claim of a login of this user at a command post, signed by that post:
  /// `Value.relayedClaim`.
  case userRelayedClaim = 8
  /// The person left or rejoined the operation: `Value.signOff` or `Value.signOn`.
  case userSignOff = 9

  /// An add-wins set: the create's dot, and one more for each edit that restores a report.
  case reportExistence = 20
  case reportTitle = 21
  case reportDescription = 22
  case reportCategory = 23
  case reportSeverity = 24
  case reportPosition = 25
  case reportToEvacuate = 26
  case reportStatus = 27
  /// An add-wins set of marks. No longer written: they do not state what was confirmed.
  case reportConfirmations = 28
  case reportComments = 29
  /// An add-wins set of `Value.photo`.
  case reportPhotos = 30
  /// An add-wins set of the encoded `PhotoMark`s.
  case reportPhotoMarks = 31
  /// An add-wins set of the encoded `ConfirmedContent`s.
  case reportContentConfirmations = 32

  case fenceExistence = 40
  case fenceName = 41
  case fenceCollection = 42
  case fenceKind = 43
  case fenceGeometry = 44
  case fenceActive = 45
  case fenceProperties = 46
  /// An enable-wins flag that is never cleared.
  case fenceDeleted = 47
  /// Seconds inside before an ENTER counts.
  case fenceDwellSeconds = 48
  case fenceMode = 49
  /// The role of which a person must be inside.
  case fenceRole = 50
  /// When command is to review the fence: a label, by the clock of its author.
  case fenceReviewAt = 51
  /// Whether an entry raises an alert; unset is yes.
  case fenceEntryAlert = 52
  /// An add-wins set of the encoded `ZoneRule`s.
  case fenceRules = 53

  case directiveExistence = 60
  case directiveKind = 61
  case directiveText = 62
  /// The fence to go to. No longer written; see `directiveZones`.
  case directiveFence = 63
  /// The role addressed. If this and the next two fields are unset, everyone in the field is
  /// addressed.
  case directiveRole = 64
  case directiveTeam = 65
  /// An add-wins set of users' rows.
  case directiveUsers = 66
  /// The deadline by the commander's clock. No longer written, and ignored if
  /// `directiveDurationSeconds` is set.
  case directiveDeadline = 67
  case directiveStatus = 68
  /// An add-wins set of `Value.reply`.
  case directiveAcknowledgements = 69
  /// Seconds from issue to the deadline.
  case directiveDurationSeconds = 70
  /// An add-wins set of the fences to go to.
  case directiveZones = 71
  /// An add-wins set of the directives that this one supersedes.
  case directiveSupersedes = 72
  /// An add-wins set of users' rows: the people that a roll call addresses, as of its issue.
  case directiveExpected = 73
  /// An add-wins set of `Value.trackerReply`: answers for the carriers of the author's trackers.
  case directiveTrackerReplies = 74

  case settingsForeground = 80
  case settingsBackground = 81
  /// Seconds without a fix after which a person is out of contact.
  case settingsSilenceSeconds = 82
  /// An add-wins set of the encoded `EmergencyContact`s, in the operation's row.
  case settingsContacts = 83

  case trackerExistence = 100
  case trackerCallsign = 101
  case trackerTeam = 102

  /// The safety claim that the tracker's owner or command makes for its carrier: `Value.claim`.
  case trackerSafetyClaim = 103
  /// Like `userSafetyOverride`, for the tracker's carrier.
  case trackerSafetyOverride = 104
  /// Like `userSignOff`, for the tracker's carrier.
  case trackerSignOff = 105

  /// Delta-coded fixes.
  case trackPoints = 120

  case permitExistence = 140
  /// An add-wins set of the rows of users and trackers.
  case permitUsers = 141
  case permitTeam = 142
  /// A hazard zone.
  case permitZone = 143
  /// From the permit's first write; of several live values the lowest is shown.
  case permitDurationSeconds = 144
  /// A flag that is never cleared.
  case permitRevoked = 145

  /// An add-wins set: `Value.alertReply`.
  case alertAcknowledgements = 160

  case checkInExistence = 180
  /// The tracker whose carrier must check in; unset for the row's owner.
  case checkInTracker = 181
  /// Seconds from the start to the first due time; of several live values the lowest is shown.
  case checkInDurationSeconds = 182
  /// Whether each check-in starts the duration again; unset is no.
  case checkInRepeats = 183
  /// Seconds from the due time until the person is unaccounted for.
  case checkInGraceSeconds = 184
  /// Seconds before the due time at which the person is reminded.
  case checkInReminderSeconds = 185
  /// Route, air supply, emergency contact.
  case checkInNote = 186
  /// The newest check-in, extension or stop: `Value.checkIn`.
  case checkInReport = 187
  /// Calls command for help under duress, or does not: only command sees which (decision 0047).
  case checkInSealed = 188
  /// Seconds without movement after which the person is asked, and then is overdue; unset for
  /// never. Of several live values the lowest is shown.
  case checkInStillSeconds = 189

  /// An encoded `RecordEntry`. Several live values are concurrent writes, of which the one with the
  /// greatest sync count is shown.
  case recordValue = 200

  /// The sealed note of the device with the row's id, which only command reads (decision 0060).
  case exposureNote = 220
  /// An add-wins set of the encoded `ExposureNotice`s, in the operation's row.
  case exposureNotices = 221

  case unverifiedCallExistence = 240
  /// The newest message of the call: an encoded `UnverifiedCallEntry`.
  case unverifiedCallContent = 241
  /// What command decided about the call: an encoded `UnverifiedCallOutcome`.
  case unverifiedCallOutcome = 242

  /// Derived from the number: up to 19 for users, then twenty for each kind.
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
    case ..<180: .alertAcknowledgement
    case ..<200: .checkIn
    case ..<220: .record
    case ..<240: .exposure
    default: .unverifiedCall
    }
  }

  /// Never changes: two versions that merge a field differently would not converge.
  public var kind: FieldKind {
    switch self {
    case .userDeactivated, .reportToEvacuate, .fenceDeleted, .permitRevoked: .enableWinsFlag
    case .reportExistence, .fenceExistence, .directiveExistence, .trackerExistence,
      .permitExistence, .reportConfirmations, .reportComments, .reportPhotos, .reportPhotoMarks,
      .reportContentConfirmations, .directiveUsers, .directiveAcknowledgements,
      .directiveZones, .directiveSupersedes, .directiveExpected, .directiveTrackerReplies,
      .permitUsers, .alertAcknowledgements, .checkInExistence, .fenceRules, .settingsContacts,
      .exposureNotices, .unverifiedCallExistence:
      .addWinsSet
    default: .lastWriter
    }
  }

  /// Returns the field whose live dots state that a row of this kind exists. Users, settings and
  /// exposures always exist, a track has nothing but its points, and a record nothing but its
  /// value.
  public static func existence(of entity: EntityKind) -> Field? {
    switch entity {
    case .user, .settings, .track, .alertAcknowledgement, .record, .exposure: nil
    case .report: .reportExistence
    case .fence: .fenceExistence
    case .directive: .directiveExistence
    case .tracker: .trackerExistence
    case .permit: .permitExistence
    case .checkIn: .checkInExistence
    case .unverifiedCall: .unverifiedCallExistence
    }
  }

  /// Orders by number, as the state hash does.
  public static func < (left: Field, right: Field) -> Bool { left.rawValue < right.rawValue }
}

/// The category of a report.
public enum ReportCategory: UInt8, Codable, Sendable, NamedCase, Hashable {
  case other = 1
  case fire = 2
  case flood = 3
  case chemical = 4
  case structure = 5
  case medical = 6
  case access = 7
}

/// Whether a hazard persists. In a conflict, open wins over resolved.
public enum ReportStatus: UInt8, Codable, Sendable, NamedCase, Hashable {
  case open = 1
  case resolved = 2
}

/// The meaning of being inside a fence.
public enum FenceKind: UInt8, Codable, Sendable, NamedCase, Hashable {
  /// An assembly zone: inside is safe.
  case muster = 1
  /// A hazard zone: inside is unsafe.
  case hazard = 2
  /// For information only.
  case info = 3
}

/// The evidence that a crossing of a fence requires.
public enum FenceMode: UInt8, Codable, Sendable, CaseIterable, Hashable {
  /// An EXIT waits until the whole accuracy circle is outside, or for a second fix outside.
  case careful = 1
  /// An EXIT at the first fix outside, whatever its accuracy, as AWS Location does it.
  case strictAWS = 2
}

/// A statement about a user's safety, self-reported or by command.
public enum SafetyClaim: UInt8, Codable, Sendable, CaseIterable, Hashable {
  case safe = 1
  case needsHelp = 2
}
