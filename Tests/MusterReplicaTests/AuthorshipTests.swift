import MusterModel
import MusterReplica
import Testing

/// Who is shown as the author of what a login wrote through a laptop (decision 0101).
@Suite("Authorship")
struct AuthorshipTests {
  private let rui = Principal.login("Rui")

  private func report(_ id: RowID, at name: String, in valley: inout Valley) throws
    -> ReportSummary
  {
    try valley.ask(name) { replica, _ in try replica.queries.report(id) }
  }

  private func add(
    _ draft: ReportDraft, by name: String, for principal: Principal?, in valley: inout Valley
  ) throws -> RowID {
    try valley.at(name) {
      try $0.write(ReportRequests.add(draft), onBehalfOf: principal, now: $1)
    }
  }

  @Test func `of a report, comments and conflicts is the login's, on every laptop`() throws {
    var valley = try Valley.with("Ada", "Ben")
    // A description that needs a body in parts
    let long = String(repeating: "The slope moves. ", count: 900)
    let draft = ReportDraft(title: "Slide", details: long)
    let id = try add(draft, by: "Ben", for: rui, in: &valley)
    try valley.converge()
    try valley.at("Ada") {
      try $0.write(ReportRequests.comment(id, text: "Seen"), onBehalfOf: .login("Eva"), now: $1)
    }
    try valley.at("Ben") { try $0.write(ReportRequests.comment(id, text: "Mine"), now: $1) }
    try valley.converge()
    #expect(Set(try valley.hashes()).count == 1)
    for name in valley.names {
      let shown = try report(id, at: name, in: &valley)
      #expect(shown.authorship == Authorship("Rui", through: "Ben"))
      #expect(shown.ownerCallsign == "Rui, through Ben's laptop")
      #expect(shown.details == long)
      #expect(
        Set(shown.comments.map(\.authorship))
          == [Authorship("Eva", through: "Ada"), Authorship("Ben")])
      // The view is a function of the log.
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    // An edit by the laptop's own user leaves the login as the report's author.
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Landslide")), now: $1)
    }
    try valley.converge()
    try valley.restart("Ada")
    let shown = try report(id, at: "Ada", in: &valley)
    #expect(shown.title == "Landslide")
    #expect(shown.authorship == Authorship("Rui", through: "Ben"))
  }

  @Test func `of writes in one transaction stays with each`() throws {
    var valley = try Valley.with("Ada", "Ben")
    var ids: [RowID] = []
    let writers: [Principal?] = [nil, rui, rui, .login("Eva"), nil]
    try valley.at("Ben") { replica, now in
      try replica.gather(now: now) { replica in
        for writer in writers {
          let request = ReportRequests.add(ReportDraft(title: "Smoke"))
          ids.append(try replica.write(request, onBehalfOf: writer, now: now).answer)
        }
      }
    }
    try valley.converge()
    let shown = try ids.map { try report($0, at: "Ada", in: &valley).authorship.writtenBy }
    #expect(shown == ["Ben", "Rui", "Rui", "Eva", "Ben"])
  }

  @Test func `of a person without a row is unknown, with the laptop`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let stranger = UserID(raw: Bytes16(high: 0x3F9A_0000_0000_0000, low: 1))
    let id = try add(
      ReportDraft(title: "Smoke"), by: "Ben", for: .person(stranger), in: &valley)
    try valley.converge()
    let shown = try report(id, at: "Ada", in: &valley).authorship
    #expect(shown == Authorship("unknown person \(stranger.short)", through: "Ben"))
    #expect(shown.text.hasPrefix("unknown person 3f9a"))
  }

  @Test func `that a hostile member claims names its laptop, and gives no permission`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let ada = try valley.ask("Ada") { replica, _ in replica.user }
    let cleo = try valley.ask("Cleo") { replica, _ in replica.user }
    let other = try add(ReportDraft(title: "Fire"), by: "Cleo", for: nil, in: &valley)
    let forged = try add(
      ReportDraft(title: "All safe"), by: "Ben", for: .person(ada), in: &valley)
    try valley.converge()
    // As Cleo, whose report it is, and as Ada, who commands, Ben's laptop may edit nothing more.
    for person in [ada, cleo] {
      try valley.at("Ben") { replica, now in
        #expect(throws: Refusal.self) {
          try replica.write(
            ReportRequests.edit(other, ReportChanges(title: "Out")), onBehalfOf: .person(person),
            now: now)
        }
        return Replica.Outcome()
      }
    }
    // Nor does the claim that Ada confirmed count for, or prevent, her own confirmation.
    try valley.at("Ben") {
      try $0.write(ReportRequests.confirm(other), onBehalfOf: .person(ada), now: $1)
    }
    try valley.converge()
    #expect(
      try report(other, at: "Cleo", in: &valley).confirmations == ["Ada, through Ben's laptop"])
    try valley.at("Ada") { try $0.write(ReportRequests.confirm(other), now: $1) }
    try valley.converge()
    for name in valley.names {
      #expect(
        try report(forged, at: name, in: &valley).authorship == Authorship("Ada", through: "Ben"))
      #expect(try report(other, at: name, in: &valley).confirmations == ["Ada"])
    }
  }

  @Test func `of confirmations counts each person once, and not the author's own`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try add(ReportDraft(title: "Smoke"), by: "Ben", for: rui, in: &valley)
    func confirm(at name: String, for principal: Principal?) throws {
      try valley.at(name) {
        try $0.write(ReportRequests.confirm(id), onBehalfOf: principal, now: $1)
      }
      try valley.converge()
    }
    #expect(throws: Refusal.self) { try confirm(at: "Ben", for: rui) }
    for _ in 0..<2 {
      try confirm(at: "Ben", for: .login("Eva"))
      try confirm(at: "Ben", for: nil)
      try confirm(at: "Ada", for: .login("Eva"))
    }
    let expected = ["Ben", "Eva, through Ada's laptop", "Eva, through Ben's laptop"]
    for name in valley.names {
      #expect(try report(id, at: name, in: &valley).confirmations == expected)
    }
  }

  @Test func `of zones and orders is the login's`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let through = "Rui, through Ada's laptop"
    let fence = FenceDraft(name: "Flood", kind: .hazard, geometry: circle(metres: 100))
    try valley.at("Ada") {
      try $0.write(FenceRequests.add(fence), onBehalfOf: rui, now: $1)
    }
    try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .rollcall, durationSeconds: 600)),
        onBehalfOf: rui, now: $1)
    }
    try valley.converge()
    for name in valley.names {
      let fences = try valley.ask(name) { replica, _ in try replica.queries.fences() }
      #expect(fences.map(\.authorship.text) == [through])
      let orders = try valley.ask(name) { try $0.statuses(now: $1).directives() }
      #expect(orders.map(\.callsign) == [through])
    }
  }
}
