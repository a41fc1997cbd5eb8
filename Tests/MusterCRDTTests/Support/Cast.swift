import MusterModel

/// The authors of these tests, each with one device.
extension Author {
  /// The author of the report, and the owner of the user row.
  static let owner = person(1, .member)
  static let stranger = person(2, .member)
  static let commander = person(3, .command)
  static let deputy = person(4, .command)
  static let observer = person(5, .observer)
  static let relay = person(6, .relay)
  static let archive = person(7, .archive)

  static func person(_ number: UInt64, _ role: Role) -> Author {
    Author(
      user: UserID(raw: Bytes16(high: number, low: 0)),
      device: DeviceID(raw: Bytes16(high: number, low: 1)), role: role)
  }
}

extension RowKey {
  static let report = RowKey(kind: .report, id: RowID(raw: Bytes16(high: 9, low: 2)))
  static let fence = RowKey(kind: .fence, id: RowID(raw: Bytes16(high: 9, low: 3)))
  /// The row of `Author.owner`, whose id is that user's.
  static let user = RowKey(kind: .user, id: RowID(raw: Author.owner.user.raw))

  static let directive = RowKey(kind: .directive, id: RowID(raw: Bytes16(high: 9, low: 4)))
  static let tracker = RowKey(kind: .tracker, id: RowID(raw: Bytes16(high: 9, low: 5)))
  static let track = RowKey(kind: .track, id: RowID(raw: Bytes16(high: 9, low: 6)))
  /// The settings of `Author.owner`.
  static let settings = RowKey(kind: .settings, id: RowID(raw: Author.owner.user.raw))

  static let permit = RowKey(kind: .permit, id: RowID(raw: Bytes16(high: 9, low: 7)))
  static let alert = RowKey(
    kind: .alertAcknowledgement, id: RowID(raw: Bytes16(high: 9, low: 8)))
  static let checkIn = RowKey(kind: .checkIn, id: RowID(raw: Bytes16(high: 9, low: 9)))
  static let record = RowKey(kind: .record, id: RowID(raw: Bytes16(high: 9, low: 10)))

  /// The note of the device of `Author.owner`.
  static let exposure = RowKey(kind: .exposure, id: RowID(raw: Author.owner.device.raw))

  static let unverifiedCall = RowKey(
    kind: .unverifiedCall, id: RowID(raw: Bytes16(high: 9, low: 11)))

  static func row(of kind: EntityKind) -> RowKey {
    switch kind {
    case .user: .user
    case .report: .report
    case .fence: .fence
    case .directive: .directive
    case .settings: .settings
    case .tracker: .tracker
    case .track: .track
    case .permit: .permit
    case .alertAcknowledgement: .alert
    case .checkIn: .checkIn
    case .record: .record
    case .exposure: .exposure
    case .unverifiedCall: .unverifiedCall
    }
  }

  /// The author of this row; only `command` creates fences, directives and permits.
  var creator: Author {
    [.fence, .directive, .permit].contains(kind) ? .commander : .owner
  }
  var origin: RowOrigin { RowOrigin(owner: creator.user, nonce: Bytes16(high: 7, low: 7)) }
}

extension Field {
  /// A value of this field's type.
  var example: Value {
    switch self {
    case .userSafetyClaim, .trackerSafetyClaim: .claim(.needsHelp, note: "trapped")
    case .reportCategory, .reportSeverity, .reportStatus, .fenceKind, .fenceActive: .code(1)
    case .reportPosition: .position(.origin)
    case .fenceGeometry: .geometry(.circle(center: .origin, radiusCentimetres: 5000))
    case .userSafetyOverride: .overruling(.safe, note: "found", seen: [])
    case .trackerSafetyOverride: .accounting(.example)
    case .userRelayedClaim: .relayedClaim(.needsHelp, note: "stuck", login: "ada", seen: [])
    case .userSignOff, .trackerSignOff: .signOff(reason: "home", seen: [RowKey.directive.id])
    case .alertAcknowledgements: .alertReply(AlertReply(user: Author.owner.user, note: "seen"))
    case .fenceMode, .fenceRole, .fenceEntryAlert, .directiveKind, .directiveRole,
      .directiveStatus, .checkInRepeats:
      .code(1)
    case .directiveFence, .directiveUsers, .directiveZones, .directiveSupersedes,
      .directiveExpected, .permitUsers, .permitZone, .checkInTracker:
      .reference(RowKey.fence.id)
    case .directiveDeadline, .fenceReviewAt: .time(Timestamp(milliseconds: 7))
    case .checkInReport: .checkIn(CheckInReport(kind: .ok, nextSeconds: 60, note: "well"))
    case .reportPhotos: .photo(.example)
    case .reportPhotoMarks: .bytes(PhotoMark.example.encoded())
    case .reportContentConfirmations: .bytes([UInt8](repeating: 7, count: 32))
    case .directiveAcknowledgements: .reply(Author.owner.user, note: "here")
    case .directiveTrackerReplies: .trackerReply(Author.owner.user.raw, note: "here")
    case .fenceDwellSeconds, .settingsSilenceSeconds, .directiveDurationSeconds,
      .permitDurationSeconds, .checkInDurationSeconds, .checkInGraceSeconds,
      .checkInReminderSeconds, .checkInStillSeconds:
      .number(60)
    case .settingsForeground, .settingsBackground: .profile(.foreground)
    case .trackPoints: .bytes([1, 2, 3])
    case .checkInSealed: .bytes([UInt8](repeating: 7, count: Limits.sealedCallBytes))
    case .recordValue:
      .bytes(
        RecordEntry(
          name: RecordName(dataset: "notes", key: "a"), syncCount: 7,
          modifiedAt: Timestamp(milliseconds: 7), value: "x"
        ).encoded())
    case .exposureNote: .bytes(ProximityNote.sealedExample)
    case .unverifiedCallContent: .bytes(UnverifiedCallEntry.example.encoded())
    case .unverifiedCallOutcome: .bytes(UnverifiedCallOutcome.example.encoded())
    case .exposureNotices: .bytes(ExposureNotice.example.encoded())
    case .fenceRules: .bytes(ZoneRule(kind: .atMost, number: 5, team: "North").encoded())
    case .settingsContacts:
      .bytes(
        EmergencyContact(
          id: ContactID(raw: Author.owner.user.raw), name: "Fire station", phone: "112"
        ).encoded())
    case _ where [Value.mark].contains(where: accepts): .mark
    default: .text(name)
    }
  }

  private var name: String { String(describing: self) }
}

extension Accounting {
  static let example = Accounting(
    note: "with us", rows: [RowKey.directive.id],
    positions: [
      SeenPosition(
        device: Author.owner.device,
        order: RecordOrder(
          generation: 1, incarnation: Incarnation(raw: Bytes16(high: 8, low: 8)), counter: 5))
    ], away: [Author.stranger.device])
}

extension ProximityNote {
  /// Of the right length, with one box.
  static let sealedExample: [UInt8] = [1] + [UInt8](repeating: 7, count: boxBytes + bodyBytes)
}

extension ExposureNotice {
  static let example = ExposureNotice(
    id: ExposureID(raw: Bytes16(high: 6, low: 6)), kind: .contamination, text: "shower",
    keys: [ExposureKey(day: 2_642_976, key: Bytes16(high: 6, low: 7))])
}

extension UnverifiedCallEntry {
  static let example = UnverifiedCallEntry(
    device: Author.owner.device,
    call: UnverifiedCall(
      credential: "", name: "Rui", address: "", note: "leg broken", position: .origin,
      madeAt: Timestamp(milliseconds: 7), cause: .sharedToken), messages: 1)
}

extension UnverifiedCallOutcome {
  static let example = UnverifiedCallOutcome(
    .closed(reason: "false alarm"), seen: [Dot(frame: Bytes16(high: 6, low: 8), index: 0)])
}

extension Photo {
  static let example = Photo(
    original: BlobReference(
      root: Bytes32(prefix: .zero, suffix: .zero), length: 300_000,
      key: Bytes32(prefix: .zero, suffix: .zero), type: .jpeg, width: 2048, height: 1536),
    thumbnail: BlobReference(
      root: Bytes32(prefix: .zero, suffix: Bytes16(high: 0, low: 1)), length: 12_000,
      key: Bytes32(prefix: .zero, suffix: .zero), type: .jpeg, width: 320, height: 240))
}

extension PhotoMark {
  static let example = PhotoMark(
    photo: PhotoID(raw: .zero),
    drawing: PhotoDrawing(
      shape: .circle, colour: .red, points: [PhotoPoint(x: 1, y: 2), PhotoPoint(x: 3, y: 4)]))
}

extension Coordinate {
  static let origin = Coordinate(latitudeE7: 0, longitudeE7: 0)!
}
