import MusterCrypto
import MusterModel

@testable import MusterSync

/// Some stations, one virtual clock and the air between them.
struct World {
  /// What happens to datagrams on their way; percentages.
  struct Weather {
    var loss: UInt64 = 0
    var duplication: UInt64 = 0
    /// How often what is doubled arrives.
    var copies = 2
    var delayMilliseconds: ClosedRange<UInt64> = 5...5

    static let fine = Weather()
    static let storm = Weather(loss: 30, duplication: 5, delayMilliseconds: 1...120)
  }

  /// A bottleneck: what does not fit its queue is lost.
  struct Channel {
    var bitsPerSecond: Int
    var queueMilliseconds: Int64
    /// One for all, as a radio channel is, or one for each sender.
    var isShared = false
    /// Until when it carries what it has taken, by sender.
    var busyUntil: [Int: Instant] = [:]
    /// The queue of each radio in bytes, if the senders of a shared channel take turns, one datagram
    /// each. Without it, datagrams are sent in the order in which they came.
    var radioBytes: Int?
  }

  /// A datagram in the queue of its sender's radio.
  private struct Waiting {
    let bytes: [UInt8]
    let from: Int
    /// Nil for a multicast.
    let to: Endpoint?
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
  var channel: Channel?
  var hasMulticast = true
  /// Whether announces are sent with new data only, as if their next time were minutes away.
  var announcesDataOnly = false
  /// Larger packets, with IPv4 and UDP headers, are lost.
  var packetBytes = 1500
  /// Addresses at which nothing arrives, and from which nothing comes.
  var cutAddresses: Set<Endpoint> = []
  /// Stations of which multicast alone is received, and that receive nothing else.
  var multicastOnly: Set<Int> = []
  /// Stations that multicast does not reach.
  var deaf: Set<Int> = []
  /// Whether each engine's invariants are checked after each input.
  var checksInvariants = true
  let start: Instant
  /// Stations that receive nothing and process no deadline.
  var asleep: Set<Int> = []
  /// Pairs that are partitioned.
  var cuts: Set<[Int]> = []
  /// Sees every datagram that is sent, and may keep it for later.
  var tap: [(from: Endpoint, to: Endpoint, bytes: [UInt8])]?
  /// What left and was not lost in a queue, once it is asked for by an empty list.
  var departures: [(from: Int, to: Int?, at: Instant, bytes: Int)]?
  private var flights: [Flight] = []
  /// The queues of the radios, of the sender that is next first.
  private var radios: [[Waiting]] = []
  private var order = 0
  private var random: DeterministicRandom

  init(seed: UInt64) {
    cast = Cast(seed: seed)
    start = now
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

  /// A device certified by the founder that no station knows yet.
  mutating func cast(_ role: Role) { add(cast.enrol(role, by: stations[0].local)) }

  /// Everybody's certificate becomes known to everybody, as if they had all met before.
  mutating func share() {
    let at = now
    certify(stations.dropFirst().map(\.local.certificate))
    let logIndex = stations[0].logIndex
    for index in stations.indices.dropFirst() {
      for log in logIndex.frames.keys.sorted() {
        guard let opening = logIndex.openings[log], let frames = logIndex.frames[log] else {
          continue
        }
        _ = stations[index].append((opening, frames), now: at)
      }
    }
  }

  /// Certificates in the founder's own control log, a few a frame.
  mutating func certify(_ certificates: [SignedCertificate]) {
    let at = now
    for first in stride(from: 0, to: certificates.count, by: 3) {
      let few = Array(certificates[first..<min(first + 3, certificates.count)])
      _ = stations[0].append(stations[0].pen.certify(few), now: at)
    }
  }

  /// Stores frames of a device in one station, or in all, as if received earlier.
  mutating func keep(_ written: (Opening, [Frame]), at index: Int? = nil) {
    let at = now
    for index in index.map({ [$0] }) ?? Array(stations.indices) {
      _ = stations[index].append(written, now: at)
    }
  }

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
    let checks = checksInvariants
    send(from: index) { station in
      station.checksInvariants = checks
      return station.handle(input, now: at)
    }
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

  mutating func giveSecondAddress(to index: Int) {
    stations[index].second = Station.secondEndpoint(index)
  }

  /// Sends a packet of one's own making on a station's session with another.
  mutating func send(_ packet: Packet, from liar: Int, to index: Int) {
    let device = stations[index].local.device
    guard let session = stations[liar].engine.context.liveSession(of: device),
      let bytes = stations[liar].engine.context.sessions[session]?.seal(packet.encoded())
    else { preconditionFailure("no session") }
    inject(bytes, from: stations[liar].endpoint, to: index)
  }

  mutating func cut(_ first: Int, _ second: Int) { cuts.insert([first, second].sorted()) }
  mutating func repair(_ first: Int, _ second: Int) { cuts.remove([first, second].sorted()) }

  /// A datagram out of nowhere.
  mutating func inject(_ bytes: [UInt8], from: Endpoint, to index: Int) {
    give(.datagram(bytes, from: from, link: .unknown), to: index)
  }

  private mutating func send(from index: Int, _ act: (inout Station) -> [Station.Sending]) {
    for sending in act(&stations[index]) {
      let datagram: Waiting
      switch sending.to {
      case .endpoint(let endpoint, _):
        tap?.append((stations[index].endpoint, endpoint, sending.bytes))
        guard !cutAddresses.contains(endpoint), let to = station(at: endpoint),
          multicastOnly.isDisjoint(with: [index, to])
        else { continue }
        datagram = Waiting(bytes: sending.bytes, from: index, to: endpoint)
      case .multicast:
        guard hasMulticast, !announcesDataOnly || hasData(sending.bytes, from: index) else {
          continue
        }
        datagram = Waiting(bytes: sending.bytes, from: index, to: nil)
      }
      if let most = channel?.radioBytes {
        wait(datagram, most: most)
      } else if let start = carry(sending.bytes, from: index) {
        leave(datagram, at: start)
      }
    }
  }

  /// Returns whether an announce carries frames or records.
  private func hasData(_ bytes: [UInt8], from index: Int) -> Bool {
    let local = stations[index].local
    let announce = try? Announce.Unverified(
      opening: bytes[...], rules: local.rulesVersion, operation: local.operation,
      networkKey: local.networkKey)?.announce
    return announce.map { !$0.runs.isEmpty || !$0.records.isEmpty } ?? true
  }

  private mutating func leave(_ datagram: Waiting, at start: Instant) {
    let to = datagram.to.flatMap { station(at: $0) }
    departures?.append((datagram.from, to, now, datagram.bytes.count))
    if let to, let endpoint = datagram.to {
      return launch(datagram.bytes, from: datagram.from, to: to, at: endpoint, leaving: start)
    }
    for to in stations.indices
    where to != datagram.from && !deaf.contains(to) && !deaf.contains(datagram.from) {
      launch(
        datagram.bytes, from: datagram.from, to: to, at: stations[to].endpoint, leaving: start)
    }
  }

  /// Queues a datagram at its sender's radio, unless the queue is full.
  private mutating func wait(_ datagram: Waiting, most: Int) {
    let place = radios.firstIndex { $0[0].from == datagram.from }
    let held = place.map { radios[$0].reduce(0) { $0 + $1.bytes.count + 28 } } ?? 0
    guard held + datagram.bytes.count + 28 <= most else { return }
    if let place { radios[place].append(datagram) } else { radios.append([datagram]) }
  }

  /// When the shared channel is free for the next datagram that waits; nil if none does.
  private var nextTurn: Instant? { radios.isEmpty ? nil : max(now, channel?.busyUntil[0] ?? now) }

  /// Sends the first datagram of the radio that is next.
  private mutating func takeTurn() {
    var radio = radios.removeFirst()
    let datagram = radio.removeFirst()
    if !radio.isEmpty { radios.append(radio) }
    if let start = carry(datagram.bytes, from: datagram.from) { leave(datagram, at: start) }
  }

  private func station(at endpoint: Endpoint) -> Int? {
    stations.firstIndex { $0.endpoint == endpoint || $0.second == endpoint }
  }

  /// When a datagram has passed the channel; nil when its queue was full.
  private mutating func carry(_ bytes: [UInt8], from index: Int) -> Instant? {
    guard let channel else { return now }
    let key = channel.isShared ? 0 : index
    let start = max(now, channel.busyUntil[key] ?? now)
    guard start.milliseconds(since: now) <= channel.queueMilliseconds else { return nil }
    let took = Int64((bytes.count + 28) * 8 * 1_000_000 / channel.bitsPerSecond)
    let end = Instant(microseconds: start.microseconds + took)
    self.channel?.busyUntil[key] = end
    return end
  }

  /// It leaves by the sender's address in the network of the receiver's.
  private mutating func launch(
    _ bytes: [UInt8], from: Int, to: Int, at endpoint: Endpoint, leaving start: Instant
  ) {
    guard bytes.count + Limits.headerBytes <= packetBytes else { return }
    let source = endpoint == stations[to].second ? stations[from].second : nil
    var copies = random.uniform(below: 100) < weather.loss ? 0 : 1
    if copies == 1, random.uniform(below: 100) < weather.duplication { copies = weather.copies }
    for _ in 0..<copies {
      let range = weather.delayMilliseconds
      let delay = range.lowerBound + random.uniform(below: UInt64(range.count))
      order += 1
      flights.append(
        Flight(
          arrival: start.advanced(byMilliseconds: Int64(delay)), order: order, to: to,
          from: source ?? stations[from].endpoint, bytes: bytes))
      rise(flights.count - 1)
    }
  }

  // MARK: Time

  /// Lets time pass until the condition holds. False when it did not within the limit.
  @discardableResult
  mutating func run(seconds: Int64, until condition: (World) -> Bool = { _ in false }) -> Bool {
    let end = now.advanced(byMilliseconds: seconds * 1000)
    while !condition(self) {
      guard problems.count < 10 else { return false }
      let deadlines = stations.indices.filter { !asleep.contains($0) }.compactMap { index in
        stations[index].engine.nextDeadline.map { (max($0, now), index) }
      }
      let timer = deadlines.min { $0.0 < $1.0 }
      let next = [flights.first?.arrival, timer?.0].compactMap { $0 }.min()
      if let turn = nextTurn, turn <= next ?? turn {
        guard turn <= end else { break }
        now = turn
        takeTurn()
      } else if let flight = flights.first,
        flight.arrival <= timer?.0 ?? .init(microseconds: .max)
      {
        guard flight.arrival <= end else { break }
        land()
        now = max(now, flight.arrival)
        guard let from = station(at: flight.from), !asleep.contains(flight.to),
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

  mutating func run(until end: Instant) {
    let left = end.milliseconds(since: now)
    if left > 0 { run(seconds: (left + 999) / 1000) }
  }

  // MARK: Questions

  var haveConverged: Bool {
    stations.dropFirst().allSatisfy { $0.logIndex.contents == stations[0].logIndex.contents }
  }

  var problems: [String] {
    stations.flatMap { station in station.problems.map { "station \(station.number): \($0)" } }
  }

  func frames(_ index: Int, of author: Int, in lane: Lane = .state) -> Int {
    stations[index].logIndex.frames[stations[author].pen.log(lane)]?.count ?? 0
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
