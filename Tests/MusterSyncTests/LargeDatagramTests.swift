import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// Datagrams of photos on paths that carry more than 1,200 bytes (RFC 8899).
@Suite("Large datagrams")
struct LargeDatagramTests {
  private static let photoBytes = 300_000

  private struct Photo {
    let listing: BlobListing
    let units: [BlobUnit]

    init() throws {
      let content = (0..<photoBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
      let tree = BlobTree(of: content)
      listing = try #require(
        BlobListing(root: tree.root, length: UInt32(photoBytes), kind: .original))
      units = (0..<tree.shape.units).map { tree.unit($0, of: content) }
    }
  }

  /// Two stations with a session, of which the first has a photo that the second is missing.
  private func world(_ photo: Photo, packetBytes: Int = 1500) -> World {
    var world = SyncStoryTests.world(seed: 95, members: 1)
    world.packetBytes = packetBytes
    world.meet(0, 1)
    world.run(seconds: 20) { $0.haveConverged && $0.areConnected(0, 1) }
    world.channel = World.Channel(bitsPerSecond: 2_000_000, queueMilliseconds: 100)
    let count = photo.units.count
    for index in 0...1 {
      if index == 0 {
        for unit in photo.units {
          world.stations[0].units[photo.listing.id, default: [:]][unit.number] = unit
        }
      }
      let entry = BlobEntry(
        listing: photo.listing, id: photo.listing.id,
        certificate: CertificateHash(raw: Bytes32(prefix: .zero, suffix: .zero)), number: 1,
        units: index == 0 ? .all(count) : UnitSet(units: count), goal: .rest)
      world.give(.blobsChanged([entry], removed: []), to: index)
    }
    return world
  }

  private func isWhole(_ photo: Photo, in world: World) -> Bool {
    world.stations[1].units[photo.listing.id]?.count == photo.units.count
  }

  private func received(over bytes: Int, in world: World) -> Int {
    world.stations[1].received.filter { $0.key > bytes }.values.reduce(0, +)
  }

  @Test func `a path of 1,500 bytes carries a unit in twelve datagrams`() throws {
    let photo = try Photo()
    var world = world(photo)
    #expect(world.run(seconds: 30) { isWhole(photo, in: $0) })
    // The first units may leave before the probe is acknowledged.
    #expect(received(over: Limits.datagramBytes, in: world) >= 150)
    #expect(received(over: 1000, in: world) <= 19 * 12 + 8)
    #expect(world.stations.allSatisfy { $0.unitsAgain == 0 } && world.problems == [])
  }

  @Test func `a tunnel costs three datagrams, and the photo arrives in small ones`() throws {
    let photo = try Photo()
    var world = world(photo, packetBytes: 1420)
    world.departures = []
    #expect(world.run(seconds: 30) { isWhole(photo, in: $0) })
    #expect(received(over: Limits.datagramBytes, in: world) == 0)
    let large = (world.departures ?? []).count { $0.bytes > Limits.datagramBytes }
    #expect(large <= 3)
    #expect(world.problems == [])
  }

  @Test func `the loss of two probes keeps no path small`() {
    var path = Path()
    for counter: UInt64 in 1...3 {
      let probe = SentDatagrams.Sent(
        counter: counter, at: Instant(microseconds: 0), size: Limits.largestDatagramBytes + 28,
        parts: [PartQueue.noPart])
      path.noteProbe(counter)
      path.noteLost(probe)
      #expect(path.size == (counter < 3 ? .unknown : .small))
    }
  }

  @Test func `a path that carries large datagrams no more delays a photo for seconds`() throws {
    let photo = try Photo()
    var world = world(photo)
    #expect(
      world.run(seconds: 30) { received(over: Limits.datagramBytes, in: $0) >= 20 })
    world.packetBytes = 1280
    #expect(world.run(seconds: 60) { isWhole(photo, in: $0) })
    #expect(world.stations[1].unitsAgain == 0 && world.problems == [])
  }

  @Test func `large datagrams that a full queue drops between others do not end them`() {
    func sent(_ counter: UInt64) -> SentDatagrams.Sent {
      SentDatagrams.Sent(
        counter: counter, at: Instant(microseconds: 0), size: Limits.largestDatagramBytes + 28,
        parts: [counter])
    }
    var path = Path()
    path.noteProbe(1)
    path.noteArrived(sent(1))
    // Given a queue that dropped every other one
    path.noteArrived(sent(40))
    for counter: UInt64 in 2..<40 { path.noteLost(sent(counter)) }
    #expect(path.carriesLargeDatagrams)
    // When nothing large arrives any more
    for counter: UInt64 in 41...71 { path.noteLost(sent(counter)) }
    #expect(path.carriesLargeDatagrams)
    path.noteLost(sent(72))
    #expect(path.size == .small)
  }

  /// Returns a queue whose path has acknowledged a probe of a large datagram.
  private static func probedQueue() -> SendQueue {
    var sendQueue = SendQueue()
    sendQueue.use(1, isOverTCP: false)
    sendQueue.noteSizeProbe(1, on: 1, now: Instant(microseconds: 0))
    sendQueue.acknowledge(
      Acknowledgement(largest: 1, delayMicroseconds: 0, before: 0, holdsRuns: false), on: 1,
      nextCounter: 2, now: Instant(microseconds: 1000))
    return sendQueue
  }

  @Test func `a change between two sessions drops no part, and one to TCP drops the large ones`() {
    var sendQueue = Self.probedQueue()
    #expect(sendQueue.path.carriesLargeDatagrams)
    for count in [packetBytes, largestPacketBytes] {
      let part = PartQueue.Part(
        importance: .photos, author: nil, key: nil, bytes: [UInt8](repeating: 1, count: count),
        isRepeated: true)
      let isQueued = sendQueue.queue.add(part)
      #expect(isQueued)
    }
    sendQueue.use(2, isOverTCP: false)
    #expect(sendQueue.queue.count == 2 && sendQueue.path.carriesLargeDatagrams)
    sendQueue.use(3, isOverTCP: true)
    #expect(!sendQueue.path.carriesLargeDatagrams)
    let packed = sendQueue.pack(beside: 0)
    #expect(packed.bytes.count == packetBytes && sendQueue.queue.count == 1)
  }

  @Test func `nothing large is sent to a peer that does not read it`() throws {
    let photo = try Photo()
    var world = SyncStoryTests.world(seed: 96, members: 1)
    world.meet(0, 1)
    world.run(seconds: 20) { $0.haveConverged && $0.areConnected(0, 1) }
    let device = world.stations[1].local.device
    // Given a request of a program that stated parts alone
    for unit in photo.units {
      world.stations[0].units[photo.listing.id, default: [:]][unit.number] = unit
    }
    let entry = BlobEntry(
      listing: photo.listing, id: photo.listing.id,
      certificate: CertificateHash(raw: Bytes32(prefix: .zero, suffix: .zero)), number: 1,
      units: .all(photo.units.count), goal: .none)
    world.give(.blobsChanged([entry], removed: []), to: 0)
    var packet = Packet()
    packet.blobs = [
      .readsShortForms, .readsParts,
      .request(
        BlobRequest(blob: photo.listing.id, number: 1, unit: 0, hashes: 5, leaves: .max)),
    ]
    world.departures = []
    world.send(packet, from: 1, to: 0)
    world.run(seconds: 10)
    let sent = (world.departures ?? []).filter { $0.from == 0 }.map(\.bytes)
    #expect(sent.count { $0 > 1000 } == 15)
    #expect(sent.allSatisfy { $0 <= Limits.datagramBytes })
    #expect(world.stations[0].engine.context.outbox.sendQueues[device]?.path.size == .unknown)
  }

  @Test func `nothing but photos leaves in large datagrams`() {
    var sendQueue = Self.probedQueue()
    func add(_ importance: Outbox.Importance, _ count: Int) {
      let part = PartQueue.Part(
        importance: importance, author: nil, key: nil, bytes: [UInt8](repeating: 1, count: count),
        isRepeated: true)
      let isQueued = sendQueue.queue.add(part)
      #expect(isQueued)
    }
    // Given a distress call, a revocation, reports and parts of a photo
    for _ in 0..<2 { add(.urgent, 300) }
    for _ in 0..<2 { add(.control, 400) }
    for _ in 0..<3 { add(.state, 600) }
    for _ in 0..<2 { add(.photos, 1380) }
    var sizes: [Int] = []
    while sendQueue.queue.waiting > 0, sizes.count < 10 {
      sizes.append(sendQueue.pack(beside: 0).bytes.count)
    }
    // Then a path that carries nothing large any more loses photos only
    #expect(sizes.reduce(0, +) == 5960)
    #expect(sizes.filter { $0 > packetBytes } == [1380, 1380])
  }
}
