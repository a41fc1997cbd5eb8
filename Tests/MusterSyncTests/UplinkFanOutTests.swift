import MusterModel
import Testing

@testable import MusterSync

/// Command posts and instances of an archive, to which hundreds of devices have an uplink and no
/// other path.
@Suite("Fan-out over uplinks")
struct UplinkFanOutTests {
  @Test func `a write reaches every device on an uplink at once, through two posts`() {
    // Given two posts with more devices each than a write is pushed to on other paths
    var uplinks = Uplinks(seed: 330, posts: 2, devices: 2 * (Limits.pushFanOut + 8))
    uplinks.run(seconds: 100)
    let before = uplinks.world.stations.map(\.sentDatagrams)
    // When one device writes
    uplinks.write(at: 2)
    // Then all have it before any time has passed,
    #expect(uplinks.devicesWithout(writeOf: 2) == [])
    // for one datagram each, and an acknowledgement.
    let devices = uplinks.world.stations.count / 2
    for post in 0..<2 {
      #expect(uplinks.world.stations[post].sentDatagrams - before[post] <= devices + 2)
    }
    #expect(uplinks.world.problems == [])
  }

  @Test func `hundreds of devices that connect at once all get a session`() {
    // Given more devices than a post once had room for, all slow to finish their handshakes
    var uplinks = Uplinks(seed: 333, strangers: 280)
    uplinks.connectAtOnce()
    // Then none of them has to begin again.
    let post = uplinks.world.stations[0]
    #expect(post.engine.context.peers.connected.count == 280)
    #expect(post.rejections(.unauthenticated) == 0)
    #expect(uplinks.world.problems == [])
  }

  @Test func `receipts go to every device on an uplink at once`() {
    var uplinks = Uplinks(seed: 331, posts: 1, devices: Limits.pushFanOut + 8)
    uplinks.run(seconds: 100)
    uplinks.give(.recorded([uplinks.receipt()]), to: 0)
    uplinks.settle()
    #expect(uplinks.devicesWithRecord(of: 0) == uplinks.world.stations.count - 1)
    #expect(uplinks.world.problems == [])
  }

  @Test func `positions go to every device on an uplink within a second, through two posts`() {
    var uplinks = Uplinks(seed: 336, posts: 2, devices: 2 * (Limits.pushFanOut + 8))
    uplinks.run(seconds: 100)
    let others = uplinks.world.stations.count - 1
    // When devices publish positions, one of them several,
    let before = uplinks.world.stations.map(\.sentDatagrams)
    for counter: UInt64 in 1...3 { uplinks.position(at: 2, counter) }
    for device in 3...5 { uplinks.position(at: device, 1) }
    #expect(uplinks.devicesWithRecord(of: 2) == 2, "the posts, at once")
    uplinks.run(seconds: 1)
    // Then all have the newest ones a second later,
    for device in 2...5 { #expect(uplinks.devicesWithRecord(of: device) == others) }
    #expect(uplinks.devices(with: uplinks.world.stations[2].position(3)) == others)
    // by one datagram each, beside those of the posts to each other and acknowledgements.
    for post in 0..<2 {
      let sent = uplinks.world.stations[post].sentDatagrams - before[post]
      #expect(sent <= others / 2 + 24)
    }
    #expect(uplinks.world.problems == [])
  }

  @Test func `of more positions than fit a second all have their turn`() {
    var uplinks = Uplinks(seed: 334, posts: 1, devices: 60)
    uplinks.run(seconds: 100)
    let begun = uplinks.world.stations[0].sentBytes
    // When every device publishes a position in each of six seconds
    for second in 1...6 {
      for device in 1...60 { uplinks.position(at: device, UInt64(second)) }
      uplinks.run(seconds: 1)
    }
    // Then no device is sent more than the bound, beside what digests bring,
    let sent = (uplinks.world.stations[0].sentBytes - begun) / 60
    #expect(sent < 9 * Uplinks.batchBytes, "\(sent) bytes to each device")
    // and holds a position of each other that is few seconds old.
    for device in 1...60 {
      let recent = [3, 4, 5, 6].map { uplinks.world.stations[device].position($0) }
      #expect(uplinks.devices(withAnyOf: recent) == 60)
    }
    #expect(uplinks.world.problems == [])
  }

  @Test func `positions do not pile up on an uplink that stalls, and a report passes them`() {
    var uplinks = Uplinks(seed: 335, posts: 1, devices: Limits.pushFanOut + 8)
    uplinks.run(seconds: 100)
    // When the uplink of a device stalls while all others move
    uplinks.stall(1)
    for second in 1...20 {
      for device in 2...30 { uplinks.position(at: device, UInt64(second)) }
      uplinks.run(seconds: 1)
    }
    // Then one batch is on its way to it, and nothing waits.
    #expect(
      uplinks.stalledBytes <= Uplinks.batchBytes + 4096, "\(uplinks.stalledBytes) bytes")
    let queue = uplinks.world.stations[0].engine.context.outbox.sendQueues[
      uplinks.world.stations[1].local.device]?.queue
    #expect(queue?.waitingBytes ?? 0 <= 1024)
    // When a report is written and the uplink recovers, it has the report,
    uplinks.write(at: 2)
    uplinks.resume()
    #expect(uplinks.devicesWithout(writeOf: 2) == [])
    // and the newest positions three seconds after.
    for device in 2...30 { uplinks.position(at: device, 61) }
    uplinks.run(seconds: 3)
    for device in 2...30 {
      #expect(
        uplinks.devices(with: uplinks.world.stations[device].position(61))
          == uplinks.world.stations.count - 1)
    }
    #expect(uplinks.world.problems == [])
  }

  @Test(arguments: [Limits.coveredDevices / 2, Limits.coveredDevices + 8])
  func `short tags count among few devices, where none is named by chance`(count: Int) {
    // Given a write whose sender names half of the devices as covered
    var uplinks = Uplinks(seed: 332, posts: 1, devices: count)
    uplinks.run(seconds: 100)
    let named = Array(2..<uplinks.world.stations.count / 2)
    // When it arrives at the post
    uplinks.push(from: 1, covering: named)
    // Then they are left out, unless there are so many that a tag proves nothing.
    #expect(uplinks.devicesWithout(writeOf: 1) == (count < Limits.coveredDevices ? named : []))
    #expect(uplinks.world.problems == [])
  }
}

/// Stations whose only paths are uplinks. Datagrams arrive at once and in order.
private struct Uplinks {
  var world: World
  private var paths: [Place: Place] = [:]
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

  mutating func run(seconds: Int64) {
    for _ in 0..<seconds * 5 {
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

  mutating func write(at station: Int) {
    carry(
      world.stations[station].write(1, in: .state, now: world.now), from: station)
    settle()
  }

  mutating func position(at station: Int, _ counter: UInt64) {
    carry(world.stations[station].record(counter, now: world.now), from: station)
    settle()
  }

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

  /// A receipt of the first post for a log of its own.
  func receipt() -> LatestRecord {
    let post = world.stations[0]
    return .receipt(
      Receipt(log: post.pen.log(.state), head: nil), operation: post.local.operation,
      certificate: post.local.certificate.hash,
      order: RecordOrder(generation: 1, incarnation: post.pen.incarnation, counter: 1),
      signedBy: post.local.signingKey)
  }

  /// Sends two new frames of a device to its post.
  mutating func push(from device: Int, covering named: [Int]) {
    let (_, frames) = world.stations[device].pen.write(1, in: .state)
    var run = Run(frames, of: frames[0].strand, after: .none)
    run.covered = Set(
      named.map { DeviceTag(world.stations[$0].local.device, about: frames[0].strand.raw) })
    var packet = Packet()
    packet.runs = [run]
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
