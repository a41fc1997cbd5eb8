import MusterModel
import Testing

struct ValueCodingTests {
  private static let place = Coordinate(latitudeE7: -501_234_567, longitudeE7: 1_799_999_999)!
  private static let ring = Ring([
    place, Coordinate(latitudeE7: 0, longitudeE7: 0)!, Coordinate(latitudeE7: 1, longitudeE7: 1)!,
  ])
  private static let polygons = FenceGeometry.polygons([
    FencePolygon(outer: ring, holes: [ring, Ring(ring.vertices + [place])]),
    FencePolygon(outer: ring),
  ])
  private static let circle = FenceGeometry.circle(center: place, radiusCentimetres: 5000)

  private static let values: [Value] = [
    .text(""), .text("Kellerbrand\n🔥"), .code(0), .code(255), .position(place),
    .geometry(polygons), .geometry(circle), .claim(.needsHelp, note: "leg"),
    .claim(.safe, note: ""), .mark, .reference(row), .time(Timestamp(milliseconds: -1)),
    .number(.max), .bytes([]), .bytes([1, 2]), .reply(user, note: "here"),
    .trackerReply(row.raw, note: "here"),
    .checkIn(CheckInReport(kind: .extend, nextSeconds: 600, note: "wind")),
    .overruling(.safe, note: "found", seen: [dot, dot]),
    .overruling(.needsHelp, note: "", seen: []),
    .profile(.foreground), .accounting(accounting), .accounting(Accounting(note: "")),
    .relayedClaim(.needsHelp, note: "leg", login: "ada", seen: [dot]),
    .signOff(reason: "home", seen: [row]), .signOff(reason: "", seen: []),
    .signOn(reason: "back"), .photo(photo), .photo(Photo(original: large, thumbnail: small)),
    .alertReply(
      AlertReply(user: user, note: "on it", dots: [dot], positions: accounting.positions)),
  ]
  private static let accounting = Accounting(
    note: "found", claims: [dot], rows: [row],
    positions: [
      SeenPosition(
        device: DeviceID(raw: Bytes16(high: 8, low: 9)),
        order: RecordOrder(
          generation: 1, incarnation: Incarnation(raw: Bytes16(high: 10, low: 11)), counter: 12))
    ], away: [DeviceID(raw: Bytes16(high: 13, low: 14))])
  private static let large = BlobReference(
    root: Bytes32(prefix: row.raw, suffix: user.raw), length: 300_000,
    key: Bytes32(prefix: user.raw, suffix: row.raw), type: .jpeg, width: 2048, height: 1536)
  private static let small = BlobReference(
    root: Bytes32(prefix: user.raw, suffix: row.raw), length: 12_000,
    key: Bytes32(prefix: row.raw, suffix: row.raw), type: .webp, width: 320, height: 240)
  private static let mark = PhotoMark(
    photo: PhotoID(raw: row.raw),
    drawing: PhotoDrawing(
      shape: .arrow, colour: .red, points: [PhotoPoint(x: 1, y: 2), PhotoPoint(x: 3, y: 4)]))
  private static let record = RecordEntry(
    name: RecordName(dataset: "notes", key: "a"), syncCount: 7,
    modifiedAt: Timestamp(milliseconds: 8), value: "x")
  private static let notice = ExposureNotice(
    id: ExposureID(raw: row.raw), kind: .radiation, text: "leave",
    keys: [ExposureKey(day: 2_642_976, key: row.raw)])
  private static let call = UnverifiedCallEntry(
    device: DeviceID(raw: Bytes16(high: 8, low: 9)),
    call: UnverifiedCall(
      credential: "", name: "Rui", address: "10.0.0.7", note: "leg\nbroken", position: place,
      madeAt: Timestamp(milliseconds: -1), cause: .removedLogin), messages: 3, others: 4)
  private static let contact = EmergencyContact(
    id: ContactID(raw: row.raw), name: "Fire station", phone: "+351 213 924 700", position: place)
  private static let photo = Photo(
    original: large, thumbnail: small, takenAt: Timestamp(milliseconds: 258), position: place)
  private static let row = RowID(raw: Bytes16(high: 1, low: 2))
  private static let user = UserID(raw: Bytes16(high: 3, low: 4))
  private static let dot = Dot(frame: Bytes16(high: 5, low: 6), index: 7)

  private func encoded(_ value: Value) -> [UInt8] {
    var writer = ByteWriter()
    value.append(to: &writer)
    return writer.bytes
  }

  private func decoded(_ bytes: [UInt8]) throws(DecodingFault) -> Value {
    var reader = ByteReader(bytes)
    let value = try Value(from: &reader)
    try reader.expectEnd()
    return value
  }

  @Test("every value is read back as it was written")
  func roundTrip() throws {
    for value in Self.values { #expect(try decoded(encoded(value)) == value) }
  }

  @Test("the encoded bytes are as specified")
  func golden() {
    #expect(Hex.encode(encoded(.text("ab"))) == "01000000026162")
    #expect(Hex.encode(encoded(.code(5))) == "0205")
    #expect(Hex.encode(encoded(.position(Self.place))) == "03e21fc4796b49d1ff")
    #expect(Hex.encode(encoded(.geometry(Self.circle))) == "0402e21fc4796b49d1ff00001388")
    #expect(Hex.encode(encoded(.claim(.needsHelp, note: "x"))) == "05020000000178")
    #expect(Hex.encode(encoded(.mark)) == "06")
    #expect(Hex.encode(encoded(.reference(Self.row))) == "07" + Self.row.description)
    #expect(
      Hex.encode(encoded(.time(Timestamp(milliseconds: 258)))) == "080000000000000102")
    #expect(Hex.encode(encoded(.number(258))) == "0900000102")
    #expect(Hex.encode(encoded(.bytes([7, 8]))) == "0a000000020708")
    #expect(
      Hex.encode(encoded(.reply(Self.user, note: "x"))) == "0b\(Self.user)0000000178")
    #expect(
      Hex.encode(encoded(.trackerReply(Self.row.raw, note: "x"))) == "13\(Self.row)0000000178")
    let report = CheckInReport(kind: .stop, nextSeconds: 0, note: "x")
    #expect(Hex.encode(encoded(.checkIn(report))) == "1403000000000000000178")
    #expect(
      Hex.encode(encoded(.overruling(.safe, note: "x", seen: [Self.dot])))
        == "0c010000000178" + "00000001" + "000000000000000500000000000000060007")
    #expect(Hex.encode(encoded(.profile(.foreground))) == "0d0100050014001e003200")
    #expect(
      Hex.encode(encoded(.photo(Self.photo)))
        == "28" + Self.row.description + "\(Self.user)" + "000493e0" + "\(Self.user)\(Self.row)"
        + "0108000600" + "\(Self.user)\(Self.row)" + "00002ee0" + "\(Self.row)\(Self.row)"
        + "03014000f0" + "03" + "0000000000000102" + "e21fc4796b49d1ff")
    let (dots, rows) = (
      "00000001" + "000000000000000500000000000000060007",
      "00000001" + "00000000000000010000000000000002"
    )
    let positions =
      "00000001" + "00000000000000080000000000000009" + "00000001"
      + "000000000000000a000000000000000b" + "000000000000000c"
    #expect(
      Hex.encode(encoded(.accounting(Self.accounting)))
        == "0e00000005666f756e64" + dots + rows + positions + "00000001"
        + "000000000000000d000000000000000e")
    #expect(
      Hex.encode(encoded(.relayedClaim(.safe, note: "x", login: "y", seen: [Self.dot])))
        == "0f0100000001780000000179" + dots)
    #expect(
      Hex.encode(encoded(.signOff(reason: "x", seen: [Self.row]))) == "100000000178" + rows)
    #expect(Hex.encode(encoded(.signOn(reason: "x"))) == "110000000178")
    let reply = AlertReply(
      user: Self.user, note: "x", dots: [Self.dot], positions: Self.accounting.positions)
    #expect(
      Hex.encode(encoded(.alertReply(reply)))
        == "12\(Self.user)0000000178" + dots + positions)
  }

  @Test("every prefix is rejected")
  func truncation() {
    for value in Self.values {
      let bytes = encoded(value)
      for length in bytes.indices {
        #expect(throws: DecodingFault.self) { try decoded(Array(bytes[..<length])) }
      }
    }
  }

  @Test("every change of one byte is rejected or read as another value, and never traps")
  func mutation() throws {
    for value in Self.values {
      let bytes = encoded(value)
      for place in bytes.indices {
        for byte in UInt8.min ... .max where byte != bytes[place] {
          var damaged = bytes
          damaged[place] = byte
          // then an encoding is unique: what is read is written back unchanged
          guard let read = try? decoded(damaged) else { continue }
          try #require(read != value && encoded(read) == damaged, "\(value): \(place), \(byte)")
        }
      }
    }
  }

  @Test("a geometry is rejected beyond its limits, and accepted at them")
  func geometryLimits() throws {
    let vertex = Self.place
    func ring(_ count: Int) -> Ring { Ring(Array(repeating: vertex, count: count)) }
    func polygon(_ rings: Int, of count: Int) -> FencePolygon {
      FencePolygon(outer: ring(count), holes: Array(repeating: ring(count), count: rings - 1))
    }
    let cases: [(FenceGeometry, isAllowed: Bool)] = [
      (.polygons([]), false), (.polygons([polygon(1, of: 0)]), false),
      (.polygons([polygon(1, of: 2)]), false), (.polygons([polygon(1, of: 3)]), true),
      (.polygons([polygon(1, of: 1000)]), true), (.polygons([polygon(1, of: 1001)]), false),
      (.polygons([polygon(200, of: 3)]), true), (.polygons([polygon(201, of: 3)]), false),
      (.polygons(Array(repeating: polygon(1, of: 3), count: 201)), false),
      (.polygons([polygon(7, of: 1000)]), true), (.polygons([polygon(8, of: 900)]), false),
      (.circle(center: vertex, radiusCentimetres: 0), false),
      (.circle(center: vertex, radiusCentimetres: 1), true),
      (.circle(center: vertex, radiusCentimetres: 2_000_000_000), true),
      (.circle(center: vertex, radiusCentimetres: 2_000_000_001), false),
    ]
    for (geometry, isAllowed) in cases {
      let value = Value.geometry(geometry)
      #expect((try? decoded(encoded(value))) == (isAllowed ? value : nil))
      // then a field accepts exactly the values that can be stored and read back
      #expect(Field.fenceGeometry.accepts(value) == isAllowed)
    }
  }

  @Test("a field accepts values of its own type and range, and no others")
  func acceptance() {
    let text = Value.text("Florian 1")
    let claim = Value.claim(.safe, note: "seen")
    let geometry = Value.geometry(Self.circle)
    let position = Value.position(Self.place)
    let others: [Value] = [
      .reference(Self.row), .time(Timestamp(milliseconds: 0)), .number(604_800),
      .bytes(Array(repeating: 0, count: 4096)), .reply(Self.user, note: "here"),
      .overruling(.safe, note: "", seen: Array(repeating: Self.dot, count: 8)),
      .profile(.background), .accounting(Self.accounting),
      .relayedClaim(.safe, note: "", login: "ada", seen: []),
      .signOff(reason: "", seen: Array(repeating: Self.row, count: 32)), .signOn(reason: ""),
      .alertReply(AlertReply(user: Self.user, note: "")), .trackerReply(Self.row.raw, note: ""),
      .checkIn(CheckInReport(kind: .ok, nextSeconds: 60, note: "")),
      .bytes(Array(repeating: 0, count: 160)),
      .bytes(ZoneRule(kind: .within, number: 200, role: .member).encoded()),
      .photo(Self.photo), .bytes(Self.mark.encoded()), .bytes(Self.contact.encoded()),
      .bytes(Self.record.encoded()),
      .bytes([1] + [UInt8](repeating: 0, count: ProximityNote.boxBytes + ProximityNote.bodyBytes)),
      .bytes(Self.notice.encoded()), .bytes(Self.call.encoded()),
      .bytes(UnverifiedCallOutcome(.confirmed(Self.user), seen: [Self.dot]).encoded()),
      .bytes(UnverifiedCallOutcome(.closed(reason: "seen"), seen: [Self.dot]).encoded()),
      .bytes(Array(repeating: 0, count: ConfirmedContent.encodedBytes)),
    ]
    let all =
      (0...UInt8.max).map { Value.code($0) } + [text, claim, geometry, position, .mark] + others
    for field in Field.allCases {
      let expected: [Value] =
        switch field {
        case .userSafetyClaim, .trackerSafetyClaim: [claim]
        case .reportCategory: (1...7).map { .code($0) }
        case .reportSeverity: (1...5).map { .code($0) }
        case .reportStatus, .directiveStatus, .fenceMode: [.code(1), .code(2)]
        case .fenceKind: (1...3).map { .code($0) }
        case .directiveRole, .fenceRole: (1...5).map { .code($0) }
        case .directiveKind: (1...5).map { .code($0) }
        case .directiveFence, .directiveUsers, .directiveZones, .directiveSupersedes,
          .directiveExpected, .permitUsers, .permitZone, .checkInTracker:
          [others[0]]
        case .directiveDeadline, .fenceReviewAt: [others[1]]
        case .fenceDwellSeconds, .settingsSilenceSeconds, .directiveDurationSeconds,
          .permitDurationSeconds, .checkInDurationSeconds, .checkInGraceSeconds,
          .checkInReminderSeconds, .checkInStillSeconds:
          [others[2]]
        case .trackPoints:
          [others[3], others[14], others[15]] + others[17...25]
        case .directiveAcknowledgements: [others[4]]
        case .userSafetyOverride, .trackerSafetyOverride: [others[5], others[7]]
        case .userRelayedClaim: [others[8]]
        case .userSignOff, .trackerSignOff: [others[9], others[10]]
        case .alertAcknowledgements: [others[11]]
        case .directiveTrackerReplies: [others[12]]
        case .checkInReport: [others[13]]
        case .checkInSealed: [others[14]]
        case .fenceRules: [others[15]]
        case .reportPhotos: [others[16]]
        case .reportPhotoMarks: [others[17]]
        case .reportContentConfirmations: [others[25]]
        case .settingsContacts: [others[18]]
        case .recordValue: [others[19]]
        case .exposureNote: [others[20]]
        case .exposureNotices: [others[21]]
        case .unverifiedCallContent: [others[22]]
        case .unverifiedCallOutcome: [others[23], others[24]]
        case .settingsForeground, .settingsBackground: [others[6]]
        case .fenceActive, .fenceEntryAlert, .checkInRepeats: [.code(0), .code(1)]
        case .reportPosition: [position]
        case .fenceGeometry: [geometry]
        case .userDeactivated, .reportExistence, .reportToEvacuate, .reportConfirmations,
          .fenceExistence, .fenceDeleted, .directiveExistence, .trackerExistence,
          .permitExistence, .permitRevoked, .checkInExistence, .unverifiedCallExistence:
          [.mark]
        default: [text]
        }
      #expect(all.filter(field.accepts) == expected, "\(field)")
    }
    #expect(!Field.reportTitle.accepts(.text("two\nlines")))
    #expect(Field.reportDescription.accepts(.text("two\nlines")))
    #expect(!Field.fenceDwellSeconds.accepts(.number(604_801)))
    #expect(Field.fenceDwellSeconds.accepts(.number(0)))
    for (seconds, isAccepted) in [(UInt32(0), false), (1, true), (604_800, true), (604_801, false)]
    {
      #expect(Field.directiveDurationSeconds.accepts(.number(seconds)) == isAccepted)
    }
    #expect(!Field.checkInStillSeconds.accepts(.number(59)))
    #expect(Field.checkInStillSeconds.accepts(.number(60)))
    #expect(!Field.trackPoints.accepts(.bytes(Array(repeating: 0, count: 4097))))
    for count in [0, 159, 161] {
      #expect(!Field.checkInSealed.accepts(.bytes(Array(repeating: 0, count: count))))
    }
    let tooMany = Array(repeating: Self.dot, count: 9)
    #expect(!Field.userSafetyOverride.accepts(.overruling(.safe, note: "", seen: tooMany)))
    var accounting = Accounting(note: "", claims: tooMany)
    #expect(!Field.userSafetyOverride.accepts(.accounting(accounting)))
    accounting = Accounting(note: "", rows: Array(repeating: Self.row, count: 33))
    #expect(!Field.userSafetyOverride.accepts(.accounting(accounting)))
    #expect(!Field.permitDurationSeconds.accepts(.number(0)))
    #expect(!Field.userRelayedClaim.accepts(.relayedClaim(.safe, note: "", login: "", seen: [])))
    var profile = LocationProfile.foreground
    profile.readingSeconds = 0
    #expect(!Field.settingsForeground.accepts(.profile(profile)))
    #expect(!Field.userSafetyClaim.accepts(.claim(.safe, note: "\u{1B}")))
  }

  @Test("the entries of unverified calls are read back, and those out of range are rejected")
  func unverifiedCalls() throws {
    #expect(try UnverifiedCallEntry(decoding: Self.call.encoded()) == Self.call)
    let bare = UnverifiedCallEntry(
      device: DeviceID(raw: .zero),
      call: UnverifiedCall(
        credential: "", name: "", address: "", note: "", position: nil, madeAt: nil), messages: 1)
    #expect(try UnverifiedCallEntry(decoding: bare.encoded()) == bare)
    let content = bare.encoded()
    for (place, byte) in [(16, UInt8(0)), (16, 5), (20, 0), (25, 2), (26, 2)] {
      var wrong = content
      wrong[place] = byte
      #expect(!Field.unverifiedCallContent.accepts(.bytes(wrong)), "byte \(place)")
    }
    for length in content.indices {
      #expect(!Field.unverifiedCallContent.accepts(.bytes(Array(content.prefix(length)))))
    }
    #expect(!Field.unverifiedCallContent.accepts(.bytes(content + [0])))
    func accepts(name: String = "", note: String = "") -> Bool {
      let call = UnverifiedCall(
        credential: "", name: name, address: "", note: note, position: nil, madeAt: nil)
      let entry = UnverifiedCallEntry(device: DeviceID(raw: .zero), call: call, messages: 1)
      return Field.unverifiedCallContent.accepts(.bytes(entry.encoded()))
    }
    #expect(accepts(name: String(repeating: "x", count: 200)))
    #expect(!accepts(name: String(repeating: "x", count: 201)) && !accepts(name: "two\nlines"))
    #expect(accepts(note: String(repeating: "x", count: Limits.unverifiedNoteBytes)))
    #expect(!accepts(note: String(repeating: "x", count: Limits.unverifiedNoteBytes + 1)))

    for (outcome, isAccepted) in [
      (UnverifiedCallOutcome(.confirmed(Self.user), seen: [Self.dot]), true),
      (UnverifiedCallOutcome(.confirmed(Self.user), seen: []), false),
      (
        UnverifiedCallOutcome(
          .confirmed(Self.user), seen: Array(repeating: Self.dot, count: 8)), true
      ),
      (
        UnverifiedCallOutcome(
          .confirmed(Self.user), seen: Array(repeating: Self.dot, count: 9)), false
      ),
      (UnverifiedCallOutcome(.closed(reason: ""), seen: [Self.dot]), false),
      (UnverifiedCallOutcome(.closed(reason: "spoke to her"), seen: [Self.dot]), true),
    ] {
      let value = Value.bytes(outcome.encoded())
      #expect(Field.unverifiedCallOutcome.accepts(value) == isAccepted)
      if isAccepted {
        #expect(try UnverifiedCallOutcome(decoding: outcome.encoded()) == outcome)
      }
    }
  }
}
