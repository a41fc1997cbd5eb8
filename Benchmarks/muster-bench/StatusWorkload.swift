import MusterGeo
import MusterModel
import MusterStatus

/// A large operation: people spread over 20 km among hazard and assembly zones, with open orders.
struct StatusWorkload {
  private(set) var picture: StatusPicture
  private let people: Int
  private var boot: Int64 = 1_000_000
  private var records: UInt64 = 1
  /// Steps through places and people without a random generator.
  private var step: UInt64 = 7

  init(people: Int, zones: Int, vertices: Int, orders: Int) {
    self.people = people
    let outlines = (0..<zones).map { Self.zone($0, vertices: vertices) }
    picture = StatusPicture(
      scene: StatusScene(
        zones: outlines, orders: (0..<orders).map { Self.order($0, zones: outlines) }, permits: []))
    for number in 0..<people {
      picture.update(
        PersonEvidence(
          identity: PersonIdentity(
            id: UserID(raw: Self.bytes(number)), role: .member, team: "team \(number % 50)",
            isTracker: false),
          silenceMilliseconds: 600_000))
      record(number)
    }
  }

  /// Assesses changed persons. Returns how many statuses differ from before.
  mutating func refresh() -> Int {
    picture.refresh(at: StatusClock(boot: boot, wall: Timestamp(milliseconds: boot))).count
  }

  /// One fix of one person, a second after the one before.
  mutating func nextFix() {
    boot += 1
    step = step &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    record(Int(step >> 33) % people)
  }

  private mutating func record(_ number: Int) {
    step = step &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let x = Int64(step >> 44) % 1_800_000
    let y = Int64((step << 20) >> 44) % 1_800_000
    guard let place = Coordinate(latitudeE7: 470_000_000 + y, longitudeE7: 80_000_000 + x) else {
      return
    }
    records += 1
    picture.record(
      FixEvidence(
        order: RecordOrder(
          generation: 1, incarnation: Incarnation(raw: .zero), counter: records),
        position: place, accuracyDecimetres: 80,
        made: .stamped(Span(earliest: boot - 40, latest: boot))),
      of: DeviceID(raw: Self.bytes(number)), of: UserID(raw: Self.bytes(number)))
  }

  private static func bytes(_ number: Int) -> Bytes16 { Bytes16(high: 1, low: UInt64(number)) }

  /// A polygon about 1 km across.
  private static func zone(_ number: Int, vertices: Int) -> StatusZone {
    let (x, y) = (Int64(number * 7919 % 170) * 10_000, Int64(number * 104_729 % 170) * 10_000)
    let side = max(1, vertices / 4)
    let ring = (0..<4 * side).compactMap { index -> Coordinate? in
      let along = Int64(index % side) * 100_000 / Int64(side)
      let jag = Int64(index % 2) * 3000
      let (dx, dy): (Int64, Int64) =
        switch index / side {
        case 0: (along, jag)
        case 1: (100_000 - jag, along)
        case 2: (100_000 - along, 100_000 - jag)
        default: (jag, 100_000 - along)
        }
      return Coordinate(latitudeE7: 470_000_000 + y + dy, longitudeE7: 80_000_000 + x + dx)
    }
    return StatusZone(
      id: RowID(raw: bytes(number)), name: "zone \(number)",
      kind: number % 5 == 0 ? .muster : .hazard, isActive: true,
      fence: PreparedFence(.polygons([FencePolygon(outer: Ring(ring))])))
  }

  private static func order(_ number: Int, zones: [StatusZone]) -> OrderEvidence {
    OrderEvidence(
      id: RowID(raw: bytes(1000 + number)), kind: number % 2 == 0 ? .evacuate : .muster,
      isOpen: true,
      audience: OrderAudience(owner: nil, team: number == 0 ? nil : "team \(number)"),
      role: .command, dot: Dot(frame: bytes(number), index: 0),
      made: .stamped(Span(earliest: 0, latest: 40)), durationMilliseconds: 86_400_000,
      zones: zones.filter { $0.kind == .muster }.prefix(number % 3).map(\.id), supersedes: [],
      acknowledged: [])
  }
}
