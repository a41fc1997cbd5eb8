import MusterModel
import Testing

@testable import MusterReplica

/// Names that look alike (decision 0107): Ada is command, and Mia takes names.
@Suite("Names that look alike")
struct NamesakeTests {
  private func warnings(in valley: inout Valley) throws -> [String] {
    try valley.ask("Ada") { try $0.alerts(now: $1) }
      .filter { $0.id.kind == .sameCallsign }.map(\.text)
  }

  private func take(_ callsign: String, by name: String, in valley: inout Valley) throws {
    try valley.at(name) { try $0.write(PersonRequests.setCallsign(callsign), now: $1) }
    try valley.converge()
  }

  private func user(_ reference: String, in valley: inout Valley) throws -> UserID {
    try valley.ask("Ada") { try $0.statuses(now: $1).user(named: reference) }
  }

  private func id(_ name: String, in valley: Valley) -> UserID {
    valley.laptops[valley.index(name)].credentials.user
  }

  @Test(arguments: [
    "Anna\u{200B}", "\u{200E}Anna", "An\u{E0041}na", "An\u{AD}na", "Anna\u{FE0F}", "An\u{3164}na",
    "Anna\u{A0}", "ANNA", "Аnna", "Ａnna", "𝐀nna",
  ])
  func `command is warned of a name that looks like another, and asked who is meant`(
    callsign: String
  ) throws {
    var valley = try Valley.with("Ada", "Anna", "Mia")
    let (anna, mia) = (id("Anna", in: valley), id("Mia", in: valley))
    try valley.converge()
    #expect(try warnings(in: &valley) == [])
    #expect(try user("Anna", in: &valley) == anna)
    try take(callsign, by: "Mia", in: &valley)
    let text = try #require(try warnings(in: &valley).first)
    #expect(text.hasPrefix("2 people have names that look alike: "), "\(text)")
    #expect(text.contains("Anna (\(anna.short))") && text.contains("(\(mia.short))"))
    #expect(try warnings(in: &valley).count == 1)
    // A name is then asked about, and an id is not.
    for reference in ["Anna", "anna", callsign] {
      #expect(throws: Refusal.self, "\(reference)") { try user(reference, in: &valley) }
    }
    for reference in ["\(anna)", anna.short, "Anna (\(anna.short))"] {
      #expect(try user(reference, in: &valley) == anna, "\(reference)")
    }
    #expect(try user(mia.short, in: &valley) == mia)
    // So is the device, for a revocation.
    #expect(throws: Refusal.self) {
      try valley.ask("Ada") { replica, _ in try replica.queries.device(named: "Anna") }
    }
    let people = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    let shown = try #require(people.first { $0.id == mia }).callsign
    #expect(shown == ShownName.text(of: callsign))
    // All of it is over with the revocation of one.
    let device = valley.laptops[valley.index("Mia")].credentials.device
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    #expect(try warnings(in: &valley) == [])
  }

  @Test func `one warning names a group`() throws {
    var valley = try Valley.with("Ada", "Anna", "Ben", "Cleo", "Mia")
    try valley.converge()
    try take("Аnna", by: "Ben", in: &valley)
    try take("An\u{200B}na", by: "Cleo", in: &valley)
    try take("ANNA", by: "Mia", in: &valley)
    let texts = try warnings(in: &valley)
    #expect(texts.count == 1 && texts[0].hasPrefix("4 people have names that look alike: "))
    #expect(texts[0].contains("An\u{FFFD}na ("))
  }

  @Test func `a name that looks like a role or the id of another is warned of`() throws {
    var valley = try Valley.with("Ada", "Anna", "Mia")
    let (anna, mia) = (id("Anna", in: valley), id("Mia", in: valley))
    try valley.converge()
    try take("Соmmand post", by: "Mia", in: &valley)
    #expect(
      try warnings(in: &valley) == ["Соmmand post (\(mia.short)) is called like the role command"])
    // The one who commands may be called so.
    try take("Command", by: "Ada", in: &valley)
    #expect(try warnings(in: &valley).count == 1)
    try take("Ada", by: "Ada", in: &valley)
    try take(anna.short, by: "Mia", in: &valley)
    #expect(
      try warnings(in: &valley) == [
        "\(anna.short) (\(mia.short)) is called like the id of Anna (\(anna.short))"
      ])
    #expect(throws: Refusal.self) { try user(anna.short, in: &valley) }
    #expect(try user("\(anna)", in: &valley) == anna)
    #expect(try user("Anna (\(anna.short))", in: &valley) == anna)
  }

  @Test func `a name that only looks like what was typed is not taken for it`() throws {
    var valley = try Valley.with("Ada", "Mia")
    let mia = id("Mia", in: valley)
    try valley.converge()
    try take("Аnna", by: "Mia", in: &valley)
    #expect(throws: Refusal.self) { try user("Anna", in: &valley) }
    #expect(try user("Аnna", in: &valley) == mia && user("аnna", in: &valley) == mia)
  }

  @Test func `names of scripts that join stay whole, and others are marked`() throws {
    var valley = try Valley.with("Ada", "Mia")
    for name in ["علی\u{200C}رضا", "क्\u{200D}ष", "👩\u{200D}🚒 Mia", "葛\u{E0100}城"] {
      try take(name, by: "Mia", in: &valley)
      let people = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
      #expect(people.contains { Array($0.callsign.utf8) == Array(name.utf8) }, "\(name)")
    }
    try take("M\u{200F}ia", by: "Mia", in: &valley)
    for name in valley.names {
      let people = try valley.ask(name) { try $0.statuses(now: $1).users() }
      #expect(people.contains { $0.callsign == "M\u{FFFD}ia" })
    }
  }
}
