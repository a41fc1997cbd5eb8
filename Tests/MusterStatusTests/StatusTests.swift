import MusterGeo
import MusterModel
import MusterTestKit
import Testing

@testable import MusterStatus

/// The rules of decision 0037, one at a time. Distances on the equator: 0.001° are 111 m.
@Suite struct StatusTests {
  @Test func `Zones alone are not orders, and people at work are ok`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .muster, at: 0), world.zone(2, .muster, at: 1)]
    world.fix(at: 0.5)
    #expect(world.status == .ok && world.assessment.severity == .neutral)
    #expect(world.assessment.guidance == nil)
    world.fix(at: 1)
    #expect(world.status == .atAssembly)
  }

  @Test
  func `An order is ordered, overdue, then unaccounted two minutes after the latest deadline`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .muster, at: 0)]
    world.orders = [world.order(9, .muster, made: 1000, seconds: 60)]
    world.fix(at: 0.01, made: 500)
    func status(_ moment: Int64) -> PersonStatus { world.assessment(at: moment).status }
    #expect(status(2000) == .ordered)
    #expect(status(60_899) == .ordered)
    #expect(status(60_900) == .overdue, "the order may have been made 100 ms earlier")
    #expect(status(180_999) == .overdue)
    #expect(status(181_000) == .unaccounted)
    #expect(world.assessment(at: 2000).nextChange == 60_900)
    #expect(world.assessment(at: 60_900).nextChange == 181_000)
  }

  @Test func `Only a fix reported after the order was issued satisfies it`() throws {
    var world = StatusWorld()
    world.zones = [world.zone(1, .muster, at: 0), world.zone(2, .muster, at: 1)]
    world.orders = [world.order(9, .evacuate, zones: [1], made: 1000, seconds: 60)]
    world.fix(at: 0, made: 999)
    #expect(world.assessment(at: 200_000).conditions.map(\.status).contains(.unaccounted))
    #expect(world.assessment(at: 1500).status == .ordered)
    world.fix(at: 0, made: 1100)
    #expect(world.assessment(at: 200_000).status == .atAssembly)
    #expect(world.assessment(at: 200_000).satisfiedOrders == [RowID(number: 9)])
    world.fix(at: 1, made: 1200)
    let astray = world.assessment(at: 2000)
    #expect(astray.status == .ordered, "another zone than the order's")
    let way = try #require(astray.guidance)
    #expect(way.zone == RowID(number: 1) && way.bearingDegrees.map { abs($0 - 270) < 0.1 } == true)
    #expect(way.distanceMetres.map { abs($0 - 111_219) < 5 } == true)
  }

  @Test func `No other zone stands in for one of an order that has not arrived`() {
    var world = StatusWorld()
    world.zones = [world.zone(2, .muster, at: 1)]
    world.orders = [
      world.order(
        9, .evacuate, zones: [1], awaitsZones: true, made: 1000, seconds: 60, acknowledged: true)
    ]
    world.fix(at: 1, made: 1100)
    #expect(world.assessment(at: 2000).status == .ordered)
    #expect(world.assessment(at: 2000).guidance?.zone == nil)
    #expect(world.assessment(at: 200_000).status == .unaccounted)
    world.orders = [
      world.order(9, .evacuate, zones: [1], made: 1000, seconds: 60, acknowledged: true)
    ]
    #expect(world.assessment(at: 2000).status == .atAssembly, "a deleted zone")
  }

  @Test func `An acknowledgement satisfies a roll call, and an order only where no zone exists`() {
    var world = StatusWorld()
    world.fix(at: 0)
    world.orders = [
      world.order(8, .rollcall, made: 0, acknowledged: true),
      world.order(9, .evacuate, made: 0, acknowledged: true),
    ]
    #expect(world.status == .ok)
    world.zones = [world.zone(1, .muster, at: 1)]
    #expect(world.status == .ordered)
    #expect(world.assessment.satisfiedOrders == [RowID(number: 8)])
  }

  @Test func `Of concurrent orders evacuate is shown, and the zones of either satisfy`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .muster, at: 0), world.zone(2, .muster, at: 1)]
    world.orders = [
      world.order(8, .muster, zones: [2], made: 0), world.order(9, .evacuate, zones: [1], made: 0),
    ]
    world.fix(at: 1, made: 1000)
    #expect(world.assessment.guidance?.order == RowID(number: 9))
    #expect(world.assessment.satisfiedOrders.count == 2)
    world.orders[1].supersedes = [RowID(number: 8)]
    #expect(world.status == .ordered, "the zone of an order that was replaced")
  }

  @Test func `A coarse fix clears a hazard only if its whole circle is outside`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .hazard, at: 0)]
    world.fix(at: 0, accuracy: 10)
    #expect(world.status == .inHazard)
    world.fix(at: 0.005, accuracy: 800)
    #expect(world.status == .inHazard, "456 m from the edge, give or take 800 m")
    world.fix(at: 0.005, accuracy: 400)
    #expect(world.status == .ok)
    world.fix(at: 0.005, accuracy: 800)
    #expect(world.status == .ok, "a coarse fix far from the edge shows no danger by itself")
  }

  @Test func `Close to a hazard counts as inside: within the accuracy, at most 100 m`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .hazard, at: 0)]
    // The edge is at 0.0009°, 100 m from the centre.
    world.fix(at: 0.0014, accuracy: 60)
    #expect(world.status == .inHazard, "56 m from the edge")
    world.fix(at: 0.0014, accuracy: 50)
    #expect(world.status == .ok)
    world.fix(at: 0.0014, accuracy: nil)
    #expect(world.status == .inHazard, "unknown counts as 100 m")
    world.fix(at: 0.0014, accuracy: 1200)
    #expect(world.status == .inHazard, "a fix that is not usable clears nothing")
  }

  @Test func `Fixes of a revoked device show danger, clear none, and are no contact`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .hazard, at: 0), world.zone(2, .muster, at: 1)]
    world.person.devices[0].isRevoked = true
    world.fix(at: 0)
    world.fix(at: 0.5)
    #expect(world.assessment.conditions.map(\.status) == [.inHazard, .noContact])
    world.person.devices[0].history = FixHistory()
    world.fix(at: 1)
    #expect(world.status == .noContact)
    #expect(world.assessment.reason == "device revoked, no contact")
  }

  @Test func `A permit makes a hazard a warning until the earliest time at which it can end`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .hazard, at: 0)]
    world.fix(at: 0)
    world.permits = [
      PermitEvidence(
        zone: RowID(number: 1), users: [world.person.identity.id],
        made: .stamped(Span(earliest: 0, latest: 50_000)), durationMilliseconds: 60_000,
        isRevoked: false)
    ]
    #expect(world.assessment(at: 59_999).severity == .warning)
    #expect(world.assessment(at: 59_999).nextChange == 60_000)
    #expect(world.assessment(at: 60_000).severity == .danger)
  }

  @Test func `Mayday and no contact are shown together`() {
    var world = StatusWorld()
    world.fix(at: 0, made: 0)
    world.person.statements.claims = [world.claim(1, .needsHelp)]
    let lost = world.assessment(at: 700_000)
    #expect(lost.status == .mayday && lost.conditions.map(\.status) == [.mayday, .noContact])
  }

  @Test func `An accounting ends with a later call, order or fix, and not with an earlier one`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .hazard, at: 0), world.zone(2, .muster, at: 1)]
    world.orders = [world.order(9, .evacuate, made: 0, seconds: 1)]
    world.fix(at: 0)
    world.person.statements.claims = [world.claim(1, .needsHelp)]
    world.account(claims: [1], rows: [9])
    let accounted = world.assessment(at: 500_000)
    #expect(accounted.status == .accountedFor && accounted.satisfiedOrders.count == 1)
    var later = world
    later.person.statements.claims = [world.claim(2, .needsHelp)]
    #expect(later.assessment(at: 500_000).status == .mayday)
    later = world
    later.fix(at: 0)
    #expect(later.assessment(at: 500_000).status == .inHazard)
    later.person.statements.accountings[0].away = [DeviceID(number: 1)]
    #expect(later.assessment(at: 500_000).status == .accountedFor, "the phone lies there alone")
    later = world
    later.orders.append(world.order(10, .rollcall, made: 0, seconds: 1))
    let overdue = later.assessment(at: 1000)
    #expect(overdue.status == .inHazard, "the accounting no longer speaks for the old fix")
    #expect(overdue.conditions.map(\.status) == [.inHazard, .overdue])
    #expect(later.assessment(at: 800).status == .accountedFor)
  }

  @Test func `Signing off names what it leaves: a later order yields unaccounted`() {
    var world = StatusWorld()
    world.fix(at: 0)
    world.orders = [world.order(9, .rollcall, made: 0, seconds: 1)]
    world.person.statements.signOff = SignOffEvidence(reason: "shift over", rows: [])
    #expect(world.assessment(at: 2000).status == .signedOff)
    #expect(world.assessment(at: 500_000).status == .unaccounted)
    world.person.statements.signOff?.rows = [RowID(number: 9)]
    #expect(world.assessment(at: 500_000).status == .signedOff)
  }

  @Test func `A record without a stamp counts by the worse of arrival and wall clock`() {
    var world = StatusWorld()
    // A device whose clock is a day ahead, silent for an hour.
    world.person.wasReceived = true
    world.person.devices[0].received = .unstamped(
      arrival: 0, reportedAt: Timestamp(milliseconds: 86_400_000))
    #expect(world.assessment(at: 3_600_000).status == .noContact)
    #expect(world.assessment(at: 3_600_000).clockDiffers)
    #expect(world.assessment(at: 600_000).status == .noPosition)
  }

  @Test func `A history keeps the fixes after the last fine one, and is bounded`() {
    var history = FixHistory()
    var world = StatusWorld()
    world.zones = [world.zone(1, .hazard, at: 0)]
    let scene = world.scene
    for number in 1...40 {
      // The zone has 100 m, and 0.004 degrees are 445 m.
      let fix = world.fixEvidence(
        number, at: number == 7 ? 0.0005 : 0.004, accuracy: number == 3 ? 80 : 500)
      history.record([fix], isRevoked: false, in: scene)
    }
    #expect(history.fixes.count == FixHistory.limit)
    let kept = history.fixes.map(\.order.counter)
    #expect(kept.first == 3, "the fine fix decides for zones that are drawn later")
    #expect(kept.contains(7), "the danger that nothing has cleared")
    #expect(kept.last == 40)
    history.record([world.fixEvidence(41, at: 0, accuracy: 5)], isRevoked: false, in: scene)
    #expect(history.fixes.count == 1)
    history.record([world.fixEvidence(40, at: 0, accuracy: 5)], isRevoked: false, in: scene)
    #expect(history.newest?.order.counter == 41, "older")
  }

  @Test func `A record carries four fixes with which every zone's danger is that of all fixes`() {
    let world = StatusWorld()
    for seed in UInt64(0)..<300 {
      var random = SplitMix64(seed: seed)
      let zones = (1...3).map {
        world.zone($0, .hazard, at: Double(random.number(below: 40)) * 0.0005)
      }
      let scene = StatusScene(zones: zones, orders: [], permits: [])
      var (carried, all) = (FixHistory(), [FixEvidence]())
      for number in 1...30 {
        let fix = world.fixEvidence(
          number, at: Double(random.number(below: 40)) * 0.0005,
          accuracy: random.chance(oneIn: 12) ? 20 : UInt32(101 + random.number(below: 1100)))
        all.append(fix)
        carried.record([fix], isRevoked: false, in: scene, limit: Limits.earlierFixes)
        for zone in zones {
          let expected = HazardReplay.newest(all.filter(\.isUsable), isRevoked: false, in: zone)
          let found = HazardReplay.newest(carried.fixes, isRevoked: false, in: zone)
          #expect(found == expected, "seed \(seed), fix \(number), \(zone.name)")
        }
      }
    }
  }

  // MARK: Picture

  @Test func `A picture reassesses changed people, and those whose time is due`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .hazard, at: 0)]
    var picture = StatusPicture(scene: world.scene)
    for number in 1...3 {
      var person = PersonEvidence(
        identity: PersonIdentity(
          id: UserID(number: number), role: .member, team: "", isTracker: false),
        silenceMilliseconds: 600_000)
      person.wasReceived = true
      picture.update(person)
      picture.record(
        world.fixEvidence(1, at: 0.5, made: Int64(number) * 1000),
        of: DeviceID(number: number), of: person.identity.id)
    }
    #expect(picture.refresh(at: StatusWorld.clock(5000)).count == 3)
    #expect(picture.refresh(at: StatusWorld.clock(5001)).isEmpty)
    picture.record(
      world.fixEvidence(2, at: 0, made: 6000), of: DeviceID(number: 2), of: UserID(number: 2))
    let entered = picture.refresh(at: StatusWorld.clock(6000))
    #expect(entered.map(\.user) == [UserID(number: 2)])
    #expect(entered.first?.before?.status == .ok && entered.first?.after.status == .inHazard)
    #expect(picture.refresh(at: StatusWorld.clock(600_899)).isEmpty)
    let silent = picture.refresh(at: StatusWorld.clock(600_901))
    #expect(silent.map(\.user) == [UserID(number: 1)])
    #expect(silent.first?.after.status == .noContact)
    let others = picture.refresh(at: StatusWorld.clock(700_000))
    #expect(others.map(\.user) == [UserID(number: 2), UserID(number: 3)])
    picture.keep(only: [UserID(number: 1)])
    #expect(picture.users == [UserID(number: 1)])
  }

  @Test func `A millisecond between two readings of the clocks changes no assessment`() {
    var world = StatusWorld()
    // The wall clock and the boot clock tick at different moments.
    func clock(_ boot: Int64, ahead: Int64) -> StatusClock {
      StatusClock(boot: boot, wall: Timestamp(milliseconds: boot + ahead))
    }
    world.person.wasReceived = true
    world.person.devices[0].received = .unstamped(
      arrival: 9000, reportedAt: Timestamp(milliseconds: 5000))
    var picture = StatusPicture(scene: world.scene)
    picture.update(world.person)
    #expect(picture.refresh(at: clock(10_000, ahead: 0)).count == 1)
    // When it is assessed again
    picture.update(world.scene)
    #expect(picture.refresh(at: clock(20_000, ahead: 1)).isEmpty)
    // The wall clock was set: everyone is assessed by it
    #expect(picture.refresh(at: clock(30_000, ahead: 1002)).count == 1)
    picture.update(world.scene)
    #expect(picture.refresh(at: clock(40_000, ahead: 1001)).isEmpty)
  }
}
