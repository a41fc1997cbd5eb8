import MusterAttackers
import MusterCrypto
import MusterModel
import MusterSync
import Testing

@testable import MusterReplica

/// Check-ins under duress on real nodes (decision 0047): Ada and Dora are command, Ben and Cleo are
/// members.
@Suite("Duress")
struct DuressTests {
  private static let hourly = CheckInDraft(
    durationSeconds: 3600, repeats: true, note: "north ridge")
  private static let pins = (usual: "2580", duress: "2581")

  private func valley(seed: UInt64 = 1, running: Bool = true) throws -> Valley {
    var valley = try Valley.with("Ada", "Ben", "Cleo", seed: seed)
    try valley.join("Dora", invitedBy: "Ada", role: .command)
    try valley.converge()
    try set(Self.pins, at: "Ben", in: &valley)
    guard running else { return valley }
    try valley.at("Ben") {
      try $0.write(CheckInRequests.start(Self.hourly, of: [], pin: Self.pins.usual), now: $1)
        .outcome
    }
    try valley.converge()
    return valley
  }

  private func set(
    _ pins: (usual: String, duress: String)?, current: String? = nil, at name: String,
    in valley: inout Valley
  ) throws {
    try valley.at(name) { try $0.setCheckInPins(pins, current: current, cost: .minimum, now: $1) }
  }

  private func report(
    _ pin: String?, as kind: CheckInReportKind = .ok, by name: String = "Ben",
    in valley: inout Valley
  ) throws {
    try valley.at(name) {
      try $0.write(
        CheckInRequests.report(kind, of: nil, timer: nil, seconds: 60, note: "", pin: pin), now: $1)
    }
    try valley.converge()
  }

  private func alert(_ name: String, in valley: inout Valley) throws -> Alert? {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }.first { $0.id.kind == .duress }
  }

  /// Who sees a call under duress in any alert or status.
  private func alarmed(in valley: inout Valley) throws -> [String] {
    try valley.names.filter { name in
      let alert = try alert(name, in: &valley)
      let kinds = try valley.ask(name) { try $0.alerts(now: $1) }.map(\.id.kind)
      #expect(!kinds.contains(.help), "a call under duress is no call that all may see")
      let people = try valley.ask(name) { try $0.statuses(now: $1).users() }
      let inDistress = people.filter { $0.has(.mayday) }.map(\.callsign)
      #expect(inDistress == (alert == nil ? [] : ["Ben"]), "at \(name)")
      return alert != nil
    }
  }

  private func user(_ name: String, in valley: inout Valley) throws -> UserID {
    try #require(
      valley.ask("Ada") { try $0.statuses(now: $1).users() }.first { $0.callsign == name }
    ).id
  }

  private func fields(at name: String, in valley: inout Valley) throws -> [[UInt8]] {
    try valley.ask(name) { replica, _ in
      try replica.core.store.rows(.checkIn).flatMap { row in
        row.values(of: .checkInSealed).compactMap { value in
          guard case .bytes(let bytes) = value.value else { return nil }
          return bytes
        }
      }
    }
  }

  // MARK: Who sees it

  @Test(arguments: [CheckInReportKind.ok, .extend, .stop])
  func `a forced check-in alarms command, and no one else`(kind: CheckInReportKind) throws {
    var valley = try valley()
    #expect(try alarmed(in: &valley) == [], "the usual PIN calls no one")
    try report(Self.pins.duress, as: kind, in: &valley)
    #expect(try alarmed(in: &valley) == ["Ada", "Dora"])
    let seen = try #require(try alert("Dora", in: &valley))
    #expect(seen.level == .danger && seen.text.hasPrefix("Ben: checked in under duress"))
    let ben = try valley.ask("Ada") { try $0.statuses(now: $1).users() }.first {
      $0.callsign == "Ben"
    }
    #expect(ben?.status == .mayday && ben?.reason == "checked in under duress")
    for name in valley.names {
      let states = try valley.ask(name) { try $0.statuses(now: $1).checkIns() }.map(\.state)
      #expect(states == [kind == .stop ? .done : .running], "at \(name)")
    }
  }

  @Test func `a timeline for others has no page and no cursor that shows a call`() throws {
    var valley = try valley()
    func look() throws {
      try valley.at("Ada") { replica, now in
        try replica.refreshStatuses(now: now)
        return try replica.keepHistory(now: now)
      }
      try valley.run(milliseconds: 2000)
    }
    let start = valley.clock.wall
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    try look()
    try report(Self.pins.duress, in: &valley)
    try look()
    try valley.at("Cleo") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    try valley.converge()
    try look()
    /// All events, read one by one.
    func events(hidesDuress: Bool) throws -> [HistoryEvent] {
      let range = start...valley.clock.wall
      var (events, cursor) = ([HistoryEvent](), HistoryCursor?.none)
      repeat {
        let page = try valley.ask("Ada") {
          try $0.historyEvents(
            in: range, after: cursor, limit: 1, hidesDuress: hidesDuress, now: $1)
        }
        #expect(page.events.count == 1, "a page without an event would show that one is hidden")
        events += page.events
        #expect(page.next == nil || page.next == page.events.last.map(HistoryCursor.init))
        cursor = page.next
      } while cursor != nil
      return events
    }
    let shown = try events(hidesDuress: true)
    let all = try events(hidesDuress: false)
    #expect(all.contains { $0.conditions?.after.contains(.underDuress) == true })
    #expect(shown == all.compactMap(\.withoutDuress) && shown.count < all.count)
    #expect(shown.contains { $0.callsign == "Cleo" && $0.kind == .status })
  }

  @Test func `a forced start alarms command too`() throws {
    var valley = try valley(running: false)
    try valley.at("Ben") {
      try $0.write(CheckInRequests.start(Self.hourly, of: [], pin: Self.pins.duress), now: $1)
        .outcome
    }
    try valley.converge()
    #expect(try alarmed(in: &valley) == ["Ada", "Dora"])
  }

  @Test func `a call is found although a later check-in superseded it on the way`() throws {
    var valley = try valley()
    valley.cut(["Ada", "Dora"], ["Ben", "Cleo"])
    try valley.at("Ben") {
      try $0.write(
        CheckInRequests.report(
          .ok, of: nil, timer: nil, seconds: 0, note: "", pin: Self.pins.duress), now: $1)
    }
    try valley.run(milliseconds: 5000)
    try valley.at("Ben") {
      try $0.write(
        CheckInRequests.report(
          .ok, of: nil, timer: nil, seconds: 0, note: "", pin: Self.pins.usual), now: $1)
    }
    valley.heal()
    try valley.converge()
    #expect(try alarmed(in: &valley) == ["Ada", "Dora"])
  }

  @Test func `members see the same of a forced check-in as of any other`() throws {
    var seen: [[String]] = []
    var lengths: [[Int]] = []
    for pin in [Self.pins.usual, Self.pins.duress] {
      var valley = try valley(seed: 7)
      try report(pin, in: &valley)
      try valley.run(milliseconds: 10_000)
      var lines: [String] = []
      for name in ["Ben", "Cleo"] {
        _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
        lines += try valley.ask(name) { try $0.alerts(now: $1) }.map { "\($0.id) \($0.text)" }
        lines += try valley.ask(name) { try $0.statuses(now: $1).users() }.map {
          "\($0.callsign) \($0.status) \($0.severity) \($0.reason) \($0.conditions)"
        }
        lines += try valley.ask(name) { try $0.statuses(now: $1).checkIns() }.map {
          "\($0.id) \($0.state) \(String(describing: $0.report)) \($0.reportedBy)"
        }
        let status = try valley.ask(name) { try $0.status(now: $1) }
        lines.append("\(status.logs) \(status.frames)")
        lengths.append(try fields(at: name, in: &valley).map(\.count))
      }
      seen.append(lines)
    }
    #expect(seen[0] == seen[1])
    #expect(lengths == Array(repeating: [DuressField.byteCount], count: 4))
  }

  @Test func `a person's own command laptop does not show their call`() throws {
    var valley = try valley()
    try set(Self.pins, at: "Dora", in: &valley)
    try valley.at("Dora") {
      try $0.write(CheckInRequests.start(Self.hourly, of: [], pin: Self.pins.duress), now: $1)
        .outcome
    }
    try valley.converge()
    #expect(try alert("Dora", in: &valley) == nil)
    #expect(try alert("Ada", in: &valley)?.text.hasPrefix("Dora: ") == true)
  }

  @Test func `a revoked commander does not learn of later calls`() throws {
    var valley = try valley()
    let dora = valley.laptops[valley.index("Dora")].credentials.local
    try valley.at("Ada") { try $0.revoke(dora.device, now: $1) }
    try valley.run(milliseconds: 30_000)
    try valley.at("Ben") {
      try $0.write(
        CheckInRequests.report(
          .ok, of: nil, timer: nil, seconds: 0, note: "", pin: Self.pins.duress), now: $1)
    }
    try valley.run(milliseconds: 30_000)
    #expect(try alert("Ada", in: &valley) != nil)
    #expect(try alert("Dora", in: &valley) == nil)
    // Then not even the plaintext of the frame would show it to her.
    let (ada, ben) = (
      valley.laptops[valley.index("Ada")].credentials.local,
      valley.laptops[valley.index("Ben")].credentials.local
    )
    let row = try #require(try valley.ask("Ben") { try $0.statuses(now: $1).checkIns() }.first).id
    let context = DuressField.Context(operation: ben.operation, device: ben.device, row: row)
    let field = try #require(try fields(at: "Ben", in: &valley).first)
    #expect(DuressField.isCall(field, to: ada.agreementKey, context: context))
    #expect(!DuressField.isCall(field, to: dora.agreementKey, context: context))
  }

  // MARK: Acknowledging and clearing

  @Test func `a call under duress has no way back to the caller`() throws {
    var valley = try valley()
    try report(Self.pins.duress, in: &valley)
    let id = try #require(try alert("Ada", in: &valley)).id
    func visible() throws -> [String] {
      let call = try valley.ask("Ben") { replica, now in
        let statuses = try replica.statuses(now: now)
        return try replica.queries.callStanding(of: nil, at: statuses)
      }
      let directives = try valley.ask("Ben") { try $0.statuses(now: $1).directives() }.count
      let status = try valley.ask("Ben") { try $0.status(now: $1) }
      return ["\(call == nil)", "\(directives)", "\(status.frames)", "\(status.stateHash)"]
    }
    let before = try visible()
    #expect(before.first == "true")
    try valley.at("Ada") { try $0.acknowledgeAlert("\(id)", by: nil, now: $1) }
    let refusal = #expect(throws: Refusal.self) {
      try valley.at("Ada") { try $0.acknowledgeAlert("\(id)", by: nil, answer: "coming", now: $1) }
    }
    #expect("\(try #require(refusal))".contains("under duress"))
    try valley.run(milliseconds: 10_000)
    #expect(try visible() == before)
  }

  @Test func `an acknowledgement and the end of the alarm stay on one command laptop`() throws {
    var valley = try valley()
    try report(Self.pins.duress, in: &valley)
    try report(Self.pins.usual, in: &valley)
    #expect(try alarmed(in: &valley) == ["Ada", "Dora"], "a later check-in does not end it")
    let frames = try valley.ask("Cleo") { try $0.status(now: $1) }.frames
    let id = try #require(try alert("Ada", in: &valley)).id
    try valley.at("Ada") { try $0.acknowledgeAlert("\(id)", by: nil, now: $1) }
    try valley.run(milliseconds: 10_000)
    #expect(try alert("Ada", in: &valley)?.acknowledgement?.name == "Ada")
    #expect(try alert("Dora", in: &valley)?.acknowledgement == nil)
    let ben = try user("Ben", in: &valley)
    #expect(throws: Refusal.self, "members end nothing") {
      try valley.at("Cleo") { try $0.clearDuress(of: ben, now: $1) }
    }
    try valley.at("Ada") { try $0.clearDuress(of: ben, now: $1) }
    try valley.run(milliseconds: 10_000)
    #expect(try alarmed(in: &valley) == ["Dora"])
    #expect(try valley.ask("Cleo") { try $0.status(now: $1) }.frames == frames, "nothing was sent")
    // It stays so after a restart and when the view is derived again.
    try valley.restart("Ada")
    try valley.restart("Dora")
    try valley.at("Ada") { replica, now in
      try replica.transact(now: now) { $0.core.transaction.markViewStale() }
    }
    #expect(try alarmed(in: &valley) == ["Dora"])
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { try $0.clearDuress(of: ben, now: $1) }
    }
    try valley.converge()
    try report(Self.pins.duress, in: &valley)
    #expect(try alarmed(in: &valley) == ["Ada", "Dora"], "the next call alarms again")
  }

  // MARK: Forgery

  @Test func `a copied or truncated field calls no one, and the check-in counts`() throws {
    var valley = try valley()
    try report(Self.pins.duress, in: &valley)
    let field = try #require(try fields(at: "Cleo", in: &valley).first)
    let ben = try user("Ben", in: &valley)
    for name in ["Ada", "Dora"] { try valley.at(name) { try $0.clearDuress(of: ben, now: $1) } }
    try valley.at("Cleo") {
      try $0.write(CheckInRequests.start(Self.hourly, of: []), now: $1).outcome
    }
    try valley.converge()
    let cleo = try user("Cleo", in: &valley)
    let timers = try valley.ask("Cleo") { try $0.statuses(now: $1).checkIns() }
    let row = try #require(timers.first { $0.user == cleo }).id
    for bytes in [field, Array(field.dropLast()), []] {
      try valley.at("Cleo") { replica, now in
        let report = CheckInReport(kind: .ok, nextSeconds: 3600, note: "copied")
        return try MaliciousMember.author(
          &replica,
          unchecked: [
            .write(Write(row: row, field: .checkInSealed, value: .bytes(bytes))),
            .write(Write(row: row, field: .checkInReport, value: .checkIn(report))),
          ], lane: .urgent, now: now)
      }
      try valley.converge()
      #expect(try alarmed(in: &valley) == [])
    }
    let seen = try valley.ask("Ada") { try $0.statuses(now: $1).checkIns() }.first { $0.id == row }
    #expect(seen?.report?.note == "copied")
  }

  // MARK: PINs

  @Test func `with PINs set, a check-in requires one of them`() throws {
    var valley = try valley()
    for pin in [nil, "", "2582", "25801"] {
      #expect(throws: Refusal.self) { try report(pin, in: &valley) }
    }
    try report(Self.pins.usual, in: &valley)
    #expect(throws: Refusal.self, "no PINs are set here") {
      try valley.at("Cleo") {
        try $0.write(CheckInRequests.start(Self.hourly, of: [], pin: "2580"), now: $1).outcome
      }
    }
  }

  @Test func `PINs are replaced and removed with either, and unfit ones are refused`() throws {
    var valley = try valley()
    for unfit in [("123", "4567"), ("4567", "4567"), ("4567", String(repeating: "1", count: 65))] {
      #expect(throws: Refusal.self) {
        try set(unfit, current: Self.pins.usual, at: "Ben", in: &valley)
      }
    }
    #expect(throws: Refusal.self) { try set(("1111", "2222"), at: "Ben", in: &valley) }
    try set(("1111", "2222"), current: Self.pins.duress, at: "Ben", in: &valley)
    #expect(throws: Refusal.self) { try report(Self.pins.usual, in: &valley) }
    try report("1111", in: &valley)
    #expect(try alarmed(in: &valley) == [])
    try set(nil, current: "2222", at: "Ben", in: &valley)
    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.requiresCheckInPin() } == false)
    try report(nil, in: &valley)
    #expect(try alarmed(in: &valley) == [])
  }

  @Test func `the stored PINs do not show which is which`() throws {
    let salt = [UInt8](repeating: 5, count: PasswordHash.saltBytes)
    var meanings: Set<UInt8> = []
    for number in 0..<40 {
      let (usual, duress) = ("1\(number)00", "2\(number)00")
      let pins = try CheckInPins(usual: usual, duress: duress, salt: salt, cost: .minimum)
      let stored = pins.encoded()
      #expect(stored.count == 70)
      meanings.insert(stored[stored.count - 1])
      let read = try CheckInPins(decoding: stored)
      #expect(try read.meaning(of: usual) == .usual && read.meaning(of: duress) == .duress)
      #expect(try read.meaning(of: "3000") == nil)
    }
    #expect(meanings.count > 8, "the stored meaning is masked")
  }

  // MARK: Bounds

  @Test func `the table of calls has one entry for each device, and forgets old calls`() throws {
    var ledger = DuressLedger()
    let author = Author(
      user: UserID(raw: Bytes16(high: 1, low: 1)), device: DeviceID(raw: Bytes16(high: 2, low: 2)),
      role: .member)
    func call(_ number: Int) -> DuressCall {
      DuressCall(
        dot: Dot(frame: Bytes16(high: 3, low: UInt64(number)), index: 0), author: author)
    }
    #expect(ledger.add((0..<500).map(call)) == [author.user])
    #expect(ledger.encoded().count == 4 + 33 + 4 + 18 * DuressLedger.knownCalls)
    #expect(try DuressLedger(decoding: ledger.encoded()) == ledger)
    #expect(ledger.clear(author.user) && ledger.people.isEmpty)
    #expect(ledger.add([call(499)]) == nil, "a known call changes nothing")
    #expect(ledger.add([call(500)]) == [author.user] && ledger.people == [author.user])
  }
}
