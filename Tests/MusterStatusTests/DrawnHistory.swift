import MusterGeo
import MusterModel
import MusterStatus

/// A history from `Tests/Oracle/status.py`, with the oracle's result.
struct DrawnHistory: Decodable {
  let input: World
  let expected: Answer

  struct Answer: Decodable {
    let status: String
    let severity: String
    let conditions: [[String]]
    let satisfied: [Int]
    let order: Int?
    let goal: Goal?
  }

  struct Goal: Decodable {
    let zone: Int
    let metres: Double
    let bearing: Double?
  }

  struct World: Decodable {
    let now: Int64
    let wall: Int64
    let silence: Int64
    let person: Person
    let everReceived: Bool
    let zones: [Zone]
    let devices: [Device]
    let orders: [Order]
    let timers: [Timer]
    let claims: [Claim]
    let relayed: [Claim]
    let helpOverrides: [Claim]
    let accountings: [Accounting]
    let signOff: SignOff?
    let permits: [Permit]
  }

  struct Person: Decodable {
    let id: Int
    let role: String
    let team: String
    let tracker: Bool
  }

  struct Moment: Decodable {
    let stamped: [Int64?]?
    let arrival: Int64?
    let wall: Int64?

    var evidence: Evidence {
      if let stamped, let latest = stamped.last ?? nil {
        return .stamped(.from(stamped[0], latest))
      }
      return .unstamped(arrival: arrival ?? 0, reportedAt: Timestamp(milliseconds: wall ?? 0))
    }
  }

  struct Zone: Decodable {
    let id: Int
    let kind: String
    let active: Bool
    let circle: [Int64]?
    let rings: [[[Int64]]]?
  }

  struct Device: Decodable {
    let id: Int
    let revoked: Bool
    let received: Moment?
    let fixes: [Fix]
  }

  struct Fix: Decodable {
    let order: Int
    let lat: Int64
    let lon: Int64
    let accuracy: UInt32?
    let made: Moment
    let age: Age
  }

  /// How old a fix is in its record.
  struct Age: Decodable {
    let kind: String
    let milliseconds: Int64
    let held: Int64

    var age: FixAge {
      let atReceipt: SampleAge =
        switch kind {
        case "exactly": .exactly(milliseconds: milliseconds)
        case "about": .about(milliseconds: milliseconds)
        case "atLeast": .atLeast(milliseconds: milliseconds)
        default: .unknown
        }
      return FixAge(atReceipt, heldMilliseconds: held)
    }
  }

  struct Order: Decodable {
    let id: Int
    let kind: String
    let open: Bool
    let audience: Audience
    let owner: Int
    let role: String
    let dot: Int
    let made: Moment
    let durations: [Int64]
    let zones: [Int]
    let supersedes: [Int]
    let expected: [Int]?
    let acks: [Int]
  }

  struct Audience: Decodable {
    let users: [Int]
    let role: String?
    let team: String
  }

  struct Timer: Decodable {
    let id: Int
    let checkedIn: Bool
    let grace: Int64
    let due: [Int64?]
  }

  struct Claim: Decodable {
    let dot: Int
    let safe: Bool?
    let seen: [Int]?
  }

  struct Accounting: Decodable {
    let claims: [Int]
    let rows: [Int]
    let positions: [Position]
    let away: [Int]
  }

  struct Position: Decodable {
    let device: Int
    let order: Int
  }

  struct SignOff: Decodable { let rows: [Int] }

  struct Permit: Decodable {
    let zone: Int
    let users: [Int]
    let team: String
    let revoked: Bool
    let made: Moment
    let durations: [Int64]
  }
}

extension DrawnHistory {
  /// The status function's result at the random time.
  var assessment: StatusAssessment { assessment(after: 0) }

  /// The result some milliseconds later.
  func assessment(after milliseconds: Int64) -> StatusAssessment {
    let clock = StatusClock(
      boot: input.now + milliseconds, wall: Timestamp(milliseconds: input.wall + milliseconds))
    return StatusAssessment(of: person, in: scene, at: clock)
  }

  /// The result at a node that holds only the newest position record of each device.
  var assessmentOfNewestRecords: StatusAssessment {
    var person = person
    for (index, device) in input.devices.enumerated() {
      var (last, received): ([EarlierFix], FixHistory) = ([], FixHistory())
      for drawn in device.fixes.sorted(by: { $0.order < $1.order }) {
        let fix = fix(drawn)
        let earlier = EarlierFix.carried(by: EarlierFix(fix), after: last, in: scene)
        received = FixHistory()
        received.record(
          earlier.map { FixEvidence($0, before: fix.made) } + [fix], isRevoked: device.revoked,
          in: scene)
        last = earlier + [EarlierFix(fix)]
      }
      person.devices[index].history = received
    }
    let clock = StatusClock(boot: input.now, wall: Timestamp(milliseconds: input.wall))
    return StatusAssessment(of: person, in: scene, at: clock)
  }

  /// Whether the newest records alone lack something: the time of an earlier fix is not carried,
  /// and the fixes of a revoked device clear nothing.
  var needsEarlierRecords: (time: Bool, danger: Bool) {
    let isRevoked = input.devices.contains { $0.revoked && $0.fixes.count > 1 }
    let isUnusable = input.devices.contains { device in
      device.fixes.max { $0.order < $1.order }.map { !fix($0).isUsable } ?? false
    }
    return (isUnusable, isRevoked)
  }

  private var person: PersonEvidence {
    let drawn = input.person
    var person = PersonEvidence(
      identity: PersonIdentity(
        id: UserID(number: drawn.id), role: role(drawn.role), team: drawn.team,
        isTracker: drawn.tracker), silenceMilliseconds: input.silence)
    person.wasReceived = input.everReceived
    person.devices = input.devices.map { device in
      StatusDevice(
        id: DeviceID(number: device.id), isRevoked: device.revoked,
        received: device.received?.evidence,
        history: FixHistory(all: device.fixes.map(fix)))
    }
    person.timers = input.timers.compactMap { timer in
      guard let latest = timer.due[1] else { return nil }
      return TimerEvidence(
        id: RowID(number: timer.id), due: .from(timer.due[0], latest),
        graceMilliseconds: timer.grace, isSatisfied: timer.checkedIn)
    }
    person.statements.claims = input.claims.map(claim)
    person.statements.relayed = input.relayed.map(claim)
    person.statements.helpOverrides = input.helpOverrides.map(claim)
    person.statements.accountings = input.accountings.map { drawn in
      AccountingEvidence(
        by: "ANNA", claims: dots(drawn.claims), rows: rows(drawn.rows),
        positions: Dictionary(
          drawn.positions.map { (DeviceID(number: $0.device), order($0.order)) },
          uniquingKeysWith: { $1 }),
        away: Set(drawn.away.map { DeviceID(number: $0) }))
    }
    person.statements.signOff = input.signOff.map {
      SignOffEvidence(reason: "", rows: rows($0.rows))
    }
    return person
  }

  private var scene: StatusScene {
    StatusScene(
      zones: input.zones.map { zone in
        StatusZone(
          id: RowID(number: zone.id), name: "zone \(zone.id)",
          kind: FenceKind(name: zone.kind) ?? .info, isActive: zone.active,
          fence: PreparedFence(geometry(zone)))
      },
      orders: input.orders.map(evidence),
      permits: input.permits.map { permit in
        PermitEvidence(
          zone: RowID(number: permit.zone), users: permitted(permit), made: permit.made.evidence,
          durationMilliseconds: (permit.durations.min() ?? 0) * 1000, isRevoked: permit.revoked)
      })
  }

  /// A permit for a team names those who are in it.
  private func permitted(_ permit: Permit) -> Set<UserID> {
    let isInTeam = !permit.team.isEmpty && permit.team == input.person.team
    return users(permit.users + (isInTeam ? [input.person.id] : []))
  }

  private func evidence(_ order: Order) -> OrderEvidence {
    let kind = DirectiveKind.allCases.first { $0.name == order.kind } ?? .message
    return OrderEvidence(
      id: RowID(number: order.id), kind: kind, isOpen: order.open,
      audience: OrderAudience(
        owner: UserID(number: order.owner), users: users(order.audience.users),
        role: order.audience.role.map(role),
        team: order.audience.team.isEmpty ? nil : order.audience.team,
        expected: kind == .rollcall ? order.expected.map(users) : nil),
      role: role(order.role), dot: dot(order.dot), made: order.made.evidence,
      durationMilliseconds: order.durations.min().map { $0 * 1000 },
      zones: order.zones.map { RowID(number: $0) }, supersedes: rows(order.supersedes),
      acknowledged: users(order.acks))
  }

  private func geometry(_ zone: Zone) -> FenceGeometry {
    if let circle = zone.circle {
      return .circle(
        center: place([circle[0], circle[1]]), radiusCentimetres: UInt32(circle[2]))
    }
    let rings = (zone.rings ?? []).map { Ring($0.map(place)) }
    return .polygons([FencePolygon(outer: rings[0], holes: Array(rings.dropFirst()))])
  }

  private func fix(_ drawn: Fix) -> FixEvidence {
    FixEvidence(
      order: order(drawn.order), position: place([drawn.lat, drawn.lon]),
      accuracyDecimetres: drawn.accuracy, made: drawn.made.evidence.fix(of: drawn.age.age),
      age: drawn.age.age)
  }

  private func claim(_ drawn: Claim) -> ClaimEvidence {
    ClaimEvidence(
      dot: dot(drawn.dot), claim: drawn.safe == true ? .safe : .needsHelp,
      seen: dots(drawn.seen ?? []))
  }

  private func place(_ numbers: [Int64]) -> Coordinate {
    guard let place = Coordinate(latitudeE7: numbers[0], longitudeE7: numbers[1]) else {
      preconditionFailure("\(numbers) is no place")
    }
    return place
  }

  private func order(_ number: Int) -> RecordOrder {
    RecordOrder(generation: 1, incarnation: Incarnation(raw: .zero), counter: UInt64(number))
  }

  private func role(_ name: String) -> Role { Role(name: name) ?? .member }
  private func dot(_ number: Int) -> Dot {
    Dot(frame: Bytes16(high: 0, low: UInt64(number)), index: 0)
  }
  private func dots(_ numbers: [Int]) -> Set<Dot> { Set(numbers.map(dot)) }
  private func rows(_ numbers: [Int]) -> Set<RowID> { Set(numbers.map { RowID(number: $0) }) }
  private func users(_ numbers: [Int]) -> Set<UserID> { Set(numbers.map { UserID(number: $0) }) }
}

extension Identifier {
  /// A short identifier for tests.
  init(number: Int) { self.init(raw: Bytes16(high: 0, low: UInt64(number))) }
}

extension Span {
  /// An interval whose lower bound may be unknown.
  static func from(_ earliest: Int64?, _ latest: Int64) -> Span {
    earliest.map { Span(earliest: $0, latest: latest) } ?? .notAfter(latest)
  }
}
