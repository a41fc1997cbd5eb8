import MusterAttackers
import MusterModel
import Testing

@testable import MusterReplica

/// Timers, orders and calls for help about a person whose certificate has not arrived (decision
/// 0089).
@Suite("People whose certificate has not arrived")
struct UnknownPeopleTests {
  private static let once = CheckInDraft(
    durationSeconds: 60, repeats: false, graceSeconds: 30, note: "north ridge")

  /// Ada, Ben and Nora. Ada admitted her while Ben was off: he has not received the certificate.
  private func valleyWithNewcomer() throws -> (valley: Valley, nora: UserID) {
    var valley = try Valley.with("Ada", "Ben")
    try valley.switchOff("Ben")
    try valley.join("Nora", invitedBy: "Ada")
    try valley.converge()
    try valley.switchOn("Ben")
    valley.cut(["Ada", "Nora"], ["Ben"])
    let nora = try valley.ask("Nora") { replica, _ in replica.core.local.author.user }
    return (valley, nora)
  }

  private func person(_ user: UserID, at name: String, in valley: inout Valley) throws
    -> UserSummary?
  {
    try valley.ask(name) { try $0.statuses(now: $1).users() }.first { $0.id == user }
  }

  private func alert(_ kind: AlertKind, at name: String, in valley: inout Valley) throws -> Alert? {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }.first { $0.id.kind == kind }
  }

  /// Found by the simulator with seed 746020.
  @Test func `a timer raises its alarm before the certificate of its person arrives`() throws {
    var (valley, nora) = try valleyWithNewcomer()
    try valley.at("Ada") {
      try $0.write(CheckInRequests.start(Self.once, of: [nora]), now: $1).outcome
    }
    try valley.carryUrgentFrames(of: "Ada", to: "Ben")
    let listed = try #require(try person(nora, at: "Ben", in: &valley))
    #expect(listed.isUnknown)
    #expect(listed.callsign == "unknown person \(nora.short)")
    #expect(listed.conditions.map(\.reason) == ["certificate not yet received"])
    try valley.run(milliseconds: 61_000)
    #expect(try alert(.checkIn, at: "Ben", in: &valley)?.level == .warning)
    try valley.run(milliseconds: 30_000)
    let raised = try #require(try alert(.checkIn, at: "Ben", in: &valley))
    #expect(raised.level == .danger)
    #expect(
      raised.text == "unknown person \(nora.short) (certificate not yet received): "
        + "no check-in received here, unaccounted for: north ridge")
    let shown = try valley.ask("Ben") { try $0.statuses(now: $1).checkIns() }
    #expect(shown.map(\.state) == [.unaccounted])
    #expect(shown.map(\.callsign) == ["unknown person \(nora.short)"])
    #expect(try person(nora, at: "Ben", in: &valley)?.status == .unaccounted)

    // The certificate arrives: the same alert is about the right person, and none is raised again.
    valley.heal()
    try valley.converge()
    let changes = try valley.at("Ben") { replica, now in
      let outcome = try replica.reviewAlerts(now: now)
      return (outcome.alertChanges, outcome)
    }
    let raisedAgain = changes.filter { change in
      if case .raised(let alert) = change { alert.id.kind == .checkIn } else { false }
    }
    #expect(raisedAgain.isEmpty)
    let merged = try #require(try alert(.checkIn, at: "Ben", in: &valley))
    #expect(merged.id == raised.id && merged.since == raised.since)
    #expect(merged.text.hasPrefix("Nora: no check-in received here"))
    #expect(try person(nora, at: "Ben", in: &valley)?.isUnknown == false)
    #expect(try valley.ask("Ben") { try $0.statuses(now: $1).users() }.count == 3)
  }

  @Test func `an unknown person is listed no more when the timer ends`() throws {
    var (valley, nora) = try valleyWithNewcomer()
    try valley.at("Ada") {
      try $0.write(CheckInRequests.start(Self.once, of: [nora]), now: $1).outcome
    }
    try valley.carryUrgentFrames(of: "Ada", to: "Ben")
    #expect(try person(nora, at: "Ben", in: &valley) != nil)
    try valley.at("Ada") {
      try $0.write(
        CheckInRequests.report(.stop, of: nora, timer: nil, seconds: 0, note: "is back"), now: $1)
    }
    try valley.carryUrgentFrames(of: "Ada", to: "Ben")
    #expect(try person(nora, at: "Ben", in: &valley) == nil)
    #expect(try alert(.checkIn, at: "Ben", in: &valley) == nil)
  }

  @Test func `command's statement that an unknown person needs help raises the alarm`() throws {
    var (valley, nora) = try valleyWithNewcomer()
    try valley.at("Ada") {
      try $0.write(
        PersonRequests.overrideSafety(of: nora, .needsHelp, note: "fell"), now: $1)
    }
    try valley.carryUrgentFrames(of: "Ada", to: "Ben")
    let alert = try #require(try alert(.help, at: "Ben", in: &valley))
    #expect(alert.text.hasPrefix("unknown person \(nora.short) (certificate not yet received): "))
    #expect(try person(nora, at: "Ben", in: &valley)?.status == .mayday)
    valley.heal()
    try valley.converge()
    #expect(try self.alert(.help, at: "Ben", in: &valley)?.id == alert.id)
  }

  @Test func `an order to an unknown person is not shown as done`() throws {
    var (valley, nora) = try valleyWithNewcomer()
    try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(
          DirectiveDraft(kind: .evacuate, addressees: .users([nora]), durationSeconds: 60)),
        now: $1)
    }
    try valley.carryUrgentFrames(of: "Ada", to: "Ben")
    let order = try #require(
      try valley.ask("Ben") { try $0.statuses(now: $1).directives() }.first)
    #expect(order.unaccounted.map(\.user) == [nora])
    try valley.run(milliseconds: 200_000)
    #expect(try person(nora, at: "Ben", in: &valley)?.status == .unaccounted)
  }

  @Test func `a call for help by a phone is shown before its tracker arrives`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.cut(["Ada", "Cleo"], ["Ben"])
    try valley.at("Cleo") {
      try $0.ingest(fix(metresNorth: 0, second: 1), ofTracker: "truck", now: $1)
    }
    let truck = try #require(
      try valley.ask("Cleo") { try $0.statuses(now: $1).users() }.first { $0.isTracker })
    try valley.at("Cleo") {
      try $0.write(PersonRequests.claim(.needsHelp, note: "fell", forTracker: truck.id), now: $1)
    }
    try valley.at("Cleo") {
      try $0.write(CheckInRequests.start(Self.once, of: [truck.id]), now: $1).outcome
    }
    try valley.carryUrgentFrames(of: "Cleo", to: "Ben")
    let listed = try #require(try person(truck.id, at: "Ben", in: &valley))
    #expect(listed.status == .mayday)
    try valley.run(milliseconds: 91_000)
    #expect(try alert(.help, at: "Ben", in: &valley) != nil)
    #expect(try alert(.checkIn, at: "Ben", in: &valley)?.level == .danger)
  }

  // MARK: Bounds

  private func naming(
    _ person: Int, owner: Int? = nil, by author: Int = 1
  ) -> UnknownPeople.Naming {
    func user(_ number: Int) -> UserID { UserID(raw: Bytes16(high: 0, low: UInt64(number))) }
    return UnknownPeople.Naming(
      person: user(person), trackerOwner: owner.map(user), author: user(author),
      device: DeviceID(raw: Bytes16(high: 1, low: UInt64(author))))
  }

  @Test(arguments: [true, false])
  func `of the people that one author names those with the least ids are listed`(
    isAscending: Bool
  ) {
    let most = Limits.unknownPeoplePerAuthor
    let numbers = Array(1...most + 10)
    let namings =
      (isAscending ? numbers : numbers.reversed()).map { naming($0) } + [naming(900, by: 2)]
    let people = UnknownPeople(namings) { _ in false }
    #expect(Set(people.listed.keys) == Set(((1...most) + [900]).map { naming($0).person }))
    #expect(people.excess == [DeviceID(raw: Bytes16(high: 1, low: 1)): 10])
    let later = UnknownPeople(namings) { $0 <= naming(10).person }
    #expect(later.listed.count == most + 1 && later.excess.isEmpty, "ten are known by now")
  }

  @Test func `a naming as a user counts before one as a carrier, then the least owner`() {
    func owner(_ namings: [UnknownPeople.Naming]) -> UserID? {
      UnknownPeople(namings) { _ in false }.listed[naming(5).person]?.trackerOwner
    }
    let (user, least, other) = (naming(5), naming(5, owner: 2, by: 3), naming(5, owner: 7, by: 4))
    #expect(owner([other, least]) == least.trackerOwner)
    #expect(owner([least, other]) == least.trackerOwner)
    #expect(owner([least, user, other]) == nil)
  }

  @Test(arguments: [true, false])
  func `an insider who invents people fills a bounded list, behind the others`(
    asTrackers: Bool
  ) throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    if !asTrackers { try valley.join("Mallory", invitedBy: "Ada", role: .command) }
    let mallory = asTrackers ? "Cleo" : "Mallory"
    try valley.at("Ben") { try $0.write(CheckInRequests.start(Self.once, of: []), now: $1).outcome }
    try valley.at(mallory) {
      try MaliciousMember.nameInventedPeople(&$0, 100, asTrackers: asTrackers, now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 91_000)
    let shown = try valley.ask("Ben") { try $0.statuses(now: $1).users() }
    #expect(shown.filter(\.isUnknown).count == Limits.unknownPeoplePerAuthor)
    _ = try valley.ask("Ada") { try $0.reviewAlerts(now: $1) }
    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    #expect(alerts.contains { $0.id.kind == .checkIn && $0.text.hasPrefix("Ben: ") })
    let device = valley.laptops[valley.index(mallory)].credentials.device
    #expect(alerts.contains { $0.id.kind == .bound && $0.id.row.raw == device.raw })
    // One revocation ends it.
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    try valley.run(milliseconds: 60_000)
    let after = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    let unknown = after.filter(\.isUnknown)
    #expect(unknown.isEmpty)
    let reached = try valley.ask("Ada") { replica, _ in try replica.queries.boundsReached }
    #expect(!reached.contains { $0.device == device })
  }
}
