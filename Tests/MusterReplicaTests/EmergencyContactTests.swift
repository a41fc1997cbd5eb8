import MusterModel
import MusterReplica
import Testing

/// The emergency contacts of an operation, on real nodes.
@Suite("Emergency contacts")
struct EmergencyContactTests {
  private func add(
    _ name: String, phone: String = "112", at position: Coordinate? = nil,
    by author: String = "Ada",
    in valley: inout Valley
  ) throws -> ContactID {
    try valley.at(author) {
      try $0.write(
        ContactRequests.write(.add(ContactDraft(name: name, phone: phone, position: position))),
        now: $1)
    }
  }

  private func change(
    _ change: ContactWrite, by author: String = "Ada", in valley: inout Valley
  ) throws {
    _ = try valley.at(author) { try $0.write(ContactRequests.write(change), now: $1) }
  }

  private func contacts(
    at name: String, in valley: inout Valley
  ) throws -> [ContactSummary] {
    try valley.ask(name) { replica, _ in try replica.queries.contacts() }
  }

  private func names(at name: String, in valley: inout Valley) throws -> [String] {
    try contacts(at: name, in: &valley).map(\.contact.name)
  }

  /// Two commanders, and a member.
  private func commanders() throws -> Valley {
    var valley = try Valley.with("Ada", "Cleo")
    try valley.join("Ben", invitedBy: "Ada", role: .command)
    try valley.converge()
    return valley
  }

  @Test func `every node lists the contacts by name, and only command writes them`() throws {
    var valley = try commanders()
    let fire = try add("Fire station", in: &valley)
    _ = try add("Ambulance", phone: "+351 213 924 700", by: "Ben", in: &valley)
    try valley.converge()
    for name in valley.names {
      #expect(try names(at: name, in: &valley) == ["Ambulance", "Fire station"])
    }
    #expect(throws: Refusal.self) { try add("Mine", by: "Cleo", in: &valley) }
    #expect(throws: Refusal.self) { try change(.remove("\(fire)"), by: "Cleo", in: &valley) }
    #expect(throws: Refusal.self) { try add("Bad", phone: "call me", in: &valley) }
    for reference in ["", "abc", "ffffffff", "Fire station"] {
      #expect(throws: Refusal.self) { try change(.remove(reference), in: &valley) }
    }
    try change(.edit("\(fire)", ContactChanges(name: "Fire brigade")), in: &valley)
    try change(.edit("\(fire.short)", ContactChanges(note: "north")), by: "Ada", in: &valley)
    try valley.converge()
    let shown = try #require(try contacts(at: "Cleo", in: &valley).last)
    #expect(shown.contact.id == fire && shown.callsign == "Ada")
    #expect(shown.contact.name == "Fire brigade" && shown.contact.note == "north")
    try change(.remove("\(fire)"), by: "Ben", in: &valley)
    try valley.converge()
    for name in valley.names { #expect(try names(at: name, in: &valley) == ["Ambulance"]) }
  }

  @Test func `an edit without changes writes nothing`() throws {
    var valley = try commanders()
    let fire = try add("Fire station", in: &valley)
    let before = try valley.hashes()
    try change(.edit("\(fire)", ContactChanges(name: "Fire station")), in: &valley)
    #expect(try valley.hashes() == before)
  }

  @Test func `concurrent changes of two commanders merge`() throws {
    var valley = try commanders()
    let fire = try add("Fire station", in: &valley)
    let hospital = try add("Hospital", in: &valley)
    let police = try add("Police", in: &valley)
    try valley.converge()
    valley.cut(["Ada", "Cleo"], ["Ben"])
    // Both add, both edit one contact, and one removes what the other edits or removes too.
    _ = try add("Coast guard", in: &valley)
    _ = try add("Vet", by: "Ben", in: &valley)
    try change(.edit("\(fire)", ContactChanges(phone: "15")), in: &valley)
    try change(.edit("\(fire)", ContactChanges(phone: "18")), by: "Ben", in: &valley)
    try change(.remove("\(hospital)"), in: &valley)
    try change(.edit("\(hospital)", ContactChanges(phone: "20")), by: "Ben", in: &valley)
    try change(.remove("\(police)"), in: &valley)
    try change(.remove("\(police)"), by: "Ben", in: &valley)
    valley.heal()
    try valley.converge()
    for name in valley.names {
      let all = try contacts(at: name, in: &valley)
      #expect(all.map(\.contact.name) == ["Coast guard", "Fire station", "Hospital", "Vet"])
      let both = try #require(all.first { $0.contact.id == fire })
      #expect(
        [both.contact.phone] + both.otherPhones == ["15", "18"]
          || [both.contact.phone] + both.otherPhones == ["18", "15"])
      #expect(all.first { $0.contact.id == hospital }?.contact.phone == "20")
    }
    // The next edit supersedes both, also if it is equal to the one shown.
    let shown = try #require(
      try contacts(at: "Ada", in: &valley).first { $0.contact.id == fire })
    try change(.edit("\(fire)", ContactChanges(phone: shown.contact.phone)), in: &valley)
    try valley.converge()
    for name in valley.names {
      let left = try contacts(at: name, in: &valley).first { $0.contact.id == fire }
      #expect(left?.contact == shown.contact && left?.otherPhones == [])
    }
  }

  @Test func `an operation has at most thirty-two contacts, also after concurrent additions`()
    throws
  {
    var valley = try commanders()
    for number in 0..<20 { _ = try add("A\(number)", in: &valley) }
    try valley.converge()
    valley.cut(["Ada", "Cleo"], ["Ben"])
    for number in 0..<12 {
      _ = try add("B\(number)", in: &valley)
      _ = try add("C\(number)", by: "Ben", in: &valley)
    }
    #expect(throws: Refusal.self) { try add("D", in: &valley) }
    valley.heal()
    try valley.converge()
    let listed = try names(at: "Ada", in: &valley)
    #expect(listed.count == 32)
    for name in valley.names { #expect(try names(at: name, in: &valley) == listed) }
    #expect(throws: Refusal.self) { try add("D", by: "Ben", in: &valley) }
  }

  @Test func `a danger shows the nearest contacts, and one without a position`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    try valley.converge()
    #expect(try shown(at: "Ada", in: &valley) == [[]])
    _ = try add("Emergency number", in: &valley)
    for (name, metres) in [("Far", Int64(9000)), ("Near", 100), ("Middle", 2000)] {
      _ = try add(name, at: place(metresNorth: metres), in: &valley)
    }
    try valley.converge()
    #expect(
      try shown(at: "Ada", in: &valley) == [
        ["Near: 112, 100 m north (0°)", "Middle: 112, 2.0 km north (0°)", "Emergency number: 112"]
      ])
    // Nothing is stored of it, and it returns after a restart.
    try valley.at("Ada") { try $0.reviewAlerts(now: $1) }
    try valley.restart("Ada")
    let raised = try valley.ask("Ada") { replica, _ in try replica.queries.raisedAlerts() }
    #expect(raised[0].contacts == [])
    #expect(try shown(at: "Ada", in: &valley)[0].count == 3)
  }

  @Test func `without a known position, and for a warning, there is no order of distance`() throws {
    var valley = try Valley.with("Ada", "Ben")
    for name in ["D", "C", "B", "A"] {
      _ = try add(name, at: place(metresNorth: 100), in: &valley)
    }
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    try valley.converge()
    #expect(try shown(at: "Ada", in: &valley) == [["A: 112", "B: 112", "C: 112"]])
    _ = try add("E", in: &valley)
    #expect(try shown(at: "Ada", in: &valley) == [["A: 112", "B: 112", "E: 112"]])
    let camp = try valley.draw("Camp", .muster)
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.addRule(ZoneRule(kind: .within, number: 200), to: camp), now: $1)
    }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.converge()
    #expect(try shown(at: "Ada", in: &valley) == [])
    #expect(try valley.ask("Ada") { try $0.alerts(now: $1) }.allSatisfy { $0.contacts == [] })
  }

  @Test func `a report shows the contacts near the report`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    _ = try add("At the report", at: place(metresNorth: 1500), in: &valley)
    _ = try add("Here", at: place(metresNorth: 0), in: &valley)
    try valley.at("Ada") {
      try $0.write(
        ReportRequests.add(
          ReportDraft(
            title: "Smoke", category: .fire, position: place(metresNorth: 1400),
            toEvacuate: true)), now: $1)
    }
    try valley.converge()
    #expect(
      try shown(at: "Ben", in: &valley).map { $0.map { $0.prefix(9) } } == [
        ["At the re", "Here: 112"]
      ])
  }

  /// Returns the contacts of each danger, as text.
  private func shown(at name: String, in valley: inout Valley) throws -> [[String]] {
    try valley.ask(name) { try $0.alerts(now: $1) }.filter { $0.level == .danger }
      .map { $0.contacts.map(\.words) }
  }
}
