import MusterModel
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

/// Calls for help whose callers are not proven (decision 0099), on real nodes.
@Suite("Unverified calls")
struct UnverifiedCallTests {
  private static let noon = Timestamp(milliseconds: 1_750_000_000_000)

  private func call(
    _ credential: String, name: String = "Rui", note: String = "leg broken", second: Int64? = 0,
    metresNorth: Int64? = 100, cause: UnverifiedCause = .sharedToken
  ) -> UnverifiedCall {
    UnverifiedCall(
      credential: credential, name: name, address: "10.0.0.7", note: note,
      position: metresNorth.map { place(metresNorth: $0) },
      madeAt: second.map { Timestamp(milliseconds: Self.noon.milliseconds + $0 * 1000) },
      cause: cause)
  }

  @discardableResult
  private func raise(
    _ call: UnverifiedCall, at name: String, in valley: inout Valley
  ) throws -> RowID {
    try valley.at(name) { try $0.write(UnverifiedCallRequests.raise(call), now: $1) }
  }

  private func close(
    _ id: RowID, reason: String = "false alarm", at name: String, in valley: inout Valley
  ) throws {
    try valley.at(name) { try $0.write(UnverifiedCallRequests.close(id, reason: reason), now: $1) }
  }

  private func confirm(
    _ id: RowID, as person: String, at name: String, in valley: inout Valley
  ) throws {
    try valley.at(name) { replica, now in
      let user = try replica.statuses(now: now).user(named: person)
      return try replica.write(UnverifiedCallRequests.confirm(id, as: user), now: now)
    }
  }

  private func calls(
    at name: String, ended: Bool = false, in valley: inout Valley
  ) throws -> UnverifiedCalls {
    try valley.ask(name) { replica, _ in
      try replica.queries.unverifiedCalls(includesEnded: ended)
    }
  }

  private func alerts(at name: String, in valley: inout Valley) throws -> [Alert] {
    try valley.ask(name) { try $0.alerts(now: $1) }
  }

  private func status(
    of person: String, at name: String, in valley: inout Valley
  ) throws -> PersonStatus {
    try #require(
      try valley.ask(name) { try $0.statuses(now: $1).users() }.first { $0.callsign == person }
    ).status
  }

  private func frames(at name: String, in valley: inout Valley) throws -> Int {
    try valley.ask(name) { replica, _ in try replica.queries.framesHeld() }
  }

  // MARK: The way to command

  @Test func `a call reaches command over a laptop between them, and no status changes`() throws {
    // Given a member that command reaches only through another laptop
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.converge()
    valley.lineUp("Ada", "Ben", "Cleo")
    let before = try status(of: "Ben", at: "Ada", in: &valley)
    // When a phone without a proven caller calls through Cleo's laptop
    let id = try raise(call("token"), at: "Cleo", in: &valley)
    try valley.converge()
    // Then every node shows all that it states
    for name in valley.names {
      let shown = try calls(at: name, in: &valley)
      let found = try #require(shown.items.first, "at \(name)")
      #expect(shown.items.count == 1 && shown.further == 0)
      #expect(found.id == id && found.name == "Rui" && found.address == "10.0.0.7")
      #expect(found.note == "leg broken" && found.position == place(metresNorth: 100))
      #expect(found.madeAt == Self.noon && found.cause == .sharedToken)
      #expect(found.receivedBy == "Cleo" && found.state == .open)
    }
    // and there is one warning, at command and where it was received
    for (name, count) in [("Ada", 1), ("Ben", 0), ("Cleo", 1)] {
      let found = try alerts(at: name, in: &valley).filter { $0.id.kind == .unverifiedCall }
      #expect(found.count == count, "at \(name)")
      #expect(found.allSatisfy { $0.level == .warning })
    }
    #expect(
      try alerts(at: "Ada", in: &valley).first?.text == "unverified call for help: Rui")
    // and no person is in danger by it
    #expect(try status(of: "Ben", at: "Ada", in: &valley) == before)
    #expect(try !alerts(at: "Ada", in: &valley).contains { $0.level == .danger })
  }

  @Test func `a repeated message writes nothing, and a new one renews the open call`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try raise(call("token"), at: "Ben", in: &valley)
    let held = try frames(at: "Ben", in: &valley)
    #expect(try raise(call("token"), at: "Ben", in: &valley) == id)
    #expect(try frames(at: "Ben", in: &valley) == held)
    // A later message without a note leaves the note
    let later = call("token", note: "", second: 60, metresNorth: 300)
    #expect(try raise(later, at: "Ben", in: &valley) == id)
    try valley.converge()
    let found = try #require(try calls(at: "Ada", in: &valley).items.first)
    #expect(found.messages == 2 && found.note == "leg broken")
    #expect(found.position == place(metresNorth: 300))
    #expect(found.madeAt == Timestamp(milliseconds: Self.noon.milliseconds + 60_000))
    // Another credential is another call
    #expect(try raise(call("other"), at: "Ben", in: &valley) != id)
    #expect(try calls(at: "Ben", in: &valley).items.count == 2)
  }

  @Test func `a phone that repeats itself does not fill the log`() throws {
    var valley = try Valley.with("Ada")
    for second in 0..<1000 {
      try raise(call("token", second: Int64(second)), at: "Ada", in: &valley)
    }
    let found = try #require(try calls(at: "Ada", in: &valley).items.first)
    #expect(found.messages == 16)
    // After a minute it is written again
    try valley.run(milliseconds: 61_000)
    try raise(call("token", second: 2000), at: "Ada", in: &valley)
    #expect(try calls(at: "Ada", in: &valley).items.first?.messages == 17)
  }

  @Test func `texts that no replica accepts are corrected, and the call arrives`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let odd = UnverifiedCall(
      credential: "", name: "Ru\u{0}i\n\u{202E}", address: String(repeating: "ü", count: 300),
      note: String(repeating: "🔥", count: 2000), position: nil, madeAt: nil)
    try raise(odd, at: "Ben", in: &valley)
    try valley.converge()
    let found = try #require(try calls(at: "Ada", in: &valley).items.first)
    #expect(found.name == "Ru i  ")
    #expect(found.address == String(repeating: "ü", count: 100))
    #expect(found.note == String(repeating: "🔥", count: 256))
    #expect(found.cause == .unstated && found.position == nil && found.madeAt == nil)
  }

  // MARK: What command decides

  @Test func `a closed call is listed with its reason, and a new message opens it again`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try raise(call("token"), at: "Ben", in: &valley)
    try valley.converge()
    #expect(throws: Refusal.self) { try close(id, at: "Ben", in: &valley) }
    #expect(throws: Refusal.self) { try close(id, reason: " ", at: "Ada", in: &valley) }
    try close(id, at: "Ada", in: &valley)
    try valley.converge()
    for name in valley.names {
      #expect(try calls(at: name, in: &valley) == UnverifiedCalls(items: [], further: 0))
      let ended = try #require(try calls(at: name, ended: true, in: &valley).items.first)
      #expect(ended.state == .closed && ended.reason == "false alarm" && ended.decidedBy == "Ada")
      #expect(try alerts(at: name, in: &valley).isEmpty)
    }
    #expect(throws: Refusal.self) { try close(id, at: "Ada", in: &valley) }
    // The same message is no new call; a later one is
    try raise(call("token"), at: "Ben", in: &valley)
    #expect(try calls(at: "Ben", in: &valley).items.isEmpty)
    try raise(call("token", note: "worse", second: 5), at: "Ben", in: &valley)
    try valley.converge()
    let again = try #require(try calls(at: "Ada", in: &valley).items.first)
    #expect(again.id == id && again.messages == 1 && again.note == "worse")
    #expect(try alerts(at: "Ada", in: &valley).count == 1)
  }

  @Test func `a call stays open if the commander who closed it had not received its last message`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    let id = try raise(call("token"), at: "Ben", in: &valley)
    try valley.converge()
    valley.cut(["Ada"], ["Ben"])
    try close(id, at: "Ada", in: &valley)
    try raise(call("token", note: "water rises", second: 30), at: "Ben", in: &valley)
    valley.heal()
    try valley.converge()
    for name in valley.names {
      #expect(try calls(at: name, in: &valley).items.map(\.note) == ["water rises"], "at \(name)")
    }
    // The next decision has received it
    try close(id, at: "Ada", in: &valley)
    try valley.converge()
    for name in valley.names { #expect(try calls(at: name, in: &valley).items.isEmpty) }
  }

  @Test func `of two concurrent decisions the one that names the caller is shown`() throws {
    var valley = try Valley.with("Ada", "Cleo")
    try valley.join("Ben", invitedBy: "Ada", role: .command)
    let id = try raise(call("token"), at: "Cleo", in: &valley)
    try valley.converge()
    valley.cut(["Ada"], ["Ben", "Cleo"])
    try close(id, at: "Ada", in: &valley)
    try confirm(id, as: "Cleo", at: "Ben", in: &valley)
    valley.heal()
    try valley.converge()
    for name in valley.names {
      let ended = try #require(try calls(at: name, ended: true, in: &valley).items.first)
      #expect(ended.state == .confirmed && ended.personName == "Cleo" && ended.decidedBy == "Ben")
      #expect(try status(of: "Cleo", at: name, in: &valley) == .mayday)
    }
  }

  @Test func `a call that command confirms is a MAYDAY of that person with all that it states`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Rui")
    let id = try raise(call("token"), at: "Ben", in: &valley)
    try valley.converge()
    #expect(throws: Refusal.self) { try confirm(id, as: "Rui", at: "Ben", in: &valley) }
    #expect(throws: Refusal.self) { try confirm(id, as: "Unknown", at: "Ada", in: &valley) }
    try confirm(id, as: "Rui", at: "Ada", in: &valley)
    try valley.converge()
    for name in valley.names {
      let people = try valley.ask(name) { try $0.statuses(now: $1).users() }
      let rui = try #require(people.first { $0.callsign == "Rui" })
      #expect(rui.status == .mayday, "at \(name)")
      for part in ["leg broken", "in the name of Rui", "\(Self.noon)", "10.0.0.7", "position "] {
        #expect(rui.override?.note.contains(part) == true, "\(part)")
      }
      #expect(try calls(at: name, in: &valley).items.isEmpty)
      let ended = try #require(try calls(at: name, ended: true, in: &valley).items.first)
      #expect(ended.state == .confirmed && ended.personName == "Rui" && ended.decidedBy == "Ada")
    }
    let raised = try alerts(at: "Ada", in: &valley)
    #expect(raised.map(\.id.kind) == [.help] && raised[0].level == .danger)
  }

  @Test func `an acknowledged alert waits again only for a further call`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try raise(call("first"), at: "Ben", in: &valley)
    try valley.converge()
    func review(_ name: String) throws -> [AlertChange] {
      try valley.at(name) { replica, now in
        let outcome = try replica.reviewAlerts(now: now)
        return (outcome.alertChanges, outcome)
      }
    }
    func isAcknowledged() throws -> Bool? {
      try alerts(at: "Ada", in: &valley).first.map { $0.acknowledgement != nil }
    }
    _ = try review("Ada")
    let id = try #require(try alerts(at: "Ada", in: &valley).first).id
    try valley.at("Ada") { try $0.acknowledgeAlert("\(id)", by: nil, now: $1) }
    _ = try review("Ada")
    #expect(try isAcknowledged() == true)
    // A further message of the same call
    try raise(call("first", second: 60), at: "Ben", in: &valley)
    try valley.converge()
    #expect(try review("Ada").isEmpty)
    #expect(try isAcknowledged() == true)
    // Another call
    try raise(call("second", name: "Eva"), at: "Ben", in: &valley)
    try valley.converge()
    let changes = try review("Ada")
    #expect(changes.count == 1)
    #expect(try isAcknowledged() == false)
    #expect(
      try alerts(at: "Ada", in: &valley).map(\.text)
        == ["2 unverified calls for help, newest: Eva"])
  }

  // MARK: Bounds

  @Test func `10,000 invented credentials hide neither a MAYDAY nor a removed login`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.checksInvariants = false
    try valley.converge()
    let before = try frames(at: "Ben", in: &valley)
    for first in stride(from: 0, to: 10_000, by: 500) {
      try valley.at("Ben") { replica, now in
        try replica.gather(now: now) { replica in
          for number in first..<first + 500 {
            _ = try replica.write(
              UnverifiedCallRequests.raise(
                call("invented \(number)", name: "Caller \(number)", second: Int64(number))),
              now: now)
          }
        }
      }
    }
    // The log holds a bounded number of them
    let written = try frames(at: "Ben", in: &valley) - before
    #expect(written < 200, "\(written) frames")
    // A removed login, a call at another laptop and a MAYDAY arrive as without them
    let mine = try raise(
      call("token of Rui", cause: .removedLogin), at: "Ben", in: &valley)
    let other = try raise(call("token", name: "Eva"), at: "Cleo", in: &valley)
    try valley.at("Ben") {
      try $0.write(PersonRequests.claim(.needsHelp, note: "fall"), now: $1)
    }
    try valley.converge()
    let shown = try calls(at: "Ada", in: &valley)
    #expect(shown.items.count == Limits.shownUnverifiedCalls)
    #expect(Set([mine, other]).isSubset(of: shown.items.map(\.id)))
    // A flood is counted to half at once
    #expect((5_000...10_002).contains(shown.items.count + shown.further))
    let raised = try alerts(at: "Ada", in: &valley)
    #expect(raised.count(where: { $0.id.kind == .unverifiedCall }) == 1)
    #expect(raised.first?.id.kind == .help && raised.first?.level == .danger)
    #expect(try status(of: "Ben", at: "Ada", in: &valley) == .mayday)
    // and exactly with the next call after ten seconds, which has its place in the shared row
    try valley.run(milliseconds: 11_000)
    try raise(call("invented", name: "Last", second: 99_999), at: "Ben", in: &valley)
    try valley.converge()
    let later = try calls(at: "Ada", in: &valley)
    #expect(later.items.count + later.further == 10_003)
    #expect(later.items.first { $0.others > 9000 }?.name == "Last")
  }

  @Test func `calls beyond the bound share one row, which command ends as one`() throws {
    var valley = try Valley.with("Ada")
    for number in 0..<Limits.unverifiedCallsPerDevice + 3 {
      try raise(
        call("invented \(number)", name: "Caller \(number)", second: Int64(number)), at: "Ada",
        in: &valley)
    }
    let shown = try calls(at: "Ada", in: &valley)
    let newest = try #require(shown.items.first { $0.others > 0 })
    #expect(newest.name == "Caller 66" && newest.others == 2)
    #expect(shown.items.count + shown.further == Limits.unverifiedCallsPerDevice + 3)
    // The count outlives a restart
    try valley.restart("Ada")
    try raise(call("late", name: "Late", second: 900), at: "Ada", in: &valley)
    let later = try #require(try calls(at: "Ada", in: &valley).items.first { $0.others > 0 })
    #expect(later.id == newest.id && later.name == "Late" && later.others == 3)
    try close(newest.id, at: "Ada", in: &valley)
    let rest = try calls(at: "Ada", in: &valley)
    #expect(rest.items.count + rest.further == Limits.unverifiedCallsPerDevice)
    // A closed call leaves its place
    try close(try #require(rest.items.first).id, at: "Ada", in: &valley)
    let fresh = try raise(call("fresh", second: 1000), at: "Ada", in: &valley)
    #expect(fresh != newest.id)
    #expect(try calls(at: "Ada", in: &valley).items.allSatisfy { $0.others == 0 })
  }

  // MARK: Authors

  @Test func `what a revoked device writes about calls has no effect`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try raise(call("before"), at: "Ben", in: &valley)
    try valley.converge()
    valley.cut(["Ada"], ["Ben", "Cleo"])
    let device = valley.laptops[valley.index("Ben")].credentials.local.device
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    try raise(call("after", name: "Thief"), at: "Ben", in: &valley)
    try valley.run(milliseconds: 20_000)
    valley.heal()
    try valley.converge()
    for name in ["Ada", "Cleo"] {
      #expect(try calls(at: name, in: &valley).items.map(\.name) == ["Rui"], "at \(name)")
    }
    #expect(throws: Refusal.self) { try raise(call("again"), at: "Ben", in: &valley) }
  }

  @Test func `calls and decisions outlive a restart, and verify`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    let open = try raise(call("open"), at: "Ben", in: &valley)
    let ended = try raise(call("ended", name: "Eva"), at: "Ben", in: &valley)
    try valley.converge()
    try close(ended, at: "Ada", in: &valley)
    try valley.converge()
    let hashes = try valley.hashes()
    let before = try calls(at: "Ada", ended: true, in: &valley)
    #expect(before.items.map(\.id) == [open, ended])
    for name in valley.names { try valley.restart(name) }
    #expect(try valley.hashes() == hashes)
    #expect(try calls(at: "Ada", ended: true, in: &valley) == before)
    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    // The restarted device knows the message
    let held = try frames(at: "Ben", in: &valley)
    try raise(call("open"), at: "Ben", in: &valley)
    #expect(try frames(at: "Ben", in: &valley) == held)
  }

  @Test func `a call at an observer's laptop reaches command, which alone ends it`() throws {
    var valley = try Valley.with("Ada")
    try valley.join("Olga", invitedBy: "Ada", role: .observer)
    try valley.converge()
    let id = try raise(call("token"), at: "Olga", in: &valley)
    try valley.converge()
    #expect(try calls(at: "Ada", in: &valley).items.map(\.id) == [id])
    #expect(throws: Refusal.self) { try close(id, at: "Olga", in: &valley) }
    try close(id, at: "Ada", in: &valley)
    try valley.converge()
    #expect(try calls(at: "Olga", in: &valley).items.isEmpty)
  }
}
