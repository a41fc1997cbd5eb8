/// The value that a write puts into a field.
///
/// Rare values of several parts are `indirect`, so that the frequent ones stay small: every write
/// and every row is copied several times while it is processed.
public enum Value: Hashable, Sendable {
  case text(String)
  /// An enumeration's code, or a severity of 1 to 5.
  case code(UInt8)
  case position(Coordinate)
  indirect case geometry(FenceGeometry)
  indirect case claim(SafetyClaim, note: String)
  /// A set flag, an existence, or a confirmation: presence without content.
  case mark
  /// Another row, such as a fence to go to or a user's row.
  case reference(RowID)
  /// A time by its author's clock: a label.
  case time(Timestamp)
  case number(UInt32)
  /// Bytes that only the field's readers interpret.
  case bytes([UInt8])
  /// An acknowledgement of a directive, by the user or by command on their behalf.
  indirect case reply(UserID, note: String)
  /// An acknowledgement of a directive for the carrier of a tracker, by its owner: the nonce of the
  /// tracker's row. With the author it names the row, so no one answers for another's tracker.
  indirect case trackerReply(Bytes16, note: String)
  /// Command's override of a user's safety, with the user's own claims that it answers.
  indirect case overruling(SafetyClaim, note: String, seen: [Dot])
  indirect case profile(LocationProfile)
  /// Command's statement that a user is accounted for, in a field that also takes `overruling`.
  indirect case accounting(Accounting)
  /// The claim of a login of this user at a command post, with the claims that it answers.
  indirect case relayedClaim(SafetyClaim, note: String, login: String, seen: [Dot])
  /// A person left the operation; `seen` are the orders and timers that this settles.
  indirect case signOff(reason: String, seen: [RowID])
  /// A person rejoined the operation: of concurrent values it wins over a sign-off.
  case signOn(reason: String)
  /// A person acknowledged an alert.
  indirect case alertReply(AlertReply)
  /// A check-in, an extension or a stop of a timer.
  indirect case checkIn(CheckInReport)
  /// A photo of a report.
  indirect case photo(Photo)
}

/// The type of a field's values, which determines their encoding.
public enum ValueForm: Sendable {
  case text, code, position, geometry, claim, mark
  case reference, time, number, bytes, reply, overruling, profile
  case relayedClaim, signOff, alertReply, trackerReply, checkIn, photo
}

extension Field {
  /// Never changes, like the field's kind: a field of another type is another field.
  public var form: ValueForm {
    switch self {
    case .userCallsign, .userTeam, .userContact, .userEmergencyContact, .reportTitle,
      .reportDescription, .reportComments, .fenceName, .fenceCollection, .fenceProperties,
      .directiveText, .directiveTeam, .trackerCallsign, .trackerTeam, .permitTeam, .checkInNote:
      .text
    case .userSafetyClaim, .trackerSafetyClaim: .claim
    case .userSafetyOverride, .trackerSafetyOverride: .overruling
    case .userRelayedClaim: .relayedClaim
    case .userSignOff, .trackerSignOff: .signOff
    case .alertAcknowledgements: .alertReply
    case .checkInReport: .checkIn
    case .reportPhotos: .photo
    case .reportCategory, .reportSeverity, .reportStatus, .fenceKind, .fenceActive, .fenceMode,
      .fenceRole, .fenceEntryAlert, .directiveKind, .directiveRole, .directiveStatus,
      .checkInRepeats:
      .code
    case .reportPosition: .position
    case .fenceGeometry: .geometry
    case .userDeactivated, .reportExistence, .reportToEvacuate, .reportConfirmations,
      .fenceExistence, .fenceDeleted, .directiveExistence, .trackerExistence, .permitExistence,
      .permitRevoked, .checkInExistence, .unverifiedCallExistence:
      .mark
    case .directiveFence, .directiveUsers, .directiveZones, .directiveSupersedes,
      .directiveExpected, .permitUsers, .permitZone, .checkInTracker:
      .reference
    case .directiveDeadline, .fenceReviewAt: .time
    case .directiveAcknowledgements: .reply
    case .directiveTrackerReplies: .trackerReply
    case .fenceDwellSeconds, .settingsSilenceSeconds, .directiveDurationSeconds,
      .permitDurationSeconds, .checkInDurationSeconds, .checkInGraceSeconds,
      .checkInReminderSeconds, .checkInStillSeconds:
      .number
    case .settingsForeground, .settingsBackground: .profile
    case .trackPoints, .checkInSealed, .fenceRules, .reportPhotoMarks, .settingsContacts,
      .reportContentConfirmations, .recordValue, .exposureNote, .exposureNotices,
      .unverifiedCallContent,
      .unverifiedCallOutcome:
      .bytes
    }
  }

  /// Whether a value is of this field's type, in range and within `Limits`. All nodes store a write
  /// with any other value, and none applies it.
  public func accepts(_ value: Value) -> Bool {
    switch value {
    case .text(let text): textRule?.accepts(text) ?? false
    case .claim(_, let note): form == .claim && TextRule.note.accepts(note)
    case .reply(_, let note): form == .reply && TextRule.note.accepts(note)
    case .trackerReply(_, let note): form == .trackerReply && TextRule.note.accepts(note)
    case .overruling(_, let note, let seen):
      form == .overruling && TextRule.note.accepts(note) && seen.count <= Limits.overruledClaims
    case .code(let code): form == .code && accepts(code: code)
    case .position: form == .position
    case .geometry(let geometry): form == .geometry && geometry.isWithinLimits
    case .mark: form == .mark
    case .reference: form == .reference
    case .time: form == .time
    case .number(let number): form == .number && accepts(number: number)
    case .bytes(let bytes): form == .bytes && accepts(bytes: bytes)
    case .profile(let profile): form == .profile && profile.isWithinLimits
    case .accounting(let accounting): form == .overruling && accounting.isWithinLimits
    case .relayedClaim(_, let note, let login, let seen):
      form == .relayedClaim && TextRule.note.accepts(note) && TextRule.line.accepts(login)
        && seen.count <= Limits.overruledClaims
    case .signOff(let reason, let seen):
      form == .signOff && TextRule.note.accepts(reason) && seen.count <= Limits.seenRows
    case .signOn(let reason): form == .signOff && TextRule.note.accepts(reason)
    case .alertReply(let reply): form == .alertReply && reply.isWithinLimits
    case .checkIn(let report): form == .checkIn && report.isWithinLimits
    case .photo(let photo): form == .photo && photo.isWithinLimits
    }
  }

  private func accepts(bytes: [UInt8]) -> Bool {
    switch self {
    case .checkInSealed: bytes.count == Limits.sealedCallBytes
    case .fenceRules: ZoneRule.accepts(bytes)
    case .settingsContacts: EmergencyContact.accepts(bytes)
    case .reportPhotoMarks: PhotoMark.accepts(bytes)
    case .reportContentConfirmations: bytes.count == ConfirmedContent.encodedBytes
    case .recordValue: RecordEntry.accepts(bytes)
    case .exposureNote: ProximityNote.accepts(sealed: bytes)
    case .exposureNotices: ExposureNotice.accepts(bytes)
    case .unverifiedCallContent: UnverifiedCallEntry.accepts(bytes)
    case .unverifiedCallOutcome: UnverifiedCallOutcome.accepts(bytes)
    default: bytes.count <= Limits.trackSegmentBytes
    }
  }

  private func accepts(number: UInt32) -> Bool {
    let isDuration = [
      .directiveDurationSeconds, .permitDurationSeconds, .checkInDurationSeconds,
    ].contains(self)
    let least: UInt32 =
      self == .checkInStillSeconds ? Limits.leastStillSeconds : isDuration ? 1 : 0
    return (least...Limits.spanSeconds).contains(number)
  }

  private func accepts(code: UInt8) -> Bool {
    switch self {
    case .reportCategory: ReportCategory(rawValue: code) != nil
    case .reportSeverity: Limits.severity.contains(code)
    case .reportStatus: ReportStatus(rawValue: code) != nil
    case .fenceKind: FenceKind(rawValue: code) != nil
    case .fenceActive, .fenceEntryAlert, .checkInRepeats: code <= 1
    case .fenceMode: FenceMode(rawValue: code) != nil
    case .directiveKind: DirectiveKind(rawValue: code) != nil
    case .directiveRole, .fenceRole: Role(rawValue: code) != nil
    case .directiveStatus: DirectiveStatus(rawValue: code) != nil
    default: false
    }
  }

  /// The rule of a text field; nil for fields of other types.
  public var textRule: TextRule? {
    switch self {
    case .userCallsign, .userTeam, .reportTitle, .fenceName, .fenceCollection, .directiveTeam,
      .trackerCallsign, .trackerTeam, .permitTeam:
      .line
    case .userContact, .userEmergencyContact, .reportDescription, .reportComments,
      .fenceProperties, .directiveText, .checkInNote:
      .paragraphs
    default: nil
    }
  }

  /// The name for people and in JSON.
  public var name: String {
    switch self {
    case .userCallsign, .trackerCallsign: "callsign"
    case .userTeam, .trackerTeam, .directiveTeam, .permitTeam: "team"
    case .userContact: "contact"
    case .userEmergencyContact: "emergencyContact"
    case .userSafetyClaim, .trackerSafetyClaim: "status"
    case .userDeactivated: "deactivated"
    case .userSafetyOverride, .trackerSafetyOverride: "override"
    case .userRelayedClaim: "relayedStatus"
    case .userSignOff, .trackerSignOff: "signOff"
    case .reportExistence, .fenceExistence, .directiveExistence, .trackerExistence,
      .permitExistence, .checkInExistence, .unverifiedCallExistence:
      "existence"
    case .reportTitle: "title"
    case .reportDescription: "description"
    case .reportCategory: "category"
    case .reportSeverity: "severity"
    case .reportPosition: "position"
    case .reportToEvacuate: "toEvacuate"
    case .reportStatus, .directiveStatus: "status"
    case .reportConfirmations, .reportContentConfirmations: "confirmations"
    case .reportComments: "comments"
    case .reportPhotos: "photos"
    case .reportPhotoMarks: "photoMarks"
    case .fenceName: "name"
    case .fenceCollection: "collection"
    case .fenceKind, .directiveKind: "kind"
    case .fenceGeometry: "geometry"
    case .fenceActive: "active"
    case .fenceProperties: "properties"
    case .fenceDeleted: "deleted"
    case .fenceDwellSeconds: "dwell"
    case .fenceMode: "mode"
    case .directiveText: "text"
    case .fenceReviewAt: "reviewAt"
    case .fenceEntryAlert: "entryAlert"
    case .directiveFence: "fence"
    case .directiveRole, .fenceRole: "role"
    case .directiveUsers, .permitUsers: "users"
    case .directiveDeadline, .directiveDurationSeconds: "deadline"
    case .directiveZones: "zones"
    case .directiveSupersedes: "supersedes"
    case .directiveExpected: "expected"
    case .directiveAcknowledgements, .alertAcknowledgements: "acknowledgements"
    case .directiveTrackerReplies: "trackerAcknowledgements"
    case .settingsForeground: "foreground"
    case .settingsBackground: "background"
    case .settingsSilenceSeconds: "silence"
    case .settingsContacts: "contacts"
    case .trackPoints: "points"
    case .fenceRules: "rules"
    case .permitZone: "zone"
    case .permitDurationSeconds, .checkInDurationSeconds: "duration"
    case .checkInTracker: "tracker"
    case .checkInRepeats: "repeats"
    case .checkInGraceSeconds: "grace"
    case .checkInReminderSeconds: "reminder"
    case .checkInStillSeconds: "still"
    case .checkInNote: "note"
    case .checkInReport: "checkIn"
    case .checkInSealed: "sealed"
    case .permitRevoked: "revoked"
    case .recordValue: "value"
    case .exposureNote: "exposureNote"
    case .exposureNotices: "exposureNotices"
    case .unverifiedCallContent: "content"
    case .unverifiedCallOutcome: "outcome"
    }
  }
}
