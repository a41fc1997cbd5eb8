import MusterModel
import Testing

@testable import MusterReplica

/// Calls for help of one owner's trackers beyond four share an alert (decision 0110): Ada is
/// command, Ben records phones, Cleo is a member.
@Suite("Further calls of an owner's trackers")
struct CallFoldingTests {
  private func valley(phones count: Int) throws -> (valley: Valley, phones: [UserID]) {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let place = fix(metresNorth: 0, second: 1)
    try valley.at("Ben") { replica, now in
      try replica.ingest((1...count).map { TrackedFix(place, of: "T\($0)") }, now: now).outcome
    }
    try valley.converge()
    let users = try valley.ask("Ben") { try $0.statuses(now: $1).users() }
    let phones = try (1...count).map { number in
      try #require(users.first { $0.callsign == "T\(number)" }).id
    }
    return (valley, phones)
  }

  private func claim(
    _ claim: SafetyClaim, of phones: some Sequence<UserID>, in valley: inout Valley
  ) throws {
    for phone in phones {
      try valley.at("Ben") {
        try $0.write(PersonRequests.claim(claim, note: "", forTracker: phone), now: $1)
      }
    }
    try valley.converge()
  }

  /// Reviews the alerts as a running node does, and returns the changes of shared ones.
  private func review(_ name: String, in valley: inout Valley) throws -> [String] {
    let outcome = try valley.at(name) { replica, now in
      let outcome = try replica.reviewAlerts(now: now)
      return (outcome, outcome)
    }
    return outcome.alertChanges.compactMap { change in
      switch change {
      case .raised(let alert): alert.id.kind == .furtherCalls ? "+ \(alert.text)" : nil
      case .acknowledged(let alert):
        alert.id.kind == .furtherCalls ? "✓ \(alert.acknowledgement?.name ?? "")" : nil
      case .shelved: nil
      case .cleared(let alert): alert.id.kind == .furtherCalls ? "-" : nil
      }
    }
  }

  private func alerts(_ name: String, in valley: inout Valley) throws -> [Alert] {
    try valley.ask(name) { try $0.alerts(now: $1) }
  }

  private func shared(_ name: String, in valley: inout Valley) throws -> Alert {
    try #require(try alerts(name, in: &valley).first { $0.id.kind == .furtherCalls })
  }

  private func callers(_ name: String, in valley: inout Valley) throws -> Set<UserID> {
    Set(
      try alerts(name, in: &valley).filter { $0.id.kind == .help }
        .map { UserID(raw: $0.id.row.raw) })
  }

  @Test func `the first four have alerts of their own, and each further one raises the shared one`()
    throws
  {
    var (valley, phones) = try valley(phones: 7)
    try claim(.needsHelp, of: phones.prefix(4), in: &valley)
    #expect(try review("Ada", in: &valley) == [])
    #expect(try callers("Ada", in: &valley) == Set(phones.prefix(4)))
    try claim(.needsHelp, of: [phones[4]], in: &valley)
    #expect(
      try review("Ada", in: &valley) == ["+ and 1 more call for help of Ben's trackers: T5"])
    try valley.run(milliseconds: 5000)
    try claim(.needsHelp, of: phones[5...], in: &valley)
    #expect(
      try review("Ada", in: &valley)
        == ["+ and 3 more calls for help of Ben's trackers: T5, T6, T7"])
    #expect(try review("Ada", in: &valley) == [])
    let alert = try shared("Ada", in: &valley)
    #expect(alert.level == .danger)
    #expect(alert.id.row.raw == valley.laptops[valley.index("Ben")].credentials.user.raw)
    try valley.restart("Ada")
    #expect(try review("Ada", in: &valley) == [])
    #expect(try shared("Ada", in: &valley) == alert)
  }

  @Test func `the order of arrival decides nothing`() throws {
    var (valley, phones) = try valley(phones: 6)
    try valley.switchOff("Cleo")
    for phone in phones {
      try claim(.needsHelp, of: [phone], in: &valley)
      _ = try review("Ada", in: &valley)
    }
    try valley.switchOn("Cleo")
    try valley.converge()
    #expect(try callers("Cleo", in: &valley) == Set(phones.prefix(4)))
    let texts = try ["Ada", "Ben", "Cleo"].map { try shared($0, in: &valley).text }
    #expect(Set(texts) == ["and 2 more calls for help of Ben's trackers: T5, T6"])
  }

  @Test func `one act acknowledges each call, for its caller too, and a further call raises it`()
    throws
  {
    var (valley, phones) = try valley(phones: 7)
    try claim(.needsHelp, of: phones.prefix(6), in: &valley)
    _ = try review("Ada", in: &valley)
    let id = try shared("Ada", in: &valley).id.description
    try valley.run(milliseconds: 5000)
    try valley.at("Ada") { try $0.acknowledgeAlert(id, by: nil, now: $1) }
    try valley.converge()
    #expect(try review("Ada", in: &valley) == ["✓ Ada"])
    #expect(try shared("Cleo", in: &valley).acknowledgement?.name == "Ada")
    for phone in phones[4..<6] {
      let standing = try valley.ask("Ben") { replica, now in
        let statuses = try replica.statuses(now: now)
        return try replica.queries.callStanding(of: phone, at: statuses)
      }
      #expect(standing?.seen.map(\.name) == ["Ada"])
    }
    // It acknowledges no other call.
    #expect(
      try alerts("Ada", in: &valley).filter { $0.acknowledgement != nil }.map(\.id.kind)
        == [.furtherCalls])
    try valley.at("Ada") { try $0.acknowledgeAlert(id, by: nil, now: $1) }
    #expect(try review("Ada", in: &valley) == [], "a repeated one changes nothing")

    try valley.run(milliseconds: 5000)
    try claim(.needsHelp, of: [phones[6]], in: &valley)
    #expect(
      try review("Ada", in: &valley)
        == ["+ and 3 more calls for help of Ben's trackers: T5, T6, T7"])
    #expect(try shared("Ada", in: &valley).acknowledgement == nil)
    #expect(throws: Refusal.self, "an answer is for one caller") {
      try valley.at("Ada") { try $0.acknowledgeAlert(id, by: nil, answer: "coming", now: $1) }
    }
  }

  @Test func `a member's acknowledgement silences no command device`() throws {
    var (valley, phones) = try valley(phones: 6)
    try claim(.needsHelp, of: phones, in: &valley)
    let id = try shared("Cleo", in: &valley).id.description
    try valley.at("Cleo") { try $0.acknowledgeAlert(id, by: nil, now: $1) }
    try valley.converge()
    #expect(try shared("Cleo", in: &valley).acknowledgement?.name == "Cleo")
    #expect(try shared("Ada", in: &valley).acknowledgement == nil)
  }

  @Test func `more calls than one act acknowledges wait for the next one`() throws {
    var (valley, phones) = try valley(phones: 70)
    valley.checksInvariants = false
    try claim(.needsHelp, of: phones, in: &valley)
    let id = try shared("Ada", in: &valley).id.description
    try valley.at("Ada") { try $0.acknowledgeAlert(id, by: nil, now: $1) }
    #expect(try shared("Ada", in: &valley).acknowledgement == nil)
    try valley.at("Ada") { try $0.acknowledgeAlert(id, by: nil, now: $1) }
    #expect(try shared("Ada", in: &valley).acknowledgement?.name == "Ada")
  }

  @Test func `when a call ends, the next one has an alert of its own with its first time`() throws {
    var (valley, phones) = try valley(phones: 6)
    try claim(.needsHelp, of: phones, in: &valley)
    _ = try review("Ada", in: &valley)
    let began = try shared("Ada", in: &valley).since
    try valley.run(milliseconds: 60_000)
    try claim(.safe, of: phones.prefix(1), in: &valley)
    _ = try review("Ada", in: &valley)
    #expect(try callers("Ada", in: &valley) == Set(phones[1...4]))
    let fifth = AlertID(kind: .help, row: RowID(raw: phones[4].raw))
    #expect(try alerts("Ada", in: &valley).first { $0.id == fifth }?.since == began)
    #expect(
      try shared("Ada", in: &valley).text == "and 1 more call for help of Ben's trackers: T6")
    try claim(.safe, of: phones[1..<2], in: &valley)
    #expect(try review("Ada", in: &valley) == ["-"])
  }

  @Test func `people with certificates, and carriers that command calls for, never share one`()
    throws
  {
    var (valley, phones) = try valley(phones: 7)
    try claim(.needsHelp, of: phones.prefix(6), in: &valley)
    try valley.claim(.needsHelp, by: "Ben")
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: phones[6], .needsHelp, note: ""), now: $1)
    }
    try valley.converge()
    let ben = valley.laptops[valley.index("Ben")].credentials.user
    #expect(try callers("Ada", in: &valley) == Set(phones.prefix(4) + [ben, phones[6]]))
    #expect(
      try shared("Ada", in: &valley).text
        == "and 2 more calls for help of Ben's trackers: T5, T6")
  }

  @Test func `an acknowledgement on this device alone ends with a further call`() throws {
    var tracker = AlertTracker()
    let id = AlertID(kind: .furtherCalls, row: RowID(raw: Bytes16(high: 1, low: 1)))
    func finding(_ numbers: ClosedRange<UInt64>) -> AlertTracker.Finding {
      let calls = numbers.map { number in
        AlertTracker.FoldedCall(
          id: AlertID(kind: .help, row: RowID(raw: Bytes16(high: 2, low: number))),
          cause: AlertCause(
            dots: [Dot(frame: Bytes16(high: 3, low: number), index: 0)], positions: []))
      }
      return AlertTracker.Finding(id: id, level: .danger, phrase: Phrase(.silent), calls: calls)
    }
    func moment(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }
    tracker.update([finding(1...2)], now: moment(1)) { _ in [] }
    _ = tracker.acknowledge(id, AlertAcknowledgement(name: "Obi", moment: moment(2)))
    tracker.update([finding(1...2)], now: moment(3)) { _ in [] }
    #expect(tracker.alerts.first?.acknowledgement?.name == "Obi")
    let stored = try AlertTracker(decoding: tracker.encoded())
    #expect(stored == tracker)
    tracker.update([finding(1...3)], now: moment(4)) { _ in [] }
    let changes = AlertChange.between(stored.alerts, and: tracker.alerts)
    #expect(tracker.alerts.first?.acknowledgement == nil)
    #expect(tracker.alerts.first?.since == moment(4))
    guard case .raised? = changes.first else {
      Issue.record("not raised again: \(changes)")
      return
    }
  }
}
