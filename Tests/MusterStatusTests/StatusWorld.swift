import MusterGeo
import MusterModel
import MusterStatus

/// One person with one device on the equator, among zones that are circles of 100 m.
struct StatusWorld {
  var zones: [StatusZone] = []
  var orders: [OrderEvidence] = []
  var permits: [PermitEvidence] = []
  var person = PersonEvidence(
    identity: PersonIdentity(id: UserID(number: 1), role: .member, team: "", isTracker: false),
    silenceMilliseconds: 600_000)
  private var fixes = 0

  init() {
    person.devices = [
      StatusDevice(id: DeviceID(number: 1), isRevoked: false, received: nil, history: FixHistory())
    ]
  }

  static func clock(_ boot: Int64) -> StatusClock {
    StatusClock(boot: boot, wall: Timestamp(milliseconds: boot))
  }

  var scene: StatusScene { StatusScene(zones: zones, orders: orders, permits: permits) }
  var assessment: StatusAssessment { assessment(at: 2000) }
  var status: PersonStatus { assessment.status }

  func assessment(at boot: Int64) -> StatusAssessment {
    StatusAssessment(of: person, in: scene, at: Self.clock(boot))
  }

  /// The time, known to 100 ms.
  func moment(_ made: Int64) -> Evidence { .stamped(Span(earliest: made - 100, latest: made)) }

  func zone(_ number: Int, _ kind: FenceKind, at longitude: Double) -> StatusZone {
    StatusZone(
      id: RowID(number: number), name: "zone \(number)", kind: kind, isActive: true,
      fence: PreparedFence(.circle(center: place(longitude), radiusCentimetres: 10_000)))
  }

  func order(
    _ number: Int, _ kind: DirectiveKind, zones: [Int] = [], awaitsZones: Bool = false, made: Int64,
    seconds: Int64? = nil, acknowledged: Bool = false
  ) -> OrderEvidence {
    OrderEvidence(
      id: RowID(number: number), kind: kind, isOpen: true,
      audience: OrderAudience(owner: UserID(number: 99)), role: .command, dot: dot(number),
      made: moment(made), durationMilliseconds: seconds.map { $0 * 1000 },
      zones: zones.map { RowID(number: $0) }, awaitsZones: awaitsZones, supersedes: [],
      acknowledged: acknowledged ? [person.identity.id] : [])
  }

  func claim(_ number: Int, _ claim: SafetyClaim) -> ClaimEvidence {
    ClaimEvidence(dot: dot(number), claim: claim)
  }

  /// Writes command's accounting for the person as of now.
  mutating func account(claims: [Int], rows: [Int]) {
    person.statements.accountings = [
      AccountingEvidence(
        by: "ANNA", claims: Set(claims.map(dot)), rows: Set(rows.map { RowID(number: $0) }),
        positions: [DeviceID(number: 1): order(fixes)], away: [])
    ]
  }

  /// Adds a fix of the device.
  mutating func fix(at longitude: Double, accuracy: UInt32? = 5, made: Int64 = 1500) {
    fixes += 1
    let fix = fixEvidence(fixes, at: longitude, accuracy: accuracy, made: made)
    person.devices[0].history.record([fix], isRevoked: person.devices[0].isRevoked, in: scene)
    person.devices[0].received = moment(made)
    person.wasReceived = true
  }

  func fixEvidence(
    _ number: Int, at longitude: Double, accuracy: UInt32? = 5, made: Int64 = 1500
  ) -> FixEvidence {
    FixEvidence(
      order: order(number), position: place(longitude),
      accuracyDecimetres: accuracy.map { $0 * 10 }, made: moment(made))
  }

  private func order(_ number: Int) -> RecordOrder {
    RecordOrder(generation: 1, incarnation: Incarnation(raw: .zero), counter: UInt64(number))
  }

  private func dot(_ number: Int) -> Dot {
    Dot(frame: Bytes16(high: 0, low: UInt64(number)), index: 0)
  }

  private func place(_ longitude: Double) -> Coordinate {
    // Away from 0,0, which is not a valid fix.
    guard let place = Coordinate(latitude: 0, longitude: longitude + 20) else {
      preconditionFailure("\(longitude) is no longitude")
    }
    return place
  }
}

extension StatusAssessment {
  /// The open orders that the person satisfies.
  var satisfiedOrders: [RowID] { orders.filter(\.isSatisfied).map(\.id) }
}
