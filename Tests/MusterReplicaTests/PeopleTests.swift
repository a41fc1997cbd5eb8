import MusterModel
import MusterReplica
import MusterStore
import Testing

@Suite("People outlive devices and report for themselves")
struct PeopleTests {
  private func user(
    _ callsign: String, by name: String, in valley: inout Valley
  ) throws -> UserSummary {
    let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
    return try #require(users.first { $0.callsign == callsign })
  }

  @Test func `a login reports for its person, and their own claim supersedes that`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    try valley.at("Ada") {
      try $0.write(
        PersonRequests.relayClaim(.needsHelp, note: "leg", login: "ben.k", of: ben), now: $1)
    }
    try valley.converge()
    for name in valley.names {
      let seen = try user("Ben", by: name, in: &valley)
      #expect(seen.reason == "needs help, reported by ben.k, via Ada's post: leg")
      // The post's own user has made no claim.
      #expect(try user("Ada", by: name, in: &valley).selfReport == nil)
    }
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
    try valley.converge()
    #expect(try user("Ben", by: "Ada", in: &valley).reason == "reported safe")
    // A member cannot relay.
    #expect(throws: Refusal.self) {
      try valley.at("Ben") {
        try $0.write(PersonRequests.relayClaim(.safe, note: "", login: "x", of: ben), now: $1)
      }
    }
  }

  @Test func `an accounting answers the relayed call that it names, and no later one`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    try valley.at("Ada") {
      try $0.write(
        PersonRequests.relayClaim(.needsHelp, note: "", login: "ben.k", of: ben), now: $1)
    }
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .safe, note: "here"), now: $1)
    }
    #expect(try user("Ben", by: "Ada", in: &valley).safety == .safe)
    try valley.at("Ada") {
      try $0.write(
        PersonRequests.relayClaim(.needsHelp, note: "again", login: "ben.k", of: ben), now: $1)
    }
    try valley.converge()
    #expect(try user("Ben", by: "Ben", in: &valley).status == .mayday)
  }

  @Test func `a device that is away must be the person's`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let (ben, own) = (valley.laptops[1].credentials.user, valley.laptops[1].credentials.device)
    let other = valley.laptops[2].credentials.device
    #expect(throws: Refusal.self) {
      try valley.at("Ada") {
        try $0.write(
          PersonRequests.overrideSafety(of: ben, .safe, note: "", away: [other]), now: $1)
      }
    }
    #expect(try user("Ben", by: "Ada", in: &valley).override == nil)
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .safe, note: "", away: [own]), now: $1)
    }
    #expect(try user("Ben", by: "Ada", in: &valley).safety == .safe)
  }

  @Test func `the carrier of a phone calls for help through the node that records it`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ben") {
      try $0.ingest(fix(metresNorth: 0, second: 1), ofTracker: "Truck", now: $1)
    }
    try valley.converge()
    let truck = try user("Truck", by: "Ben", in: &valley).id
    try valley.at("Ben") {
      try $0.write(PersonRequests.claim(.needsHelp, note: "stuck", forTracker: truck), now: $1)
    }
    try valley.converge()
    #expect(try user("Truck", by: "Ada", in: &valley).reason == "asked for help: stuck")
    // Neither another member can report for it, nor anyone for a person with a device.
    #expect(throws: Refusal.self) {
      try valley.at("Cleo") {
        try $0.write(PersonRequests.claim(.safe, note: "", forTracker: truck), now: $1)
      }
    }
    let cleo = valley.laptops[2].credentials.user
    #expect(throws: Refusal.self) {
      try valley.at("Ada") {
        try $0.write(PersonRequests.claim(.safe, note: "", forTracker: cleo), now: $1)
      }
    }
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: truck, .safe, note: ""), now: $1)
    }
    try valley.converge()
    #expect(try user("Truck", by: "Cleo", in: &valley).safety == .safe)
    // The carrier's next claim supersedes command's statement.
    try valley.at("Ben") {
      try $0.write(PersonRequests.claim(.needsHelp, note: "stuck", forTracker: truck), now: $1)
    }
    try valley.converge()
    #expect(try user("Truck", by: "Cleo", in: &valley).status == .mayday)
  }

  @Test func `the owner of a tracker answers a roll call for its carrier, and no other member`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ben") {
      try $0.ingest(fix(metresNorth: 0, second: 0), ofTracker: "Truck", now: $1)
    }
    try valley.converge()
    let call = try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .rollcall, durationSeconds: 600)), now: $1)
    }
    try valley.converge()
    let truck = try user("Truck", by: "Ben", in: &valley).id
    #expect(throws: Refusal.self) {
      try valley.at("Cleo") {
        try $0.write(OrderRequests.acknowledge(call, note: "", for: truck), now: $1)
      }
    }
    func respondent(_ name: String) throws -> Respondent? {
      let directive = try valley.ask(name) { try $0.statuses(now: $1).directive(call) }
      return directive.people.first { $0.user == truck }
    }

    try valley.at("Ben") {
      let open = try $0.statuses(now: $1).directive(waitingFor: truck, answered: false)
      return try $0.write(OrderRequests.acknowledge(open, note: "beside me", for: truck), now: $1)
    }
    try valley.converge()
    for name in valley.names {
      let answer = try respondent(name)
      #expect(answer?.state == .acknowledged && answer?.answeredBy == "Ben", "by \(name)")
      #expect(answer?.reason == "acknowledged for them by Ben: beside me", "by \(name)")
      #expect(try user("Truck", by: name, in: &valley).status == .ok, "by \(name)")
    }

    // The owner withdraws it, and command answers and withdraws both.
    try valley.at("Ben") {
      try $0.write(OrderRequests.withdrawAcknowledgement(call, of: truck), now: $1)
    }
    try valley.converge()
    #expect(try respondent("Cleo")?.state == .unaccounted)
    try valley.at("Ben") {
      try $0.write(OrderRequests.acknowledge(call, note: "", for: truck), now: $1)
    }
    try valley.at("Ada") {
      try $0.write(OrderRequests.acknowledge(call, note: "radio", for: truck), now: $1)
    }
    try valley.converge()
    #expect(throws: Refusal.self) {
      try valley.at("Cleo") {
        try $0.write(OrderRequests.withdrawAcknowledgement(call, of: truck), now: $1)
      }
    }
    try valley.at("Ada") {
      try $0.write(OrderRequests.withdrawAcknowledgement(call, of: truck), now: $1)
    }
    try valley.converge()
    #expect(try respondent("Ben")?.state == .unaccounted)
    #expect(
      try user("Truck", by: "Ada", in: &valley).trackerOwner == valley.laptops[1].credentials.user)
  }

  @Test func `a person in distress or under an order is signed off only when confirmed`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    try valley.converge()
    for reason in ["", " \n"] {
      #expect(throws: Refusal.self) {
        try valley.at("Ada") {
          try $0.write(PersonRequests.signOff(ben, reason: reason, isConfirmed: true), now: $1)
        }
      }
    }
    #expect(throws: Refusal.self) {
      try valley.at("Ada") {
        try $0.write(PersonRequests.signOff(ben, reason: "home", isConfirmed: false), now: $1)
      }
    }
    try valley.at("Ada") {
      try $0.write(PersonRequests.signOff(ben, reason: "home", isConfirmed: true), now: $1)
    }
    try valley.at("Ada") { try $0.write(PersonRequests.signOn(ben, reason: ""), now: $1) }
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { try $0.write(PersonRequests.signOn(ben, reason: ""), now: $1) }
    }
    try valley.converge()
    // Ben himself, once he is safe, and before an order names him
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.safe, note: ""), now: $1) }
    try valley.at("Ben") {
      try $0.write(PersonRequests.signOff(nil, reason: "home", isConfirmed: false), now: $1)
    }
    try valley.at("Ben") { try $0.write(PersonRequests.signOn(nil, reason: "back"), now: $1) }
    try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    #expect(throws: Refusal.self) {
      try valley.at("Ben") {
        try $0.write(PersonRequests.signOff(nil, reason: "home", isConfirmed: false), now: $1)
      }
    }
    // A member signs no one else off.
    let ada = valley.laptops[0].credentials.user
    #expect(throws: Refusal.self) {
      try valley.at("Ben") {
        try $0.write(PersonRequests.signOff(ada, reason: "x", isConfirmed: true), now: $1)
      }
    }
  }

  @Test func `a permit needs people and a hazard zone, and is revoked permanently`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    let plume = try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "Plume", kind: .hazard, geometry: circle(metres: 50))),
        now: $1)
    }
    let school = try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 50))),
        now: $1)
    }
    let wrong: [PermitDraft] = [
      PermitDraft(people: [ben], team: "", zone: school, durationSeconds: 60),
      PermitDraft(people: [ben], team: "", zone: plume, durationSeconds: 0),
      PermitDraft(people: [], team: "", zone: plume, durationSeconds: 60),
      PermitDraft(people: [], team: "North", zone: plume, durationSeconds: 60),
    ]
    for draft in wrong {
      #expect(throws: Refusal.self) {
        try valley.at("Ada") { try $0.write(PermitRequests.issue(draft), now: $1) }
      }
    }
    let right = PermitDraft(people: [ben], team: "", zone: plume, durationSeconds: 60)
    #expect(throws: Refusal.self) {
      try valley.at("Ben") { try $0.write(PermitRequests.issue(right), now: $1) }
    }
    let id = try valley.at("Ada") { try $0.write(PermitRequests.issue(right), now: $1) }
    try valley.converge()
    let permit = try #require(
      try valley.ask("Ben") { replica, _ in try replica.queries.permits() }.first)
    #expect(permit.id == id && permit.people == ["Ben"] && permit.zoneName == "Plume")
    #expect(permit.durationSeconds == 60 && !permit.isRevoked)
    try valley.at("Ada") { try $0.write(PermitRequests.revoke(id), now: $1) }
    try valley.converge()
    #expect(
      try valley.ask("Ben") { replica, _ in try replica.queries.permits() }.map(\.isRevoked) == [
        true
      ])
  }

  @Test func `the acknowledgement of a help claim is known everywhere, for that claim only`() throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let cleo = valley.laptops[2].credentials.user
    func acknowledgement(by name: String) throws -> String? {
      let alerts = try valley.ask(name) { try $0.alerts(now: $1) }
      return try #require(alerts.first { $0.id.kind == .help }).acknowledgement?.name
    }
    try valley.at("Cleo") { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
    try valley.converge()
    for name in ["Ada", "Ben"] { _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) } }
    let call = try valley.ask("Ben") { try $0.alerts(now: $1) }.first { $0.id.kind == .help }
    let id = try #require(call).id
    try valley.at("Ben") { try $0.acknowledgeAlert(id.description, by: nil, now: $1) }
    try valley.converge()
    #expect(try acknowledgement(by: "Ben") == "Ben")
    #expect(try acknowledgement(by: "Ada") == nil, "a member's silences no command device")
    try valley.at("Ada") { try $0.acknowledgeAlert(id.description, by: nil, now: $1) }
    try valley.converge()
    #expect(try acknowledgement(by: "Ada") == "Ada")
    #expect(try acknowledgement(by: "Ben") == "Ada", "command's goes first")
    let changes = try valley.ask("Ada") { try $0.reviewAlerts(now: $1) }.alertChanges
    guard case .acknowledged? = changes.first else {
      Issue.record("no alert was raised: \(changes)")
      return
    }
    // A second claim is another matter, whether or not the first is resolved
    try valley.at("Cleo") { try $0.write(PersonRequests.claim(.needsHelp, note: "arm"), now: $1) }
    try valley.converge()
    #expect(try acknowledgement(by: "Ada") == nil)
    let again = try valley.ask("Ada") { try $0.reviewAlerts(now: $1) }.alertChanges
    guard case .raised? = again.first else {
      Issue.record("the second call is silent: \(again)")
      return
    }
    // A login's acknowledgement at a post is its person's
    try valley.at("Ada") {
      try $0.acknowledgeAlert(id.description, by: "cleo.m", for: cleo, now: $1)
    }
    try valley.converge()
    #expect(try acknowledgement(by: "Ben") == "cleo.m (Cleo), via Ada's post")
    // A login without a person acknowledges in its own name
    try valley.at("Cleo") { try $0.write(PersonRequests.claim(.needsHelp, note: "head"), now: $1) }
    try valley.converge()
    try valley.at("Ada") { try $0.acknowledgeAlert(id.description, by: "maria", now: $1) }
    try valley.converge()
    #expect(try acknowledgement(by: "Ben") == "maria, via Ada's post")
    #expect(try acknowledgement(by: "Ada") == "maria, via Ada's post")
  }

  @Test func `a person who calls for help after signing off is called in a roll call`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ben") {
      try $0.write(PersonRequests.signOff(nil, reason: "shift over", isConfirmed: false), now: $1)
    }
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
    try valley.converge()
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    let directive = try valley.ask("Ada") { try $0.statuses(now: $1).directive(call) }
    #expect(directive.unaccounted.map(\.callsign) == ["Ben", "Cleo"])
  }

  @Test func `who has signed off is not called in a roll call, and is shown apart`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ben") {
      try $0.write(PersonRequests.signOff(nil, reason: "shift over", isConfirmed: false), now: $1)
    }
    try valley.converge()
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    for name in ["Ada", "Cleo"] {
      let people = try valley.ask(name) { try $0.statuses(now: $1).directive(call) }.people
      let ben = try #require(people.first { $0.callsign == "Ben" })
      #expect(ben.state == .late && ben.reason == "signed off: shift over")
      #expect(people.filter { $0.state == .unaccounted }.map(\.callsign) == ["Cleo"])
      #expect(try user("Ben", by: name, in: &valley).status == .signedOff)
    }
    // By name he is called all the same
    let ben = valley.laptops[1].credentials.user
    let named = try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .rollcall, addressees: .users([ben]))), now: $1)
    }
    try valley.converge()
    let people = try valley.ask("Ada") { try $0.statuses(now: $1).directive(named) }.people
    #expect(people.map(\.state) == [.unaccounted])
  }

  @Test func `an alert that ended and returns needs a new acknowledgement`() throws {
    var valley = try Valley.with("Ada", "Ben")
    func silence(by name: String) throws -> Alert? {
      _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
      return try valley.ask(name) { try $0.alerts(now: $1) }.first { $0.id.kind == .silent }
    }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 30_000)
    try valley.switchOff("Ben")
    try valley.run(milliseconds: 660_000)
    let alert = try #require(try silence(by: "Ada"))
    try valley.at("Ada") { try $0.acknowledgeAlert(alert.id.description, by: nil, now: $1) }
    #expect(try silence(by: "Ada")?.acknowledgement?.name == "Ada")
    try valley.restart("Ada")
    #expect(try silence(by: "Ada")?.acknowledgement?.name == "Ada")
    // When Ben is in contact again, and becomes silent again
    try valley.switchOn("Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 2), now: $1) }
    try valley.run(milliseconds: 30_000)
    #expect(try silence(by: "Ada") == nil)
    try valley.switchOff("Ben")
    try valley.run(milliseconds: 660_000)
    let again = try #require(try silence(by: "Ada"))
    #expect(again.acknowledgement == nil)
  }
}
