import MusterGeo
import MusterModel
import MusterTestKit
import Testing

@testable import MusterStatus

/// Rules about the people in a zone.
@Suite struct ZoneRuleReviewTests {
  private static let zone = StatusWorld().zone(1, .muster, at: 0)

  /// A person at a longitude from the middle of the zone; its radius of 100 m is 0.0009°.
  private func person(
    _ number: Int, at longitude: Double?, role: Role = .member, team: String = "",
    inContact: Bool = true, accuracy: UInt32 = 5
  ) -> ZonePerson {
    ZonePerson(
      id: UserID(number: number), role: role, team: team, isTracker: false,
      isInContact: inContact, hasSignedOff: false,
      fix: longitude.flatMap { Coordinate(latitude: 0, longitude: 20 + $0) }.map {
        Fix(
          position: $0, accuracyDecimetres: accuracy * 10, sampleTime: Timestamp(milliseconds: 0))
      })
  }

  private func violations(
    _ rule: ZoneRule, _ people: [ZonePerson], at time: Int64 = 1000, entered: Bool = false,
    isActive: Bool = true
  ) -> [ZoneRuleViolation] {
    let zone = StatusZone(
      id: Self.zone.id, name: "Camp", kind: .muster, isActive: isActive, fence: Self.zone.fence)
    let evidence = ZoneRuleEvidence(
      rule: rule, made: .stamped(Span(earliest: 0, latest: 500)))
    return ZoneRuleReview(zone, rules: [evidence], people: people)
      .violations(at: StatusClock(boot: time, wall: Timestamp(milliseconds: time))) { _ in entered }
  }

  @Test func `Too few people of a role or team violate a rule, without contact they do not count`()
  {
    let medics = ZoneRule(kind: .atLeast, number: 1, team: "Medics")
    #expect(violations(medics, [person(1, at: 0)]).map(\.count) == [0])
    #expect(violations(medics, [person(1, at: 0, team: "Medics")]).isEmpty)
    #expect(violations(medics, [person(1, at: 0.01, team: "Medics")]).count == 1)
    #expect(violations(medics, [person(1, at: 0, team: "Medics", inContact: false)]).count == 1)
    #expect(violations(medics, [person(1, at: nil, team: "Medics")]).count == 1)
    let command = ZoneRule(kind: .atLeast, number: 1, role: .command)
    #expect(violations(command, [person(1, at: 0)]).count == 1)
    #expect(violations(command, [person(1, at: 0, role: .command)]).isEmpty)
    #expect(violations(command, [], isActive: false).isEmpty, "an inactive zone is only drawn")
  }

  @Test func `Too many people violate a rule, those without contact included`() {
    let rule = ZoneRule(kind: .atMost, number: 1)
    #expect(violations(rule, [person(1, at: 0)]).isEmpty)
    let both = [person(1, at: 0), person(2, at: 0, inContact: false)]
    #expect(violations(rule, both).map(\.count) == [2])
    var left = both
    left[1].hasSignedOff = true
    #expect(violations(rule, left).isEmpty)
  }

  @Test func `No entry in time is possible from the earliest deadline, certain from the latest`() {
    let rule = ZoneRule(kind: .entryBy, number: 60)
    #expect(violations(rule, [], at: 59_999).isEmpty)
    #expect(violations(rule, [], at: 60_000).map(\.isCertain) == [false])
    #expect(violations(rule, [], at: 60_500).map(\.isCertain) == [true])
    #expect(violations(rule, [person(1, at: 0)], at: 60_500).isEmpty)
    #expect(violations(rule, [], at: 60_500, entered: true).isEmpty, "entered and left again")
    let unknown = person(1, at: 0, inContact: false)
    #expect(violations(rule, [unknown], at: 60_500).count == 1, "it may be a position from before")
  }

  @Test func `Who comes within the distance is named; doubt about the position counts as danger`() {
    let rule = ZoneRule(kind: .within, number: 200)
    // 0.0035° are 389 m: 289 m from the edge.
    #expect(violations(rule, [person(1, at: 0.0035)]).isEmpty)
    #expect(violations(rule, [person(1, at: 0.0035, accuracy: 120)]).count == 1)
    let near = [person(2, at: 0.0025), person(1, at: 0)]
    #expect(violations(rule, near).map(\.people) == [[UserID(number: 1), UserID(number: 2)]])
    #expect(violations(rule, [person(1, at: 0, accuracy: 5000)]).isEmpty, "too coarse")
  }
}
