import MusterModel
import MusterNode

/// One of every command and of every reply, with and without optional parts.
enum Specimens {
  static let row = RowID(raw: Bytes16(high: 1, low: 2))
  static let device = DeviceID(raw: Bytes16(high: 0xFFFF_0000_0000_0000, low: 3))
  static let user = UserID(raw: Bytes16(high: 4, low: 5))
  static let hash = StateHash(
    raw: Bytes32(prefix: Bytes16(high: 6, low: 7), suffix: Bytes16(high: 8, low: .max)))
  static let moment = Timestamp(milliseconds: 1_281_018_239_500)
  private static let exposure = ExposureID(raw: row.raw)
  private static let nearby = NearbyExposure(
    id: exposure, kind: .infection, text: "call", publishedAt: moment,
    days: [NearbyExposure.Day(day: moment, minutes: 23, rssi: -60)])
  private static let review = ExposureReview(
    items: [
      ExposureReview.Item(
        id: exposure, kind: .infection, text: "", callsign: "Ben", days: [moment],
        state: .withdrawn, people: 2)
    ],
    senders: [
      ExposureReview.Sender(
        callsign: "Ben", writtenAt: moment,
        sessions: [NoteSession(first: 1, end: 3, identifiers: 4, names: ["Cleo"])])
    ])
  static let before1970 = Timestamp(milliseconds: -1)

  static func place(_ latitudeE7: Int64, _ longitudeE7: Int64) -> Coordinate {
    guard let place = Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7) else {
      preconditionFailure("\(latitudeE7), \(longitudeE7) is not on Earth")
    }
    return place
  }

  static let sydney = place(-338_688_000, 1_512_093_000)
  static let fix = Fix(position: sydney, accuracyDecimetres: 55, sampleTime: moment)
  static let bareFix = Fix(position: place(0, 0), sampleTime: before1970)
  static let circle = FenceGeometry.circle(center: sydney, radiusCentimetres: 25_000)
  static let triangle = FenceGeometry.polygons([
    FencePolygon(
      outer: Ring([place(0, 0), place(0, 90), place(90, 0)]),
      holes: [Ring([place(10, 10), place(10, 20), place(20, 10)])])
  ])

  static let logState = LogState(
    LogSummary(
      opening: Opening(
        certificate: .root, incarnation: Incarnation(raw: row.raw), generation: 1, lane: .urgent),
      head: Head(log: LogID(raw: row.raw), sequence: 9, hash: .none)))

  static let commands: [Command] =
    [
      .writtenThrough, .delivery([WrittenThrough(log: LogID(raw: row.raw), sequence: 7)]),
      .delivery([]),
      .status, .verify, .users, .devices, .mesh, .reports, .fences,
      .claimSafety(.safe, note: ""), .claimSafety(.needsHelp, note: "a leg\nis broken"),
      .setPosition(fix), .setPosition(bareFix), .track(of: "Ben", limit: 7),
      .report("0a1b"), .deleteReport(""), .confirmReport("ffff"),
      .confirmReport("ffff", seen: "0a1b"),
      .commentReport("0a1b", text: "ça brûle"), .photos("0a1b"), .records(of: UserID(raw: row.raw)),
      .addPhoto(photo, to: "0a1b"),
      .removePhoto("1", of: "0a1b"), .requestPhoto("ffff", of: "0a1b"),
      .photo("1", of: "0a1b", kind: .thumbnail),
      .markPhoto(drawing, photo: "1", of: "0a1b"), .removePhotoMark("0a1b", of: "0a1b"),
      .fence("0a1b"), .deleteFence("0a1b"),
      .addFenceRule("0a1b", ZoneRule(kind: .atLeast, number: 2, team: "North")),
      .removeFenceRule("0a1b", rule: "ffff"),
      .editFence("0a1b", FenceChanges()),
      .editFence(
        "0a1b", FenceChanges(name: "Pool", kind: .info, geometry: circle, dwellSeconds: 0)),
      .setFenceActive("0a1b", true), .setFenceActive("0a1b", false),
      .addReport(ReportDraft(title: "Smoke")),
      .addReport(
        ReportDraft(
          title: "Smoke", details: "", category: .chemical, severity: 5, position: sydney,
          toEvacuate: true)),
      .editReport("0a1b", ReportChanges()),
      .editReport("0a1b", ReportChanges(toEvacuate: false)),
      .editReport(
        "0a1b",
        ReportChanges(
          title: "Fire", details: "", category: .fire, severity: 1, position: place(0, 0),
          toEvacuate: true, status: .resolved)),
      .addFence(FenceDraft(name: "Pool", kind: .muster, geometry: circle)),
      .addFence(
        FenceDraft(
          name: "Works", kind: .hazard, geometry: triangle, properties: "", dwellSeconds: 90,
          mode: .strictAWS, needs: .relay)),
      .bundlePiece(at: []), .bundlePiece(at: [1, 2]), .logStates,
      .bundlePiece(
        at: [1],
        only: BundleSelection(
          logs: [.init(log: LogID(raw: row.raw), first: 7)], includesKeys: true,
          blobs: [BlobID(raw: row.raw)])),
      .mergeBundle([], at: [], isLast: true),
      .mergeBundle([1, 0, 255], at: [9], isLast: false),
      .events(after: nil, limit: 0), .events(after: 0, limit: 1000),
      .events(after: .max, limit: .max),
      .invite(role: .relay, uses: 1, validSeconds: 86_400),
      .invite(role: .member, user: "Anna", uses: 1, validSeconds: 1),
      .invites, .withdrawInvite("abcd"),
      .admit(request: [], role: .member), .admit(request: [1], role: .member, user: "Anna"),
      .admit(request: [0, 255], role: .command),
      .overrideSafety(user: "Ben", .safe, note: "in the tent"),
      .overrideSafety(user: "Ben", .safe, note: "", away: ["0a1b"]),
      .claimSafetyOf(tracker: "Truck", .needsHelp, note: "stuck"),
      .relayClaim(.safe, note: "", login: "Maria", user: "Ben"),
      .signOff(user: nil, reason: "home", isConfirmed: true), .signOn(user: "Ben", reason: ""),
      .permits, .revokePermit("0a1b"), .checkIns,
      .unverifiedCalls(includesEnded: true), .confirmUnverifiedCall("0a1b", user: "Rui"),
      .closeUnverifiedCall("0a1b", reason: "spoke to the caller"),
      .raiseUnverifiedCall(
        UnverifiedCall(
          credential: "token", name: "Rui", address: "10.0.0.7", note: "leg broken",
          position: nil, madeAt: Timestamp(milliseconds: 7), cause: .removedLogin)),
      .proximity(.status), .proximity(.setOn(false)), .proximity(.showName(true)),
      .proximity(.keep(days: 7)),
      .proximity(.devices(hours: 24)), .proximity(.sessions), .proximity(.own),
      .proximity(.consent(true, count: false)),
      .proximity(.send), .proximity(.reportPositive(.radiation, text: "hall 3")),
      .proximity(.withdrawReport), .proximity(.notices), .proximity(.review),
      .proximity(.publish("0a1b", text: "leave")), .proximity(.withdrawNotice("0a1b")),
      .startCheckIn(
        CheckInOrder(
          people: ["Ben"], team: "North", role: .member,
          timer: CheckInDraft(durationSeconds: 60, repeats: true, note: "ridge"))),
      .reportCheckIn(CheckInEntry(kind: .ok, pin: "2580")), .checkInPin,
      .reportCheckIn(CheckInEntry(kind: .ok, user: "Ben", isOfLogin: true)),
      .loginReport(.file(ReportDraft(title: "Smoke")), login: "Rui"),
      .loginReport(.correct("0a1b", ReportChanges(title: "Fire")), login: "Rui"),
      .loginReport(.withdraw("0a1b"), login: "Rui"),
      .setCheckInPins(CheckInPinChange(current: nil, usual: "2580", duress: "2581")),
      .setCheckInPins(CheckInPinChange(current: "2580", usual: nil, duress: nil)),
      .clearDuress("Ben"), .shelveAlert("silent:0a1b", nil),
      .shelveAlert("0a1b", ShelvingOrder(minutes: 15, reason: "relay \"off\"", name: "Eva")),
      .reportCheckIn(
        CheckInEntry(kind: .extend, user: "Ben", timer: "0a1b", seconds: 600, note: "wind")),
      .addPermit(
        PermitOrder(people: ["Ben"], team: "North", zone: "Plume", durationSeconds: 60)),
      .acknowledgeAlert("0a1b", by: "Maria", user: "Ben"),
      .overrideSafety(user: "Ben", nil, note: ""), .setTeam("North", user: nil),
      .setTeam("North", user: "Ben"), .directives, .directive("0a1b"),
      .direct(
        DirectiveOrder(
          kind: .message, text: "hello")),
      .direct(
        DirectiveOrder(
          kind: .evacuate, text: "", role: .member, team: "North", users: ["Ben", "Cleo"],
          zones: ["0a1b", "School"], deadlineSeconds: .max)),
      .addAssemblyZone(
        FenceDraft(name: "Pool", kind: .muster, geometry: circle),
        order: DirectiveOrder(kind: .muster)),
      .closeDirective("0a1b"), .acknowledge("0a1b", note: "here", user: nil),
      .acknowledge("0a1b", note: "", user: "Ben"), .acknowledge(nil, note: "", user: nil),
      .withdrawAcknowledgement("0a1b", user: "Ben"), .withdrawAcknowledgement(nil, user: nil),
      .alerts,
      .acknowledgeAlert("help:0a1b", by: nil), .acknowledgeAlert("0a1b", by: "Maria"), .changes,
      .settings(user: nil),
      .settings(user: "Ben"), .setProfile(.foreground, user: nil, isForeground: true),
      .setProfile(.background, user: "Ben", isForeground: false),
      .setSilence(seconds: .max, user: nil), .setSilence(seconds: 0, user: "Ben"),
      .setPhoneClock(user: "Kim", behindSeconds: 10_800), .contacts,
      .writeContact(.add(ContactDraft(name: "Fire station", phone: "112"))),
      .writeContact(
        .edit("0a1b", ContactChanges(name: "Fire", phone: "15", note: "", position: sydney))),
      .writeContact(.edit("0a1b", ContactChanges(removesPosition: true))),
      .writeContact(.remove("0a1b")), .roster,
      .writeRoster(
        .add([RosterEntry(name: "Rui", team: "North", function: "paramedic", phone: "112")])),
      .writeRoster(.arrive("0a1b", as: nil)), .writeRoster(.expect("0a1b")),
      .writeRoster(.remove("0a1b")),
    ]

  static let unverifiedCalls: UnverifiedCalls = {
    var call = UnverifiedCallSummary(
      id: row, name: "Rui", address: "", note: "", cause: .sharedToken, position: nil,
      madeAt: nil, receivedAt: Timestamp(milliseconds: 1), messages: 2, others: 3,
      receivedBy: "Ben")
    call.state = .confirmed
    call.person = user
    call.personName = "Rui"
    call.decidedAt = Timestamp(milliseconds: 2)
    return UnverifiedCalls(items: [call], further: 4)
  }()
  static let contact = ContactSummary(
    contact: EmergencyContact(
      id: ContactID(raw: row.raw), name: "Fire station", phone: "112", note: "day and night",
      position: sydney),
    otherPhones: ["15"], callsign: "Anna", writtenAt: moment)
  static var alertWithContacts: Alert {
    var (alert, near) = (alert, AlertContact(contact))
    (near.distanceMetres, near.bearingDegrees) = (2140, 47)
    alert.contacts = [near, AlertContact(contact)]
    return alert
  }

  static var checkIn: CheckInSummary {
    var timer = CheckInSummary(
      id: row, user: user, callsign: "Ben", state: .overdue, durationSeconds: 60, repeats: true,
      graceSeconds: 120, note: "ridge", startedBy: "Anna", startedAt: moment)
    (timer.earliestSeconds, timer.latestSeconds) = (-7, -6)
    timer.report = CheckInReport(kind: .ok, nextSeconds: 60, note: "")
    (timer.reportedBy, timer.reportedAt) = ("Ben", moment)
    return timer
  }

  static let alert = Alert(
    id: AlertID(kind: .overdue, row: row), level: .danger, text: "late", since: moment)
  static var noticedAlert: Alert {
    var alert = Alert(
      id: AlertID(kind: .help, row: row), level: .danger, text: "help", since: moment,
      acknowledgement: AlertAcknowledgement(name: "Maria", moment: moment))
    alert.acknowledgements = [
      AlertSighting(user: user, name: "Maria", role: .command, via: "Anna", note: "m"),
      AlertSighting(user: user, name: "Mia", role: .member, via: nil, note: ""),
    ]
    return alert
  }
  static var shelvedAlert: Alert {
    var alert = alert
    alert.shelving = AlertShelving(name: "Maria", reason: "relay off", until: moment)
    return alert
  }
  static var counts: ChangeCounts {
    var counts = ChangeCounts()
    counts[.events] = .max
    return counts
  }
  static let respondent = Respondent(
    user: user, callsign: "Anna", state: .acknowledged, phrase: Phrase(verbatim: "by radio"),
    answeredAt: moment,
    answeredBy: "Cleo", fixAgeSeconds: 7)
  static let bareRespondent = Respondent(
    user: user, callsign: "Ben", state: .unaccounted, phrase: Phrase(.notKnownHere),
    answeredAt: nil,
    answeredBy: nil, fixAgeSeconds: nil)
  static let directive = DirectiveSummary(
    id: row, kind: .evacuate, text: "now", addressees: Phrase(.toEveryone),
    zones: [DirectiveZone(id: row, name: "Pool")],
    deadline: DirectiveDeadline(time: moment, durationSeconds: 60), status: .open, callsign: "Anna",
    createdAt: before1970,
    people: [bareRespondent, respondent])
  static let bareDirective = DirectiveSummary(
    id: row, kind: .locate, text: "", addressees: Phrase(verbatim: "Ben"), zones: [],
    deadline: nil, status: .closed, callsign: "", createdAt: moment, people: [])

  static let conflict = FieldConflict(
    field: .reportTitle,
    values: [
      ConflictingValue(text: "Fire", callsign: "Anna", writtenAt: moment),
      ConflictingValue(text: "Smoke", callsign: "Ben", writtenAt: before1970),
    ])

  static let photo = PhotoDraft(
    original: PictureDraft(bytes: [255, 216], type: .jpeg, width: 2048, height: 1),
    thumbnail: PictureDraft(bytes: [], type: .webp, width: 1, height: .max), takenAt: before1970,
    position: sydney)

  static let photoSummary = PhotoSummary(
    id: PhotoID(raw: row.raw), address: BlobID(raw: user.raw), callsign: "Ben", author: user,
    addedAt: moment, takenAt: before1970, position: sydney,
    original: BlobStatus(
      type: .jpeg, width: 2048, height: 1536, bytes: 300_000, percent: 62, devices: 3, total: 5,
      commandPost: false, stall: .noHolder),
    thumbnail: BlobStatus(
      type: .jpeg, width: 320, height: 240, bytes: 12_000, percent: 100, devices: 5, total: 5,
      commandPost: true, stall: nil),
    marks: [
      PhotoMarkSummary(
        id: "0a", mark: PhotoMark(photo: PhotoID(raw: row.raw), drawing: drawing), callsign: "Ben",
        author: user, drawnAt: moment)
    ])
  static let drawing = PhotoDrawing(
    shape: .text, colour: .yellow, points: [PhotoPoint(x: 0, y: 65_535)], text: "Exit")

  static var report: ReportSummary {
    var report = confirmedReport
    report.content = "0a1b"
    report.confirmedBy = ReportConfirmation.Standing.allCases.map {
      ReportConfirmation(
        user: $0 == .counts ? user : nil, authorship: Authorship("Ben", through: "Anna"),
        role: .member, standing: $0)
    }
    return report
  }

  private static let confirmedReport = ReportSummary(
    id: row, title: "Fire", details: "in the hall", category: .fire, severity: 5, position: sydney,
    toEvacuate: true, status: .open, owner: user, ownerCallsign: "Anna",
    confirmations: ["Ben", "Cleo"],
    comments: [ReportComment(callsign: "Ben", text: "I see it", writtenAt: moment)],
    conflicts: [conflict], photoCount: 1, photos: [photoSummary],
    delivery: Delivery(devices: 4, total: 5, commandPost: true, ageSeconds: 40),
    createdAt: before1970, updatedAt: moment)

  static let bareReport = ReportSummary(
    id: row, title: "", details: "", category: .other, severity: nil, position: nil,
    toEvacuate: false, status: .resolved, owner: user, ownerCallsign: "", confirmations: [],
    comments: [], conflicts: [], delivery: Delivery(devices: 1, total: 5, commandPost: false),
    createdAt: moment, updatedAt: moment)

  static func fence(_ geometry: FenceGeometry) -> FenceSummary {
    FenceSummary(
      id: row, name: "Pool", kind: .info, isActive: true, geometry: geometry,
      dwellSeconds: 60, mode: .strictAWS, needs: geometry == circle ? nil : .command,
      properties: "{}",
      inside: ["Anna"], conflicts: [conflict], createdAt: moment, updatedAt: moment)
  }

  static func crossing(_ arrival: Int64) -> CrossingSummary {
    CrossingSummary(
      id: CrossingID(raw: Bytes16(high: 0, low: UInt64(bitPattern: arrival))), arrival: arrival,
      type: arrival.isMultiple(of: 2) ? .exit : .enter, fence: row, fenceName: "Pool",
      subject: device, callsign: "Anna", sampleTime: moment, position: sydney, isBaseline: true)
  }

  static func status(peers: [PeerSummary], fix: PositionReport?) -> StatusSummary {
    var status = StatusSummary(
      operation: OperationID(raw: .zero), operationName: "Flood", callsign: "Anna",
      device: device, role: .command, stateHash: hash, stateIsIncomplete: true,
      root: [1, 2, 3, 4, 5, 6, 7, 8], logs: 1, frames: 2, waitingFrames: 3,
      quarantinedFrames: 9, missingFrames: 10, users: 4, reports: 5,
      fences: 6, crossings: 7, peers: peers, fix: fix,
      rejected: peers.isEmpty ? [:] : ["forged": .max],
      droppedForLackOfRoom: .max,
      forks: peers.map {
        ForkSummary(
          device: $0.device, callsign: "Ben", log: LogID(raw: .zero), lane: .urgent, place: .max,
          branches: 3)
      }, diskFreeBytes: peers.isEmpty ? nil : .max)
    if !peers.isEmpty {
      status.isRevoked = true
      status.clockLead = ClockLead(seconds: -600)
      status.withholding = [
        StallSummary(device: device, callsign: "Wilma", kind: .asksForNothing, seconds: .max)
      ]
      let life = IncarnationName(generation: 3, incarnation: Incarnation(raw: .zero))
      let other = IncarnationName(generation: .max, incarnation: Incarnation(raw: row.raw))
      status.clones = [
        CloneSummary(
          device: device, callsign: "Ben", life: life, other: other, noticedAt: moment)
      ]
      status.bounds = [
        BoundSummary(device: device, callsign: "Ben", bound: .quarantine, refusals: .max)
      ]
      status.epoch = EpochSummary(
        id: EpochID(raw: row.raw), generation: .max, callsign: "Ben", isOwn: true)
      status.stale = [SilenceSummary(device: device, callsign: "Ben", seconds: 600)]
      status.location = LocationStatus(
        source: "gpsd", state: "connected", mode: "coarse", refused: ["malformed": .max],
        problem: Phrase(verbatim: "no fix"))
    }
    return status
  }

  static func peer(_ address: [UInt8], scope: UInt32) -> [PeerSummary] {
    Endpoint(address: address, port: 65_535, scope: scope).map {
      var peer = PeerSummary(
        callsign: "Ben", device: device, state: .discovered, endpoint: $0, link: LinkID(index: 3),
        interface: "wlan0", lastHeardSeconds: 2, connectedSeconds: scope == 0 ? nil : 0,
        roundTripMicroseconds: scope == 0 ? 0 : nil, behindFrames: .max, sentBytes: .max,
        receivedBytes: scope == 0 ? nil : 1)
      peer.needsUpdate = scope == 0 ? nil : .thisLaptop
      return [peer]
    } ?? []
  }

  static func person(_ safety: SafetyState, fix: Fix?, age: Int64?) -> UserSummary {
    let status: PersonStatus =
      switch safety {
      case .safe: .reportedSafe
      case .unsafe: .mayday
      case .unknown: .noContact
      }
    var person = UserSummary(
      id: user, callsign: "Anna", role: .observer, status: status, severity: status.severity,
      reason: "self-reported", fix: fix, reportedAt: fix.map { _ in moment },
      fixAgeSeconds: age, team: "North", trackerOwner: fix == nil ? user : nil,
      selfReport: age.map { _ in statement }, override: fix.map { _ in statement })
    person.conditions = [
      StatusCondition(status: status, severity: status.severity, reason: "self-reported")
    ]
    person.age = age.map { ContactAge(seconds: $0, atMostSeconds: nil, reason: "clock differs") }
    person.order = fix.map { _ in
      FollowedOrder(
        id: RowID(raw: .zero), kind: .muster, zone: nil, zoneName: "School", distanceMetres: 120,
        bearingDegrees: 359, dueSeconds: -1)
    }
    return person
  }

  static let link = MeshLink(
    from: device, fromCallsign: "Ben", to: DeviceID(raw: .zero), toCallsign: "", path: .uplink,
    since: before1970, reportedAt: moment, isMutual: false, isCurrent: true, behindFrames: nil)
  static let ownLink = MeshLink(
    from: DeviceID(raw: .zero), fromCallsign: "Anna", to: device, toCallsign: "Ben",
    path: .multicast, since: moment, reportedAt: moment, isMutual: true, isCurrent: false,
    behindFrames: 0)

  static let statement = SafetyStatement(
    claim: .needsHelp, note: "a leg", callsign: "Cleo", statedAt: before1970)

  static let replies: [Reply] =
    [
      .writtenThrough([WrittenThrough(log: LogID(raw: row.raw), sequence: 7)]),
      .delivery(Delivery(devices: 2, total: 3, commandPost: true, ageSeconds: 1)),
      .done, .track([]), .track([fix, bareFix]), .refused("no such report"), .refused(""),
      .status(status(peers: [], fix: nil)),
      .status(
        status(
          peers: peer([192, 0, 2, 1], scope: 0)
            + peer([UInt8](repeating: 0xFE, count: 16), scope: 3),
          fix: PositionReport(fix: fix, reportedAt: moment))),
      .verification(
        VerificationReport(frames: 1, logs: 2, photoParts: 3, stateHash: hash, problems: [])),
      .verification(VerificationReport(frames: 0, logs: 0, stateHash: hash, problems: ["a", ""])),
      .directives([]), .directives([directive, bareDirective]), .alerts([]),
      .alerts([alert, noticedAlert, alertWithContacts, shelvedAlert]),
      .contacts([]), .contacts([contact]),
      .contactWritten(contact.contact.id), .roster([]),
      .rosterWritten(RosterOutcome(added: 2, changed: 1)),
      .changes(counts),
      .settings(
        SettingsSummary(
          foreground: .foreground, background: .background, silenceSeconds: 600)),
      .users([]),
      .users([
        person(.safe, fix: fix, age: 0), person(.unsafe, fix: bareFix, age: nil),
        person(.unknown, fix: nil, age: nil),
      ]),
      .devices([
        DeviceSummary(
          id: device, user: user, callsign: "Anna", role: .command, rank: 1, isThisDevice: true,
          isRevoked: false),
        DeviceSummary(
          id: device, user: user, callsign: "Ben", role: .member, rank: 2, isThisDevice: false,
          isRevoked: true),
      ]),
      .mesh(MeshSummary(links: [])), .mesh(MeshSummary(links: [link, ownLink])),
      .reports([]), .reports([report, bareReport]), .photos([]), .photos([photoSummary]),
      .photoAdded(photoSummary.id), .photo([255, 216]),
      .records([]),
      .records([
        UserRecord(
          row: row, user: user, dataset: "route",
          record: RecordSummary(
            key: "next", value: nil, syncCount: 3, modifiedAt: Timestamp(milliseconds: 1),
            writtenAt: Timestamp(milliseconds: 2), otherValues: ["a", nil]))
      ]),
      .fences([fence(circle), fence(triangle)]),
      .created(row), .ordered(zone: row, directive: row), .answered(row, .muster), .events([]),
      .permits([]), .unverifiedCalls(unverifiedCalls), .checkIns([]), .checkIns([checkIn]),
      .checkInPin(isRequired: true),
      .createdAll([row]),
      .proximity(
        .status(
          ProximityStatus(
            scanning: .unknown, advertising: .off, source: "-", counted: 7,
            refused: ["malformed": 1], intervals: 2))),
      .proximity(
        .devices(
          [NearbyDevice(identifier: "00ff", name: "Ben", rssi: -60, first: moment, last: moment)],
          isTruncated: true)),
      .proximity(.sessions([ProximitySession(start: moment, end: moment, identifiers: 3)])),
      .proximity(.sent(recipients: 2)), .proximity(.published(exposure)),
      .proximity(.notices([nearby])), .proximity(.review(review)),
      .proximity(
        .own(
          OwnIdentity(
            identifier: "00ff", serviceData: "00ff40", changesAt: moment, days: [moment]))),
      .events([crossing(1), crossing(2)]),
      .invitation(
        [1, 2, 3], id: InviteID(raw: Bytes16(high: 1, low: 2)), role: .member, expiresAt: moment),
      .invites([
        InviteSummary(
          id: InviteID(raw: Bytes16(high: 1, low: 2)), role: .member, user: nil, usesLeft: 1,
          createdAt: moment, expiresAt: moment, state: .withdrawn, devices: [])
      ]),
      .grant([0, 255], callsign: "Ben"),
      .logStates([logState]),
      .bundlePiece(BundlePiece(bytes: [1, 2], next: [3], frames: 4, records: 5)),
      .bundlePiece(BundlePiece(bytes: [], next: [], frames: 0, records: 0)),
      .bundleProgress(BundleProgress(consumed: 0, next: [], tally: BundleTally(), end: nil)),
      .bundleProgress(BundleProgress(consumed: 9, next: [7], tally: tally, end: .damaged)),
    ]

  static var tally: BundleTally {
    var tally = BundleTally()
    (tally.frames.new, tally.frames.known, tally.records.known) = (1, 2, 3)
    for reason in BundleRefusal.allCases { tally.frames.refuse(reason, Int(reason.rawValue)) }
    tally.records.refuse(.forged, 1)
    (tally.newKeys, tally.damagedPieces, tally.unreadablePieces) = (4, 5, 6)
    return tally
  }
}
