import MusterModel
import MusterReplica
import Testing

@Suite("Roles")
struct RoleTests {
  private func refusal(_ command: () throws -> Void) -> String? {
    do {
      try command()
      return nil
    } catch let refusal as Refusal {
      return refusal.description
    } catch {
      return "\(error)"
    }
  }

  @Test func `a member reports and comments, and neither invites nor draws fences`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let hers = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Hers")), now: $1)
    }
    let fence = try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))),
        now: $1)
    }
    try valley.converge()

    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "His")), now: $1) }
    try valley.at("Ben") { try $0.write(ReportRequests.confirm(hers), now: $1) }
    try valley.at("Ben") {
      try $0.write(ReportRequests.comment(hers, text: "I see it too"), now: $1)
    }

    let role = "this device's role is member; this requires command: ask someone of that role"
    #expect(refusal { _ = try valley.invitation(by: "Ben") } == role)
    #expect(
      refusal {
        try valley.at("Ben") {
          try $0.write(
            FenceRequests.add(FenceDraft(name: "Mine", kind: .info, geometry: circle(metres: 1))),
            now: $1)
        }
      } == role)
    #expect(
      refusal {
        try valley.at("Ben") { try $0.write(FenceRequests.setActive(fence, false), now: $1) }
      } == role)
    #expect(
      refusal { try valley.at("Ben") { try $0.write(FenceRequests.delete(fence), now: $1) } }
        == role)
    #expect(refusal { try valley.at("Ben") { try $0.rotateEpoch(now: $1) } } == role)
    #expect(
      refusal {
        try valley.at("Ben") {
          try $0.write(ReportRequests.edit(hers, ReportChanges(title: "?")), now: $1)
        }
      }?.hasPrefix("only its owner or command may") == true)
    #expect(
      refusal { try valley.at("Ben") { try $0.write(ReportRequests.delete(hers), now: $1) } }?
        .hasPrefix("only its owner or command may") == true)

    // The rejections had no effect: all converge and continue.
    try valley.converge()
    let report = try valley.ask("Ada") { replica, _ in try replica.queries.report(hers) }
    #expect(report.title == "Hers")
    #expect(report.confirmations == ["Ben"])
    #expect(report.comments.map(\.text) == ["I see it too"])
  }

  @Test func `an observer reads, reports their safety, and writes no report`() throws {
    var valley = try Valley.with("Ada")
    try valley.join("Olga", invitedBy: "Ada", role: .observer)
    let id = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()

    #expect(
      try valley.ask("Olga") { replica, _ in try replica.queries.reports() }.map(\.title) == [
        "Smoke"
      ])
    try valley.at("Olga") { try $0.write(PersonRequests.claim(.needsHelp, note: "lost"), now: $1) }
    let role =
      "this device's role is observer; this requires command or member: ask someone of that role"
    #expect(
      refusal {
        try valley.at("Olga") { try $0.write(ReportRequests.add(ReportDraft(title: "?")), now: $1) }
      }
        == role)
    #expect(
      refusal { try valley.at("Olga") { try $0.write(ReportRequests.confirm(id), now: $1) } }
        == role)
    #expect(
      refusal {
        try valley.at("Olga") { try $0.write(ReportRequests.comment(id, text: "?"), now: $1) }
      } == role)

    try valley.converge()
    let users = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    let olga = try #require(users.first { $0.callsign == "Olga" })
    #expect(olga.safety == .unsafe)
    #expect(olga.reason == "asked for help: lost")
    #expect(olga.role == .observer)
  }

  @Test func `an archive reads, its receipts count, and it writes nothing about the operation`()
    throws
  {
    // Given Ben, in reach of the archive only
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("County", invitedBy: "Ada", role: .archive)
    try valley.converge()
    valley.cut(["Ada"], ["Ben", "County"])
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    // Then he sees that the archive has his report, and that command has not.
    let elapsed = try valley.wait(upTo: 60_000) { valley in
      try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }.delivery.archive
    }
    #expect(elapsed != nil)
    let shown = try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }.delivery
    #expect(!shown.commandPost)
    #expect(shown.text.hasPrefix("on 2 of 3 devices · not yet at the command post · archive ✓"))
    // The archive reads the report,
    let read = try valley.ask("County") { replica, _ in try replica.queries.reports() }
    #expect(read.map(\.title) == ["Smoke"])
    // and writes nothing.
    for write in [
      ReportRequests.confirm(id), PersonRequests.claim(.needsHelp, note: ""),
      PersonRequests.setCallsign("Ben", of: valley.laptops[valley.index("Ben")].credentials.user),
    ] {
      let reason = refusal { try valley.at("County") { try $0.write(write, now: $1) } }
      #expect(reason?.hasPrefix("this device's role is archive; this requires") == true)
    }
    // When it is revoked
    valley.heal()
    try valley.converge()
    let device = valley.laptops[valley.index("County")].credentials.device
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    try valley.run(milliseconds: 10_000)
    // Then its receipts do not count any more, and new data stays sealed to it.
    let next = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Fire")), now: $1)
    }
    try valley.run(milliseconds: 30_000)
    for report in [id, next] {
      let figure = try valley.ask("Ben") { replica, _ in try replica.queries.report(report) }
      #expect(!figure.delivery.archive && figure.delivery.commandPost)
    }
    let held = try valley.ask("County") { replica, _ in try replica.queries.reports() }
    #expect(!held.map(\.title).contains("Fire"))
    let users = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    #expect(users.first { $0.callsign == "County" }?.role == .archive)
  }

  @Test func `receipts of an archived device state what the database has, and nothing newer`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("County", invitedBy: "Ada", role: .archive)
    try valley.ask("County") { $0.confirmArchived([], now: $1) }
    func report(_ title: String) throws -> RowID {
      try valley.at("Ben") {
        try $0.write(ReportRequests.add(ReportDraft(title: title)), now: $1)
      }
    }
    func isArchived(_ id: RowID) throws -> Bool {
      try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }.delivery.archive
    }
    func commit() throws {
      try valley.ask("County") { replica, now in
        replica.confirmArchived(try replica.queries.logStates(), now: now)
      }
    }
    // Given a report that the archive's device holds, and the database not
    let first = try report("First")
    try valley.converge()
    try valley.run(milliseconds: 30_000)
    #expect(try !isArchived(first))
    // When the database has it, then its receipt comes, for that and not for what follows.
    try commit()
    try valley.run(milliseconds: 10_000)
    #expect(try isArchived(first))
    let second = try report("Second")
    try valley.converge()
    try valley.run(milliseconds: 30_000)
    #expect(try isArchived(first) && !isArchived(second))
    // A restart takes nothing back and promises nothing.
    try valley.restart("County")
    try valley.ask("County") { $0.confirmArchived([], now: $1) }
    try valley.run(milliseconds: 30_000)
    #expect(try isArchived(first) && !isArchived(second))
    try commit()
    try valley.run(milliseconds: 10_000)
    #expect(try isArchived(second))
  }

  @Test func `a relay holds everything, reads nothing, and forwards it`() throws {
    // Given Ada and Ben who are never in range, and a relay that moves between them
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Relay", invitedBy: "Ada", role: .relay)
    try valley.converge()
    valley.cut(["Ada", "Relay"], ["Ben"])
    let id = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.run(milliseconds: 10_000)

    // Then it holds what it cannot read
    let relay = try valley.ask("Relay") { try $0.status(now: $1) }
    let ada = try valley.ask("Ada") { try $0.status(now: $1) }
    #expect(relay.root == ada.root)
    #expect(relay.frames == ada.frames)
    #expect(relay.waitingFrames > 0)
    #expect(relay.stateIsIncomplete)
    #expect(relay.stateHash != ada.stateHash)
    #expect(try valley.ask("Relay") { replica, _ in try replica.queries.reports() }.isEmpty)
    #expect(try valley.laptops[valley.index("Relay")].store.epochKeys().isEmpty)
    #expect(try valley.ask("Relay") { replica, _ in try replica.verify() }.problems == [])

    // When it has moved to the other side
    valley.cut(["Ada"], ["Ben", "Relay"])
    let elapsed = try valley.wait(upTo: 60_000) {
      try $0.ask("Ben") { replica, _ in try replica.queries.reports() }.map(\.id) == [id]
    }

    #expect(elapsed != nil)
    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }.ownerCallsign == "Ada")
  }

  @Test func `a relay's write is rejected with the reason, and it stays connected`() throws {
    var valley = try Valley.with("Ada")
    try valley.join("Relay", invitedBy: "Ada", role: .relay)
    try valley.converge()

    #expect(
      refusal {
        try valley.at("Relay") { try $0.write(PersonRequests.setCallsign("Relay"), now: $1) }
      }
        == "this device's role is relay; this requires command or member or observer or archive: "
        + "ask someone of that role")
    #expect(
      refusal {
        try valley.at("Relay") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
      }
        == "this device's role is relay; this requires command or member or observer: "
        + "ask someone of that role")
    #expect(
      try valley.ask("Relay") { try $0.status(now: $1) }.peers.map(\.isConnected) == [true])
  }

  @Test func `a member without a key must wait, and stays connected`() throws {
    var valley = Valley()
    try valley.found("Ada")
    var enrolment = Enrolment(seed: valley.seed32())
    let joining = try valley.attempt(
      &enrolment, invitation: valley.invitation(by: "Ada"), from: Valley.endpoint(1))
    guard case .joined(let credentials, _) = joining else {
      throw Valley.JoinFailure(joining: "\(joining)")
    }
    try valley.switchOn(credentials, as: "Ben", store: .inMemory(), path: nil)

    let wait = "no group key has arrived yet: wait until a peer sends it"
    #expect(
      refusal { try valley.at("Ben") { try $0.write(PersonRequests.setCallsign("Ben"), now: $1) } }
        == wait)

    // When it has met Ada, it has requested the key.
    try valley.at("Ben") { try $0.contact([Valley.endpoint(0)], now: $1) }
    try valley.converge()
    try valley.at("Ben") { try $0.write(PersonRequests.setCallsign("Ben"), now: $1) }
    try valley.converge()
    #expect(
      try valley.ask("Ada") { try $0.statuses(now: $1).users() }.map(\.callsign).contains("Ben"))
  }

  @Test func `a value that no replica would show is rejected, and no connection is lost`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let before = try valley.ask("Ben") { try $0.status(now: $1) }

    let long = String(repeating: "x", count: Limits.lineBytes + 1)
    #expect(
      refusal {
        try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: long)), now: $1) }
      }
        == "the title is 201 bytes long; at most 200 are allowed")
    #expect(
      refusal {
        try valley.at("Ben") {
          try $0.write(ReportRequests.add(ReportDraft(title: "Smoke", severity: 6)), now: $1)
        }
      } == "the severity is out of range")
    let wide = String(repeating: "ä", count: Limits.paragraphBytes / 2 + 1)
    #expect(
      refusal {
        try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: wide), now: $1) }
      }
        != nil)

    let after = try valley.ask("Ben") { try $0.status(now: $1) }
    #expect(after.frames == before.frames)
    #expect(after.peers.map(\.isConnected) == [true])
  }
}
