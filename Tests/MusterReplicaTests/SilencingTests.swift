import MusterAttackers
import MusterModel
import MusterSync
import Testing

@testable import MusterReplica

/// What a member's modified program can do to the alert of another's call for help (decision 0107):
/// Ada is command; Ben calls; Mia acknowledges whatever she likes.
@Suite("Silencing a call for help")
struct SilencingTests {
  private func help(_ name: String, in valley: inout Valley) throws -> Alert? {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }.first { $0.id.kind == .help }
  }

  /// Ben calls for help. Returns the alert and its cause.
  private func callForHelp(in valley: inout Valley) throws -> (id: AlertID, claims: [Dot]) {
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    let ben = valley.laptops[valley.index("Ben")].credentials.user
    let row = try valley.ask("Ada") { replica, _ in
      try replica.core.store.row(RowKey(kind: .user, id: RowID(raw: ben.raw)))
    }
    return (
      AlertID(kind: .help, row: RowID(raw: ben.raw)),
      try #require(row).values(of: .userSafetyClaim).map(\.dot)
    )
  }

  /// Mia's program signs an acknowledgement of a call, in a frame of any time.
  private func acknowledge(
    _ call: (id: AlertID, claims: [Dot]), note: String = "", at wall: Int64? = nil,
    in valley: inout Valley
  ) throws {
    try valley.at("Mia") { replica, now in
      var now = now
      if let wall {
        now = ClockReading(
          instant: now.instant, wall: Timestamp(milliseconds: wall), boot: now.boot,
          entropy: now.entropy)
      }
      let local = ModifiedProgram.identity(of: replica)
      let reply = AlertReply(user: local.author.user, note: note, dots: call.claims)
      let write = Write(
        row: RowID(operation: local.operation, alert: call.id), field: .alertAcknowledgements,
        value: .alertReply(reply))
      return try MaliciousMember.author(
        &replica, unchecked: [.write(write)], lane: .urgent, now: now)
    }
    try valley.converge()
  }

  @Test func `a program that acknowledges each call silences no other laptop`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Mia")
    try valley.converge()
    for _ in 0..<2 {
      let call = try callForHelp(in: &valley)
      try acknowledge(call, in: &valley)
      for name in ["Ada", "Cleo"] {
        let alert = try #require(try help(name, in: &valley))
        #expect(alert.acknowledgement == nil, "\(name) still alerts")
        #expect(alert.acknowledgements.map(\.text) == ["(member) Mia"])
      }
      #expect(try help("Mia", in: &valley)?.acknowledgement?.name == "Mia")
      try valley.restart("Ada")
      #expect(try help("Ada", in: &valley)?.acknowledgement == nil)
      try valley.claim(.safe, by: "Ben")
      try valley.converge()
      #expect(try help("Ada", in: &valley) == nil)
    }
  }

  @Test(arguments: ["", "Ada", "Command post"])
  func `a back-dated acknowledgement does not take the place of command's`(note: String) throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Mia")
    try valley.converge()
    let call = try callForHelp(in: &valley)
    _ = try help("Ada", in: &valley)
    try valley.at("Ada") { try $0.acknowledgeAlert("\(call.id)", by: nil, now: $1) }
    try valley.converge()
    // When Mia acknowledges it in 1970, with a name as her note
    try acknowledge(call, note: note, at: 1, in: &valley)
    // Then all show that command has seen it, and Mia beside it, as a member.
    for name in ["Ada", "Cleo", "Mia"] {
      let alert = try #require(try help(name, in: &valley))
      #expect(alert.acknowledgement?.name == "Ada", "\(name)")
      #expect(try #require(alert.acknowledgement).moment.milliseconds > 1)
      #expect(alert.acknowledgements.map(\.text) == ["Ada", "(member) Mia"])
      #expect(alert.acknowledgements.map(\.role) == [.command, .member])
      #expect(alert.acknowledgements.map(\.note) == ["", ""], "a member's note is no name")
    }
    try valley.restart("Ada")
    #expect(try help("Ada", in: &valley)?.acknowledgement?.name == "Ada")
  }

  @Test func `a member who takes command's name is shown with role and id`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mia")
    let (ada, mia) = (
      valley.laptops[0].credentials.user, valley.laptops[2].credentials.user
    )
    try valley.converge()
    try valley.at("Mia") { try $0.write(PersonRequests.setCallsign("Ada"), now: $1) }
    let call = try callForHelp(in: &valley)
    try acknowledge(call, at: 1, in: &valley)
    let before = try #require(try help("Ada", in: &valley))
    #expect(before.acknowledgement == nil)
    #expect(before.acknowledgements.map(\.text) == ["(member) Ada (\(mia.short))"])
    try valley.at("Ada") { try $0.acknowledgeAlert("\(call.id)", by: nil, now: $1) }
    try valley.converge()
    let after = try #require(try help("Ada", in: &valley))
    #expect(after.acknowledgement?.name == "Ada (\(ada.short))")
    #expect(after.acknowledgements.map(\.user) == [ada, mia])
  }

  @Test func `of two of command all nodes show the same first, whatever their clocks`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Carl", invitedBy: "Ada", role: .command)
    try valley.converge()
    valley.setClock("Carl", aheadMilliseconds: -3_600_000)
    let call = try callForHelp(in: &valley)
    for name in ["Ada", "Carl"] { _ = try help(name, in: &valley) }
    valley.cut(["Ada"], ["Ben", "Carl"])
    for name in ["Ada", "Carl"] {
      try valley.at(name) { try $0.acknowledgeAlert("\(call.id)", by: nil, now: $1) }
    }
    valley.heal()
    try valley.converge()
    var shown: Set<[String]> = []
    for name in valley.names where name != "Ben" {
      shown.insert(try #require(try help(name, in: &valley)).acknowledgements.map(\.name))
    }
    #expect(shown.count == 1 && Set(shown.first ?? []) == ["Ada", "Carl"])
  }
}
