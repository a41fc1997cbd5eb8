import MusterModel
import Testing

@testable import MusterReplica

/// What a caller sees of their call for help (decision 0097): Ada is command, Ben and Cleo are
/// members.
@Suite("Calls for help")
struct CallTests {
  private func standing(_ caller: String, in valley: inout Valley) throws -> CallStanding? {
    try valley.ask(caller) { replica, now in
      let statuses = try replica.statuses(now: now)
      return try replica.queries.callStanding(of: nil, at: statuses)
    }
  }

  private func help(_ name: String, in valley: inout Valley) throws -> Alert? {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }.first { $0.id.kind == .help }
  }

  private func acknowledge(
    at name: String, isByProgram: Bool = false, in valley: inout Valley
  ) throws {
    let id = try #require(try help(name, in: &valley)).id
    try valley.at(name) {
      try $0.acknowledgeAlert("\(id)", by: nil, isByProgram: isByProgram, now: $1)
    }
    try valley.converge()
  }

  private func seen(_ caller: String, in valley: inout Valley) throws -> [String] {
    try standing(caller, in: &valley)?.seen.map { "\($0.name) (\($0.role.name))" } ?? []
  }

  @Test func `over two hops a call is sent, at command, seen and answered`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.converge()
    valley.lineUp("Ben", "Cleo", "Ada")
    try valley.converge()
    #expect(try standing("Ben", in: &valley) == nil)
    try valley.claim(.needsHelp, by: "Ben")
    let sent = try #require(try standing("Ben", in: &valley))
    #expect(sent.stage == .sent && sent.isOpen && !sent.isAtCommand && sent.seen.isEmpty)
    let arrived = try valley.wait(upTo: 20_000) { valley in
      try standing("Ben", in: &valley)?.stage == .atCommand
    }
    #expect(arrived != nil, "a receipt of command shows that it holds the call")

    try acknowledge(at: "Ada", in: &valley)
    let seen = try #require(try standing("Ben", in: &valley))
    #expect(seen.stage == .seen && seen.seen.map(\.name) == ["Ada"])
    #expect(seen.seen.first?.role == .command && seen.seen.first?.via == nil)
    #expect(seen.seen.first?.moment != nil && seen.moment != nil)

    let id = try #require(try help("Ada", in: &valley)).id
    try valley.at("Ada") {
      try $0.acknowledgeAlert("\(id)", by: nil, answer: "Helicopter in 20 min", now: $1)
    }
    try valley.converge()
    let answered = try #require(try standing("Ben", in: &valley))
    #expect(answered.stage == .answered && answered.answers.map(\.text) == ["Helicopter in 20 min"])
    #expect(answered.answers.first?.name == "Ada" && answered.answers.first?.isRead == false)
    // Its author sees that it was read.
    let message = try #require(answered.answers.first).id
    try valley.at("Ben") {
      try $0.write(OrderRequests.acknowledge(message, note: "", for: nil), now: $1)
    }
    try valley.converge()
    #expect(try standing("Ben", in: &valley)?.answers.first?.isRead == true)
    let people = try valley.ask("Ada") { try $0.statuses(now: $1).directive(message) }.people
    #expect(people.map(\.callsign) == ["Ben"] && people.first?.answeredAt != nil)

    try valley.claim(.safe, by: "Ben")
    #expect(try standing("Ben", in: &valley) == nil, "the caller ended it")
  }

  @Test func `an answer acknowledges the call in the same commit`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.converge()
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    let id = try #require(try help("Ada", in: &valley)).id
    try valley.at("Ada") {
      try $0.acknowledgeAlert("\(id)", by: nil, answer: "We are coming", now: $1)
    }
    try valley.converge()
    #expect(try seen("Ben", in: &valley) == ["Ada (command)"])
    #expect(try standing("Ben", in: &valley)?.answers.map(\.text) == ["We are coming"])
    #expect(try help("Ada", in: &valley)?.acknowledgement?.name == "Ada")
  }

  @Test func `an acknowledgement is for one call: the next call is not seen`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.converge()
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    try acknowledge(at: "Ada", in: &valley)
    try valley.claim(.safe, by: "Ben")
    try valley.converge()
    _ = try help("Ada", in: &valley)
    try valley.run(milliseconds: 1000)
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    #expect(try seen("Ben", in: &valley) == [])
    try acknowledge(at: "Ada", in: &valley)
    #expect(try seen("Ben", in: &valley) == ["Ada (command)"])
  }

  @Test func `a program's acknowledgement silences the alert and shows no caller that it was seen`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    try valley.converge()
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    try acknowledge(at: "Ada", isByProgram: true, in: &valley)
    #expect(try help("Ada", in: &valley)?.acknowledgement != nil)
    #expect(try seen("Ben", in: &valley) == [])
    // A person can still see it; a second program changes nothing.
    try acknowledge(at: "Ada", isByProgram: true, in: &valley)
    #expect(try seen("Ben", in: &valley) == [])
    try acknowledge(at: "Ada", in: &valley)
    #expect(try seen("Ben", in: &valley) == ["Ada (command)"])
  }

  @Test func `a claimed name is not shown as the person who saw the call`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.converge()
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    let id = try #require(try help("Ada", in: &valley)).id
    try valley.at("Ada") { try $0.acknowledgeAlert("\(id)", by: "Maria", now: $1) }
    try valley.converge()
    #expect(try seen("Ben", in: &valley) == ["Ada's post (command)"])
  }

  @Test func `a member's acknowledgement is shown as one, and silences no other device`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dan")
    try valley.converge()
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    try acknowledge(at: "Cleo", in: &valley)
    #expect(try help("Ada", in: &valley)?.acknowledgement == nil, "command still alerts")
    #expect(try help("Cleo", in: &valley)?.acknowledgement?.name == "Cleo")
    #expect(try help("Dan", in: &valley)?.acknowledgement == nil, "nor another member's")
    for name in ["Ada", "Dan"] {
      let known = try #require(try help(name, in: &valley)).acknowledgements
      #expect(known.map(\.text) == ["(member) Cleo"])
    }
    #expect(try seen("Ben", in: &valley) == ["Cleo (member)"])
    #expect(try standing("Ben", in: &valley)?.stage == .seenByMember)
    try valley.run(milliseconds: 1000)
    try acknowledge(at: "Ada", in: &valley)
    #expect(try seen("Ben", in: &valley) == ["Ada (command)", "Cleo (member)"])
    #expect(try standing("Ben", in: &valley)?.stage == .seen)
    #expect(try help("Dan", in: &valley)?.acknowledgement?.name == "Ada", "command's is shown")
  }

  @Test func `a message to others, or before the call, is no answer; members cannot answer`() throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.converge()
    let ben = valley.laptops[valley.index("Ben")].credentials.user
    func message(_ text: String, _ addressees: Addressees) throws {
      try valley.at("Ada") {
        try $0.write(
          OrderRequests.issue(
            DirectiveDraft(kind: .message, text: text, addressees: addressees)), now: $1
        ).outcome
      }
      try valley.run(milliseconds: 2000)
      try valley.converge()
    }
    try message("earlier", .users([ben]))
    try valley.claim(.needsHelp, by: "Ben")
    try valley.converge()
    try message("to all", .everyone)
    #expect(try standing("Ben", in: &valley)?.answers.map(\.text) == [])
    try message("later", .users([ben]))
    #expect(try standing("Ben", in: &valley)?.answers.map(\.text) == ["later"])
    let id = try #require(try help("Cleo", in: &valley)).id
    #expect(throws: Refusal.self) {
      try valley.at("Cleo") { try $0.acknowledgeAlert("\(id)", by: nil, answer: "coming", now: $1) }
    }
  }
}
