import MusterCrypto
import MusterModel

@testable import MusterSync

/// Some stations, one virtual clock and the air between them.
struct World {
  /// What happens to datagrams on their way; percentages.
  struct Weather {
    var loss: UInt64 = 0
    var duplication: UInt64 = 0
    var delayMilliseconds: ClosedRange<UInt64> = 5...5

    static let fine = Weather()
    static let storm = Weather(loss: 30, duplication: 5, delayMilliseconds: 1...120)
  }

  private struct Flight {
    let arrival: Instant
    let order: Int
    let to: Int
    let from: Endpoint
    let bytes: [UInt8]
  }

  var cast: Cast
  var stations: [Station] = []
  var now = Instant(microseconds: 1_000_000_000)
  var weather = Weather.fine
  var hasMulticast = true
  /// Pairs that cannot hear each other.
  var cuts: Set<[Int]> = []
  /// Sees every datagram that is sent, and may keep it for later.
  var tap: [(from: Endpoint, to: Endpoint, bytes: [UInt8])]?
  private var flights: [Flight] = []
  private var order = 0
  private var random: DeterministicRandom

  init(seed: UInt64) {
    cast = Cast(seed: seed)
    random = DeterministicRandom(seed: Cast.seed(seed ^ 0x776f726c64))
  }

  @discardableResult
  mutating func add(_ device: LocalDevice) -> Int {
    stations.append(
      Station(device, number: stations.count, epoch: cast.epoch, now: now))
    return stations.count - 1
  }

  /// The operation's first device, which holds the root's own control log with its certificate.
  @discardableResult
  mutating func found() -> Int {
    let index = add(cast.enrol(.command))
    certify([stations[index].local.certificate], at: index)
    return index
  }

  /// Writes certificates into the root's control log, at the station that keeps it.
  mutating func certify(_ certificates: [SignedCertificate], at index: Int) {
    var pen =
      rootPen
      ?? Pen(
        operation: cast.operation, certificate: .root, key: cast.rootKey, epoch: cast.epoch,
        seed: 0x726f6f74)
    let written = pen.certify(certificates)
    rootPen = pen
    let at = now
    send(from: index) { $0.append(written, now: at) }
  }

  private var rootPen: Pen?

  /// A device certified by the founder, whose certificate is in the founder's control log.
  @discardableResult
  mutating func enrol(_ role: Role, at founder: Int = 0) -> Int {
    let device = cast.enrol(role, by: stations[founder].local)
    let at = now
    let index = add(device)
    send(from: founder) { $0.append($0.pen.certify([device.certificate]), now: at) }
    return index
  }

  // MARK: Acting

  mutating func give(_ input: Input, to index: Int) {
    let at = now
    send(from: index) { $0.handle(input, now: at) }
  }

  mutating func write(_ count: Int, bytes: Int = 60, in lane: Lane = .state, at index: Int) {
    let at = now
    send(from: index) { $0.write(count, bytes: bytes, in: lane, now: at) }
  }

  mutating func record(_ counter: UInt64, at index: Int) {
    let at = now
    send(from: index) { $0.record(counter, now: at) }
  }

  mutating func meet(_ first: Int, _ second: Int) {
    give(.contacts([stations[second].endpoint]), to: first)
  }

  mutating func restart(_ index: Int, remembering contacts: [Int]) {
    let (at, endpoints) = (now, contacts.map { stations[$0].endpoint })
    send(from: index) { $0.restart(remembering: endpoints, now: at) }
  }

  mutating func cut(_ first: Int, _ second: Int) { cuts.insert([first, second].sorted()) }
  mutating func mend(_ first: Int, _ second: Int) { cuts.remove([first, second].sorted()) }

  /// A datagram out of nowhere.
  mutating func inject(_ bytes: [UInt8], from: Endpoint, to index: Int) {
    give(.datagram(bytes, from: from, link: .unknown), to: index)
  }

  private mutating func send(from index: Int, _ act: (inout Station) -> [Station.Sending]) {
    for sending in act(&stations[index]) {
      switch sending.to {
      case .endpoint(let endpoint, _):
        tap?.append((stations[index].endpoint, endpoint, sending.bytes))
        guard let to = stations.firstIndex(where: { $0.endpoint == endpoint }) else { continue }
        launch(sending.bytes, from: index, to: to)
      case .multicast:
        guard hasMulticast else { continue }
        for to in stations.indices where to != index {
          launch(sending.bytes, from: index, to: to)
        }
      }
    }
  }

  private mutating func launch(_ bytes: [UInt8], from: Int, to: Int) {
    var copies = random.uniform(below: 100) < weather.loss ? 0 : 1
    if copies == 1, random.uniform(below: 100) < weather.duplication { copies = 2 }
    for _ in 0..<copies {
      let range = weather.delayMilliseconds
      let delay = range.lowerBound + random.uniform(below: UInt64(range.count))
      order += 1
      flights.append(
        Flight(
          arrival: now.advanced(byMilliseconds: Int64(delay)), order: order, to: to,
          from: stations[from].endpoint, bytes: bytes))
      rise(flights.count - 1)
    }
  }

  // MARK: Time

  /// Lets time pass until the condition holds. False when it did not within the limit.
  @discardableResult
  mutating func run(seconds: Int64, until condition: (World) -> Bool = { _ in false }) -> Bool {
    let end = now.advanced(byMilliseconds: seconds * 1000)
    while !condition(self) {
      let deadlines = stations.indices.compactMap { index in
        stations[index].engine.nextDeadline.map { (max($0, now), index) }
      }
      let timer = deadlines.min { $0.0 < $1.0 }
      if let flight = flights.first, flight.arrival <= timer?.0 ?? .init(microseconds: .max) {
        guard flight.arrival <= end else { break }
        land()
        now = max(now, flight.arrival)
        guard let from = stations.firstIndex(where: { $0.endpoint == flight.from }),
          !cuts.contains([from, flight.to].sorted())
        else { continue }
        give(.datagram(flight.bytes, from: flight.from, link: .unknown), to: flight.to)
      } else if let timer, timer.0 <= end {
        now = timer.0
        give(.deadlinePassed, to: timer.1)
      } else {
        break
      }
    }
    let reached = condition(self)
    if !reached { now = max(now, end) }
    return reached
  }

  // MARK: Questions

  var haveConverged: Bool {
    stations.dropFirst().allSatisfy { $0.shelf.contents == stations[0].shelf.contents }
  }

  var problems: [String] {
    stations.flatMap { station in station.problems.map { "station \(station.number): \($0)" } }
  }

  func frames(_ index: Int, of author: Int, in lane: Lane = .state) -> Int {
    stations[index].shelf.frames[stations[author].pen.log(lane)]?.count ?? 0
  }

  func areConnected(_ first: Int, _ second: Int) -> Bool {
    stations[first].connected(to: stations[second], now: now)
      && stations[second].connected(to: stations[first], now: now)
  }

  // MARK: The heap of flights, soonest first

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (flights[left].arrival, flights[left].order) < (flights[right].arrival, flights[right].order)
  }

  private mutating func rise(_ start: Int) {
    var index = start
    while index > 0, precedes(index, (index - 1) / 2) {
      flights.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func land() {
    flights.swapAt(0, flights.count - 1)
    flights.removeLast()
    var index = 0
    while true {
      let least = [2 * index + 1, 2 * index + 2].filter { $0 < flights.count }
        .min { precedes($0, $1) }
      guard let least, precedes(least, index) else { return }
      flights.swapAt(least, index)
      index = least
    }
  }
}
