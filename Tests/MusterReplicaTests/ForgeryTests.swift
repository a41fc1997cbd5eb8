import MusterCrypto
import MusterModel
import MusterStore
import MusterSync
import Testing

@testable import MusterReplica

@Suite("Unauthorized writes")
struct ForgeryTests {
  /// Ada commands; Ben and Cleo are members. Ben's device is modified: it signs entries that its
  /// role does not allow.
  private func valley() throws -> Valley { try Valley.with("Ada", "Ben", "Cleo") }

  /// Lets Ben sign entries, and checks that no state changes.
  private func expectNothing(
    of operations: [Operation], lane: Lane = .state, in valley: inout Valley
  ) throws {
    let before = try valley.hashes()
    let frames = try valley.ask("Ada") { try $0.status(now: $1) }.frames
    try valley.at("Ben") { replica, now in
      try replica.transact(now: now) { try $0.core.append([operations], lane: lane, now: now) }
    }
    try valley.converge()

    #expect(try valley.hashes() == before, "it shows nowhere")
    for name in valley.names {
      let status = try valley.ask(name) { try $0.status(now: $1) }
      #expect(status.frames > frames, "it is held, so that it is not sent again for ever")
      #expect(!status.stateIsIncomplete)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  private func user(_ name: String, in valley: Valley) -> UserID {
    valley.laptops[valley.index(name)].credentials.user
  }

  @Test func `a fence that a member added is shown nowhere`() throws {
    var valley = try valley()
    let origin = RowOrigin(owner: user("Ben", in: valley), nonce: Bytes16(high: 1, low: 2))
    let row = RowID(operation: valley.laptops[0].credentials.operation, origin: origin)

    try expectNothing(
      of: [
        .write(Write(row: row, field: .fenceExistence, value: .mark, origin: origin)),
        .write(Write(row: row, field: .fenceName, value: .text("Free beer"))),
        .write(Write(row: row, field: .fenceKind, value: .code(FenceKind.muster.rawValue))),
        .write(Write(row: row, field: .fenceGeometry, value: .geometry(circle(metres: 100)))),
        .write(Write(row: row, field: .fenceActive, value: .code(1))),
      ], in: &valley)

    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in try replica.queries.fences() }.isEmpty)
    }
  }

  @Test func `a member cannot edit, delete or downgrade another's report`() throws {
    var valley = try valley()
    let id = try valley.at("Cleo") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Gas", toEvacuate: true)), now: $1)
    }
    try valley.converge()
    let key = RowKey(kind: .report, id: id)
    let state = try #require(try valley.laptops[1].store.row(key))

    try expectNothing(
      of: [
        .write(
          Write(
            row: id, field: .reportTitle, value: .text("Perfume"),
            supersedes: state.dots(of: .reportTitle))),
        .write(
          Write(
            row: id, field: .reportExistence, value: nil,
            supersedes: state.dots(of: .reportExistence))),
        .write(
          Write(
            row: id, field: .reportToEvacuate, value: nil,
            supersedes: state.dots(of: .reportToEvacuate), origin: state.origin)),
      ], lane: .urgent, in: &valley)

    let report = try valley.ask("Ada") { replica, _ in try replica.queries.report(id) }
    #expect(report.title == "Gas")
    #expect(report.toEvacuate)
    #expect(report.conflicts.isEmpty)
  }

  @Test func `a member cannot report another person as safe`() throws {
    var valley = try valley()
    try valley.at("Cleo") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    try valley.converge()
    let row = RowID(raw: user("Cleo", in: valley).raw)
    let state = try #require(try valley.laptops[1].store.row(RowKey(kind: .user, id: row)))

    try expectNothing(
      of: [
        .write(
          Write(
            row: row, field: .userSafetyClaim, value: .claim(.safe, note: ""),
            supersedes: state.dots(of: .userSafetyClaim)))
      ], lane: .urgent, in: &valley)
  }

  @Test func `a crossing of another's device is ignored`() throws {
    var valley = try valley()
    let crossing = Crossing(
      type: .enter, fence: RowID(raw: Bytes16(high: 3, low: 4)),
      fenceVersion: FenceVersion(raw: .zero),
      subject: valley.laptops[valley.index("Cleo")].credentials.device, transition: 1,
      fix: fix(metresNorth: 0, second: 0), isBaseline: false)

    try expectNothing(of: [.crossing(crossing)], in: &valley)

    #expect(valley.laptops.allSatisfy { $0.crossings.isEmpty })
  }

  @Test func `an archive with a modified program forges no crossing and no position`() throws {
    var valley = try valley()
    try valley.join("County", invitedBy: "Ada", role: .archive)
    try valley.converge()
    let county = valley.laptops[valley.index("County")].credentials
    let before = try valley.hashes()
    let crossing = Crossing(
      type: .enter, fence: RowID(raw: Bytes16(high: 3, low: 4)),
      fenceVersion: FenceVersion(raw: .zero), subject: county.device, transition: 1,
      fix: fix(metresNorth: 0, second: 0), isBaseline: false)
    try valley.at("County") { replica, now in
      try replica.transact(now: now) {
        // The record that a member publishes for a fix.
        let epoch = try #require($0.core.currentEpoch)
        let position = UnpublishedPositions.Position(
          order: $0.core.own.nextRecordOrder(),
          report: PositionReport(fix: fix(metresNorth: 0, second: 0), reportedAt: now.wall),
          earlier: [])
        let stamp = try $0.core.makeStamp(.ifDue, now: now)
        let record = $0.core.own.position(
          position, of: nil, telemetry: Telemetry(), stamp: stamp, under: epoch)
        $0.core.transaction.batch.records.append(record)
        try $0.core.append([[.crossing(crossing)]], lane: .state, now: now)
        try $0.core.run(.recorded([record]), now: now)
      }
    }
    try valley.run(milliseconds: 20_000)
    #expect(valley.laptops.allSatisfy { $0.crossings.isEmpty })
    #expect(try valley.hashes() == before)
    for name in ["Ada", "Ben", "Cleo"] {
      let shown = try valley.ask(name) { try $0.statuses(now: $1).users() }
        .first { $0.id == county.user }
      #expect(shown?.callsign == "County" && shown?.fix == nil)
    }
  }

  @Test func `an own crossing counts once, however often it is signed`() throws {
    var valley = try valley()
    let crossing = Crossing(
      type: .enter, fence: RowID(raw: Bytes16(high: 3, low: 4)),
      fenceVersion: FenceVersion(raw: .zero),
      subject: valley.laptops[valley.index("Ben")].credentials.device, transition: 1,
      fix: fix(metresNorth: 0, second: 0), isBaseline: false)
    for _ in 0..<2 {
      try valley.at("Ben") { replica, now in
        try replica.transact(now: now) {
          try $0.core.append([[.crossing(crossing)]], lane: .state, now: now)
        }
      }
    }
    try valley.converge()

    for laptop in valley.laptops {
      #expect(laptop.crossings.count == 1)
      #expect(laptop.crossings.map(\.fenceName) == [""], "its fence is not known here")
    }
  }

  @Test func `an origin that does not hash to the row gives no ownership`() throws {
    var valley = try valley()
    let origin = RowOrigin(owner: user("Ben", in: valley), nonce: Bytes16(high: 1, low: 2))
    let foreign = RowOrigin(owner: user("Cleo", in: valley), nonce: Bytes16(high: 1, low: 2))
    let operation = valley.laptops[0].credentials.operation
    let row = RowID(operation: operation, origin: foreign)

    try expectNothing(
      of: [
        .write(Write(row: row, field: .reportExistence, value: .mark, origin: origin)),
        .write(Write(row: row, field: .reportTitle, value: .text("Mine"), origin: origin)),
        // Cleo's correct origin, and yet Ben may not create what she would own.
        .write(Write(row: row, field: .reportExistence, value: .mark, origin: foreign)),
      ], in: &valley)

    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.isEmpty)
  }

  @Test func `parts that their author never finished block nothing`() throws {
    var valley = try valley()
    let before = try valley.hashes()
    // Given a program that stopped in the middle of a group of entries, and restarted
    let body = FrameBody(
      writtenAt: Timestamp(milliseconds: 0), contents: .part(index: 0, count: 3, content: [1]))
    for _ in 0..<2 { try sign(body, by: "Ben", in: &valley) }
    // When it continues with a complete group
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1) }
    try valley.converge()
    // Then the report counts, and no device waits for the rest
    #expect(try valley.hashes() != before)
    for name in valley.names {
      #expect(try valley.ask(name) { try $0.status(now: $1) }.waitingFrames == 0)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  /// Lets a device sign a frame body that its writer would not create.
  private func sign(_ body: FrameBody, by name: String, in valley: inout Valley) throws {
    try valley.at(name) { replica, now in
      try replica.transact(now: now) { replica in
        let epoch = try #require(
          replica.core.currentEpoch)
        let head = try #require(replica.core.own.writer.heads[.state])
        let log = head.log
        let opening = try #require(try replica.core.store.log(log)).opening
        let place = WritePosition(
          operation: replica.core.local.operation, author: replica.core.local.author.user,
          sequence: head.sequence + 1)
        let frame = Frame.sealed(
          operation: replica.core.local.operation, log: log, sequence: head.sequence + 1,
          previous: head.hash, epoch: epoch.id, plaintext: body.encoded(writesAt: place),
          key: epoch.key,
          nonce: replica.core.own.random.nonce24(), signedBy: replica.core.local.signingKey)
        try replica.core.hold([frame], opening: opening, now: now)
        try replica.core.commit(now: now)
        try replica.core.run(.appended(opening, [frame]), now: now)
        replica.core.own.writer.reset(to: try replica.core.store.logs())
      }
    }
  }

  @Test func `a certificate that a member signs admits no device`() throws {
    var valley = try valley()
    let local = valley.laptops[valley.index("Ben")].credentials.local
    var random = DeterministicRandom(seed: valley.seed32())
    let (signingKey, agreementKey) = (random.signingKey(), random.agreementKey())
    let forged = SignedCertificate(
      Certificate(
        operation: local.operation, issuer: local.certificate.hash,
        user: UserID(operation: local.operation, firstDeviceKey: signingKey.publicKey),
        signingKey: signingKey.publicKey, agreementKey: agreementKey.publicKey, role: .command),
      signedBy: local.signingKey)

    try expectNothing(of: [.certificate(forged)], lane: .control, in: &valley)

    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in try replica.queries.devices() }.count == 3)
    }
  }

  @Test func `an epoch that a member announces is not used for writing`() throws {
    var valley = try valley()
    let announcement = EpochAnnouncement(
      id: EpochID(raw: .zero), generation: 9, base: nil, excludes: [], sealed: [])

    try expectNothing(of: [.epoch(announcement)], lane: .control, in: &valley)

    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in replica.core.control.epochs.count } == 1)
      try valley.restart(name)
      #expect(try valley.ask(name) { replica, _ in replica.core.control.epochs.count } == 1)
    }
  }

  @Test func `invented datagrams change nothing and stop nothing`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let before = try valley.hashes()
    for length in [0, 1, 5, 13, 21, 37, 200, 1200, 1201, 9000] {
      for kind in UInt8(0)...9 {
        var bytes = valley.random.bytes(length)
        if length > 0 { bytes[0] = kind }
        try valley.at("Ada") { try $0.receive([(bytes, Valley.endpoint(99), .unknown)], now: $1) }
      }
    }
    #expect(!valley.laptops[0].rejections.isEmpty)
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1) }
    try valley.converge()
    #expect(try valley.hashes() != before)
  }
}
