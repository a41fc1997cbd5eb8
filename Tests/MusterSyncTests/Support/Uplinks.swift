import MusterCrypto
import MusterModel

@testable import MusterSync

/// Stations whose only paths are uplinks. Datagrams arrive at once and in order.
struct Uplinks {
  var world: World
  private var paths: [Place: Place] = [:]
  private var counts: [[Int]: Int] = [:]
  private var flying: [(to: Place, bytes: [UInt8])] = []
  static let batchBytes = Limits.positionBatchDatagrams * Limits.datagramBytes
  /// The station whose uplink carries nothing, and what waits for it.
  private var stalled: (station: Int, bytes: [(to: Place, bytes: [UInt8])])?

  private struct Place: Hashable {
    let station: Int
    let endpoint: Endpoint
  }

  /// The first stations are the posts, each with an uplink to the next; the devices take turns.
  init(seed: UInt64, posts: Int, devices: Int) {
    world = World(seed: seed)
    world.found()
    for _ in 1..<posts { world.cast(.command) }
    for _ in 0..<devices { world.cast(.member) }
    world.share()
    for index in world.stations.indices { world.stations[index].checksInvariants = false }
    for post in 1..<posts { connect(post, to: post - 1) }
    for device in posts..<posts + devices { connect(device, to: device % posts) }
  }

  /// A post and devices that have not met, and know only their own certificates.
  init(seed: UInt64, strangers: Int) {
    world = World(seed: seed)
    world.found()
    for _ in 0..<strangers { world.cast(.member) }
    for index in world.stations.indices { world.stations[index].checksInvariants = false }
  }

  /// Opens the uplinks of all devices. The last message of each handshake, and what follows it,
  /// arrives after all others.
  mutating func connectAtOnce() {
    for device in world.stations.indices.dropFirst() { open(device, to: 0) }
    let late = [DatagramKind.finish.rawValue, DatagramKind.transport.rawValue]
    var held: [(to: Place, bytes: [UInt8])] = []
    while !flying.isEmpty {
      held += flying.filter { late.contains($0.bytes[0]) }
      flying.removeAll { late.contains($0.bytes[0]) }
      deliver()
    }
    flying = held
    deliver()
  }

  private mutating func connect(_ client: Int, to server: Int) {
    open(client, to: server)
    settle()
  }

  private mutating func open(_ client: Int, to server: Int) {
    let endpoint = Endpoint.uplink(UInt64(paths.count))
    let (here, there) = (
      Place(station: client, endpoint: endpoint), Place(station: server, endpoint: endpoint)
    )
    (paths[here], paths[there]) = (there, here)
    give(.uplinkOpened(endpoint), to: client)
  }

  mutating func give(_ input: Input, to station: Int) {
    carry(world.stations[station].handle(input, now: world.now), from: station)
  }

  private mutating func carry(_ sendings: [Station.Sending], from station: Int) {
    for sending in sendings {
      guard case .endpoint(let endpoint, _) = sending.to,
        let to = paths[Place(station: station, endpoint: endpoint)]
      else { continue }
      counts[[station, to.station], default: 0] += 1
      if stalled?.station == to.station || stalled?.station == station {
        stalled?.bytes.append((to, sending.bytes))
      } else {
        flying.append((to, sending.bytes))
      }
    }
  }

  /// Delivers everything that is in flight, and what follows from it, at this moment.
  mutating func settle() {
    while !flying.isEmpty { deliver() }
  }

  private mutating func deliver() {
    let arriving = flying
    flying = []
    for (to, bytes) in arriving {
      give(.datagram(bytes, from: to.endpoint, link: .uplink), to: to.station)
    }
  }

  mutating func run(seconds: Int64) { run(milliseconds: seconds * 1000) }

  mutating func run(milliseconds: Int64) {
    for _ in 0..<milliseconds / 200 {
      world.now = world.now.advanced(byMilliseconds: 200)
      for station in world.stations.indices {
        guard let due = world.stations[station].engine.nextDeadline, due <= world.now else {
          continue
        }
        give(.deadlinePassed, to: station)
      }
      settle()
    }
  }

  // MARK: Acting

  mutating func write(at station: Int, _ count: Int = 1) {
    carry(
      world.stations[station].write(count, in: .state, now: world.now), from: station)
    settle()
  }

  mutating func position(at station: Int, _ counter: UInt64) {
    carry(world.stations[station].record(counter, now: world.now), from: station)
    settle()
  }

  /// How many datagrams one station has sent another one.
  func sent(from station: Int, to other: Int) -> Int { counts[[station, other], default: 0] }

  /// From now on the uplink of a station carries nothing.
  mutating func stall(_ station: Int) { stalled = (station, []) }

  /// What was sent on the stalled uplink, to the station.
  var stalledBytes: Int {
    guard let stalled else { return 0 }
    return stalled.bytes.filter { $0.to.station == stalled.station }.map(\.bytes.count)
      .reduce(0, +)
  }

  /// Delivers what waits on the stalled uplink.
  mutating func resume() {
    flying += stalled?.bytes ?? []
    stalled = nil
    settle()
  }

  /// A receipt of the first post, each number for another log.
  func receipt(number: Int = 1) -> LatestRecord {
    let post = world.stations[0]
    let log =
      number == 1
      ? post.pen.log(.state) : LogID(raw: Bytes16(high: UInt64(number), low: UInt64(number)))
    return .receipt(
      Receipt(log: log, head: nil), operation: post.local.operation,
      certificate: post.local.certificate.hash,
      order: RecordOrder(
        generation: 1, incarnation: post.pen.incarnation, counter: UInt64(number)),
      signedBy: post.local.signingKey)
  }

  /// Positions of as many trackers as a device may record.
  func trackers(of station: Int, _ counter: UInt64) -> [LatestRecord] {
    let author = world.stations[station]
    guard let key = SealingKey(bytes: author.pen.epoch.key),
      let place = Coordinate(latitude: 46, longitude: 14)
    else { preconditionFailure("a place and a key") }
    let time = Timestamp(milliseconds: Int64(counter))
    let report = PositionReport(fix: Fix(position: place, sampleTime: time), reportedAt: time)
    return (0..<Limits.trackersPerDevice).map { number in
      var random = DeterministicRandom(seed: Cast.seed(UInt64(number) << 20 | counter))
      return LatestRecord.position(
        report, of: Bytes16(high: UInt64(number), low: 1), stamp: nil,
        operation: author.local.operation, certificate: author.local.certificate.hash,
        order: RecordOrder(
          generation: 1, incarnation: author.pen.incarnation,
          counter: counter * 1000 + UInt64(number)),
        epoch: author.pen.epoch.id, key: key, nonce: random.nonce24(),
        signedBy: author.local.signingKey)
    }
  }

  /// A position in the name of another station, signed by one that is not it.
  func forged(by forger: Int, as author: Int) -> LatestRecord {
    var record = world.stations[author].position(9)
    record.signature = world.stations[forger].position(9).signature
    return record
  }

  /// Revokes a device as far as a station knows.
  mutating func revoke(_ device: Int, at station: Int) {
    let left = world.stations.indices.filter { $0 != device }.map {
      world.stations[$0].local.certificate
    }
    give(.rosterChanged(Roster(left, revoked: [world.stations[device].local.device])), to: station)
    settle()
  }

  /// Sends records of others from a device to its post.
  mutating func push(from device: Int, records: [LatestRecord]) {
    var packet = Packet()
    packet.pushed = [PushedRecords(records: records, covered: [])]
    send(packet, from: device)
  }

  /// Sends two new frames of a device to its post.
  mutating func push(from device: Int, covering named: [Int]) {
    let (_, frames) = world.stations[device].pen.write(1, in: .state)
    var run = Run(frames, of: frames[0].strand, after: .none)
    run.covered = Set(
      named.map { DeviceTag(world.stations[$0].local.device, about: frames[0].strand.raw) })
    var packet = Packet()
    packet.runs = [run]
    send(packet, from: device)
  }

  private mutating func send(_ packet: Packet, from device: Int) {
    guard
      let session = world.stations[device].engine.context.liveSession(
        of: world.stations[0].local.device),
      let endpoint = world.stations[device].engine.context.sessions[session]?.endpoint,
      let bytes = world.stations[device].engine.context.sessions[session]?.seal(packet.encoded())
    else { preconditionFailure("no session") }
    carry([Station.Sending(bytes: bytes, to: .endpoint(endpoint, .uplink))], from: device)
    settle()
  }

  // MARK: Looking

  /// The other stations that lack a device's first write, which follows the opening of its log.
  func devicesWithout(writeOf device: Int) -> [Int] {
    world.stations.indices.filter { $0 != device && world.frames($0, of: device) < 2 }
  }

  /// How many stations hold a record, besides its author.
  func devices(with record: LatestRecord) -> Int { devices(withAnyOf: [record]) }

  func devices(withAnyOf records: [LatestRecord]) -> Int {
    world.stations.count {
      let held = $0.engine.records(by: records[0].certificate)
      return $0.local.certificate.hash != records[0].certificate
        && records.contains { record in held.contains { $0.order == record.order } }
    }
  }

  /// How many other stations hold a record of a station.
  func devicesWithRecord(of station: Int) -> Int {
    let certificate = world.stations[station].local.certificate.hash
    return world.stations.indices.count {
      $0 != station && !world.stations[$0].engine.records(by: certificate).isEmpty
    }
  }
}
