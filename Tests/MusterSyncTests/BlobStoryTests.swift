import MusterCrypto
import MusterModel
import MusterTestKit
import Testing

@testable import MusterSync

@Suite("Blobs between stations")
struct BlobStoryTests {
  private struct Blob {
    let listing: BlobListing
    let units: [BlobUnit]

    init(bytes: Int, seed: UInt8 = 1, kind: BlobKind = .original) throws {
      let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) ^ seed }
      let tree = BlobTree(of: content)
      listing = try #require(
        BlobListing(root: tree.root, length: UInt32(bytes), kind: kind))
      units = (0..<tree.shape.units).map { tree.unit($0, of: content) }
    }

    func entry(
      holding units: UnitSet, goal: BlobGoal = .rest, number: Int64 = 1,
      by author: LocalDevice? = nil
    ) -> BlobEntry {
      BlobEntry(
        listing: listing, id: listing.id,
        certificate: author?.certificate.hash
          ?? CertificateHash(raw: Bytes32(prefix: .zero, suffix: .zero)), number: number,
        units: units, goal: goal)
    }
  }

  /// Stations that are connected to the founder, and to one another where they met.
  private static func world(seed: UInt64, members: Int) -> World {
    var world = SyncStoryTests.world(seed: seed, members: members)
    for first in 0...members {
      for second in 0..<first { world.meet(first, second) }
    }
    world.run(seconds: 20) { world in
      world.haveConverged && (1...members).allSatisfy { world.areConnected(0, $0) }
    }
    return world
  }

  private func give(
    _ blob: Blob, held: [Int], to index: Int, goal: BlobGoal = .rest, number: Int64 = 1,
    by author: Int? = nil, in world: inout World
  ) {
    var set = UnitSet(units: blob.units.count)
    for unit in held {
      set.insert(unit)
      world.stations[index].units[blob.listing.id, default: [:]][unit] = blob.units[unit]
    }
    let entry = blob.entry(
      holding: set, goal: goal, number: number, by: author.map { world.stations[$0].local })
    world.give(.blobsChanged([entry], removed: []), to: index)
  }

  private func isComplete(_ blob: Blob, at index: Int, in world: World) -> Bool {
    world.stations[index].units[blob.listing.id]?.count == blob.units.count
  }

  @Test func `a blob arrives whole, and each unit once, in fine weather and in a storm`() throws {
    for weather in [World.Weather.fine, .storm] {
      var world = Self.world(seed: 70, members: 1)
      world.weather = weather
      let blob = try Blob(bytes: 200_000)
      give(blob, held: Array(blob.units.indices), to: 0, in: &world)
      give(blob, held: [], to: 1, in: &world)
      #expect(world.run(seconds: 120) { isComplete(blob, at: 1, in: $0) })
      let isGenuine = world.stations[1].units[blob.listing.id]?[3] == blob.units[3]
      #expect(isGenuine)
      #expect(world.stations[1].unitsAgain == 0)
      #expect(world.problems == [])
    }
  }

  @Test func `units that different peers hold come from each of them`() throws {
    var world = Self.world(seed: 71, members: 2)
    let blob = try Blob(bytes: 12 * BlobShape.unitBytes)
    give(blob, held: Array(0..<6), to: 0, goal: .none, in: &world)
    give(blob, held: Array(6..<12), to: 1, goal: .none, in: &world)
    give(blob, held: [], to: 2, in: &world)
    #expect(world.run(seconds: 60) { isComplete(blob, at: 2, in: $0) })
    #expect(world.problems == [])
  }

  @Test func `devices that begin together serve one another`() throws {
    var world = Self.world(seed: 72, members: 3)
    let blob = try Blob(bytes: 40 * BlobShape.unitBytes)
    give(blob, held: Array(blob.units.indices), to: 0, in: &world)
    for index in 1...3 { give(blob, held: [], to: index, in: &world) }
    let before = world.stations[0].sentBytes
    #expect(
      world.run(seconds: 120) { world in
        (1...3).allSatisfy { isComplete(blob, at: $0, in: world) }
      })
    // then the source sends less than nine tenths of a copy for each
    #expect(world.stations[0].sentBytes - before < 27 * 40 * BlobShape.unitBytes / 10)
    #expect(world.stations.allSatisfy { $0.unitsAgain == 0 })
  }

  @Test func `forged leaves are dropped and counted, and the rest comes from another peer`() throws
  {
    var world = Self.world(seed: 73, members: 2)
    let blob = try Blob(bytes: 100_000)
    give(blob, held: Array(blob.units.indices), to: 1, goal: .none, in: &world)
    // Given a peer that sends other bytes than the list names
    for unit in blob.units {
      var bytes = unit.bytes
      bytes[5] ^= 1
      world.stations[1].units[blob.listing.id]?[unit.number] = BlobUnit(
        blob: unit.blob, length: unit.length, number: unit.number, path: unit.path, bytes: bytes)
    }
    give(blob, held: [], to: 2, in: &world)
    world.run(seconds: 20)
    #expect(world.stations[2].units[blob.listing.id]?.isEmpty ?? true)
    let rejected = world.stations[2].rejections(.forged)
    #expect(rejected >= 1 && rejected <= 4)

    // When an honest peer has it
    give(blob, held: Array(blob.units.indices), to: 0, goal: .none, in: &world)
    world.restart(0, remembering: [1, 2])
    give(blob, held: Array(blob.units.indices), to: 0, goal: .none, in: &world)
    #expect(world.run(seconds: 120) { isComplete(blob, at: 2, in: $0) })
    let isGenuine = world.stations[2].units[blob.listing.id]?[0] == blob.units[0]
    #expect(isGenuine)
  }

  @Test func `a forged leaf costs one leaf, and its sender serves nothing more of the blob`() throws
  {
    var world = Self.world(seed: 77, members: 2)
    let blob = try Blob(bytes: 100_000)
    give(blob, held: Array(blob.units.indices), to: 1, goal: .none, in: &world)
    // Given a peer that sends one other leaf in each unit
    for unit in blob.units {
      var bytes = unit.bytes
      bytes[0] ^= 1
      world.stations[1].units[blob.listing.id]?[unit.number] = BlobUnit(
        blob: unit.blob, length: unit.length, number: unit.number, path: unit.path, bytes: bytes)
    }
    give(blob, held: [], to: 2, in: &world)
    world.run(seconds: 20)
    #expect(world.stations[2].rejections(.forged) == 1)
    let before = world.stations[0].sentBytes
    give(blob, held: Array(blob.units.indices), to: 0, goal: .none, in: &world)
    world.restart(0, remembering: [1, 2])
    give(blob, held: Array(blob.units.indices), to: 0, goal: .none, in: &world)
    #expect(world.run(seconds: 120) { isComplete(blob, at: 2, in: $0) })
    // Then the other leaves of what the forger sent were not sent again
    #expect(world.stations[0].sentBytes - before < 99_000)
    #expect(world.stations[2].unitsAgain == 0)
  }

  @Test func `a list that lies about the size of a blob costs one unit of it`() throws {
    // Given a list with the root of a small photo and the length of a large one
    var world = Self.world(seed: 79, members: 1)
    let small = try Blob(bytes: 50_000)
    let listing = try #require(
      BlobListing(root: small.listing.root, length: 8_000_000, kind: .original))
    func entry(holding units: UnitSet, goal: BlobGoal) -> BlobEntry {
      BlobEntry(
        listing: listing, id: listing.id,
        certificate: CertificateHash(raw: Bytes32(prefix: .zero, suffix: .zero)), number: 1,
        units: units, goal: goal)
    }
    let all = UnitSet.all(listing.shape.units)
    world.give(.blobsChanged([entry(holding: all, goal: .none)], removed: []), to: 0)
    for unit in 0..<listing.shape.units {
      let source = small.units[unit % 3]
      world.stations[0].units[listing.id, default: [:]][unit] = BlobUnit(
        blob: listing.id, length: 8_000_000, number: unit, path: source.path, bytes: source.bytes)
    }
    let before = world.stations[0].sentBytes
    world.give(
      .blobsChanged(
        [entry(holding: UnitSet(units: listing.shape.units), goal: .rest)], removed: []), to: 1)
    world.run(seconds: 60)
    // Then nothing is stored, the peer is named, and it was asked for two units at most
    #expect(world.stations[1].units[listing.id]?.isEmpty ?? true)
    #expect(world.stations[1].rejections(.forged) == 1)
    #expect(world.stations[0].sentBytes - before < 3 * BlobShape.unitBytes)
    #expect(world.problems == [])
  }

  @Test func `thumbnails come before originals, and urgent ones first`() throws {
    var world = Self.world(seed: 74, members: 1)
    world.channel = World.Channel(bitsPerSecond: 500_000, queueMilliseconds: 500)
    let original = try Blob(bytes: 300_000, seed: 1)
    let thumbnail = try Blob(bytes: 20_000, seed: 2, kind: .thumbnail)
    let urgent = try Blob(bytes: 20_000, seed: 3, kind: .thumbnail)
    let goals: [(Blob, BlobGoal)] = [
      (original, .rest), (thumbnail, .thumbnail), (urgent, .urgentThumbnail),
    ]
    for (number, (blob, goal)) in goals.enumerated() {
      give(
        blob, held: Array(blob.units.indices), to: 0, goal: goal, number: Int64(number),
        in: &world)
    }
    var entries: [BlobEntry] = []
    for (number, (blob, goal)) in goals.enumerated() {
      entries.append(
        blob.entry(
          holding: UnitSet(units: blob.units.count), goal: goal, number: Int64(number)))
    }
    world.give(.blobsChanged(entries, removed: []), to: 1)
    #expect(world.run(seconds: 60) { isComplete(urgent, at: 1, in: $0) })
    #expect(!isComplete(thumbnail, at: 1, in: world))
    #expect(world.run(seconds: 60) { isComplete(thumbnail, at: 1, in: $0) })
    #expect(!isComplete(original, at: 1, in: world))
    #expect(world.run(seconds: 60) { isComplete(original, at: 1, in: $0) })
  }

  @Test func `on a narrow link the command post has all thumbnails first, without a jam`() throws {
    var world = Self.world(seed: 78, members: 9)
    world.channel = World.Channel(
      bitsPerSecond: 64_000, queueMilliseconds: 2000, isShared: true)
    world.checksInvariants = false
    for index in 0...9 { world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: index) }
    let thumbnails = try (0..<20).map {
      try Blob(bytes: 12_000, seed: UInt8($0 + 1), kind: .thumbnail)
    }
    // Given thumbnails of nine members, which all others are missing
    for (number, thumbnail) in thumbnails.enumerated() {
      for index in 0...9 {
        give(
          thumbnail, held: index == 1 + number % 9 ? [0] : [], to: index, goal: .thumbnail,
          number: Int64(number), by: 1 + number % 9, in: &world)
      }
    }
    func count(at index: Int, in world: World) -> Int {
      thumbnails.count { isComplete($0, at: index, in: world) }
    }
    // Then the command post has one copy of each in two minutes, and the others follow
    #expect(world.run(seconds: 120) { count(at: 0, in: $0) == 20 })
    #expect((1...9).reduce(0) { $0 + count(at: $1, in: world) } == 20)
    #expect(
      world.run(seconds: 600) { world in (1...9).allSatisfy { count(at: $0, in: world) == 20 } })
    #expect(world.stations.allSatisfy { $0.unitsAgain == 0 } && world.problems == [])
  }

  @Test func `a narrow link to the command post through a member delays no thumbnail`() throws {
    var world = Self.world(seed: 80, members: 2)
    world.cut(0, 2)
    world.channel = World.Channel(bitsPerSecond: 64_000, queueMilliseconds: 2000, isShared: true)
    for index in 0...2 { world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: index) }
    world.run(seconds: 120) { !$0.areConnected(0, 2) }
    let thumbnail = try Blob(bytes: 12_000, kind: .thumbnail)
    for index in [2, 1, 0] {
      give(
        thumbnail, held: index == 2 ? [0] : [], to: index, goal: .thumbnail, by: 2, in: &world)
    }
    #expect(world.run(seconds: 30) { isComplete(thumbnail, at: 0, in: $0) })
    #expect(world.problems == [])
  }

  @Test func `a device waits for the command post for two minutes in four at most`() {
    var turn = ThumbnailTurn()
    var waited = 0
    // Given a command post that reports a thumbnail in each second
    for second in 0..<960 {
      let now = Instant(microseconds: Int64(second) * 1_000_000)
      turn.wait(now: now)
      waited += turn.isWaiting(now: now) ? 1 : 0
    }
    #expect(waited == 480)
    // When it reports nothing more
    var idle = ThumbnailTurn()
    idle.wait(now: Instant(microseconds: 0))
    #expect(idle.isWaiting(now: Instant(microseconds: 44_999_999)))
    #expect(!idle.isWaiting(now: Instant(microseconds: 45_000_000)))
  }

  @Test func `a partition loses no leaf that arrived, and the rest follows after it`() throws {
    var world = Self.world(seed: 75, members: 1)
    world.channel = World.Channel(bitsPerSecond: 200_000, queueMilliseconds: 500)
    let blob = try Blob(bytes: 300_000)
    give(blob, held: Array(blob.units.indices), to: 0, in: &world)
    give(blob, held: [], to: 1, in: &world)
    for _ in 0..<6 {
      world.run(seconds: 4)
      let before = world.stations[1].units[blob.listing.id]?.count ?? 0
      world.cut(0, 1)
      world.run(seconds: 20)
      world.repair(0, 1)
      #expect(world.stations[1].units[blob.listing.id]?.count ?? 0 >= before)
    }
    #expect(world.run(seconds: 180) { isComplete(blob, at: 1, in: $0) })
    #expect(world.stations[1].unitsAgain == 0)
    #expect(world.problems == [])
  }

  @Test func `messages of every form are read back, and others are refused`() throws {
    let id = BlobID(raw: Bytes16(high: 1, low: 2))
    let messages: [BlobMessage] = [
      .query(id), .holding(id, .none), .holding(id, .complete), .holding(id, .units([1, 2])),
      .want(BlobWant(blob: id, unit: 511, wantsProof: true, leaves: 0xFFFF)),
      .proof(id, unit: 3, hashes: [.zero, .zero]), .leaf(id, number: 8191, bytes: [7]),
      .request(BlobRequest(blob: id, number: 513, unit: 511, hashes: 9, leaves: 0xFFFE)),
    ]
    for message in messages {
      #expect(try BlobMessage(decoding: message.bytes) == message)
      #expect(throws: WireError.self) { try BlobMessage(decoding: Array(message.bytes.prefix(9))) }
    }
    // The short answers name the request.
    let short: [(BlobMessage, [UInt8])] = [
      (.readsShortForms, [6]),
      (.path(request: 513, hashes: [.zero]), [8, 2, 1] + [UInt8](repeating: 0, count: 32)),
      (.piece(request: 513, index: 15, bytes: [7, 8]), [9, 2, 1, 15, 7, 8]),
      (.readsParts, [10]), (.readsLargeDatagrams, [12]), (.padding(3), [13, 0, 0, 0]),
      (.part(request: 513, place: 1171, bytes: [7, 8]), [11, 2, 1, 4, 0x93, 7, 8]),
    ]
    for (message, bytes) in short {
      #expect(message.bytes == bytes)
      #expect(try BlobMessage(decoding: bytes) == message)
    }
    for refused: [UInt8] in [
      [6, 0], [8, 2], [8, 2, 1, 0], [9, 2, 1], [9, 2, 1, 15], [9, 2, 1, 16, 7],
      [10, 0], [12, 0], [11, 2, 1, 0, 0], [11, 2, 1, 0x3F, 0xFF, 7, 8],
    ] { #expect(throws: WireError.self) { try BlobMessage(decoding: refused) } }
    #expect(try BlobMessage(decoding: [99, 1]) == nil)
    let largest = BlobMessage.leaf(
      id, number: 0, bytes: [UInt8](repeating: 1, count: BlobShape.leafBytes))
    var packet = Packet()
    packet.blobs = [largest]
    #expect(packet.encoded().count <= packetBytes)
    // A unit takes fifteen parts, each with room for a hash and a usual acknowledgement.
    packet.blobs = [
      .part(
        request: 1, place: 0, bytes: [UInt8](repeating: 1, count: BlobShape.partBytes)),
      .path(request: 1, hashes: [.zero]),
    ]
    packet.acknowledgement = Acknowledgement(
      largest: 1 << 20, delayMicroseconds: 40_000, before: .max, holdsRuns: true)
    #expect(packet.encoded().count <= packetBytes)
    // In large datagrams twelve.
    packet.blobs = [
      .part(
        request: 1, place: 0, bytes: [UInt8](repeating: 1, count: BlobShape.largestPartBytes)),
      .path(request: 1, hashes: [.zero]),
    ]
    packet.acknowledgement?.largest = 1 << 12
    #expect(packet.encoded().count <= largestPacketBytes)
    packet.acknowledgement = nil
    packet.blobs = [.proof(id, unit: 1, hashes: [Bytes32](repeating: .zero, count: 25))]
    #expect(packet.encoded().count <= packetBytes)
    #expect(
      try Packet(decoding: packet.encoded(), operation: World(seed: 1).cast.operation) == packet)
  }

  @Test func `the parts of a request cover its leaves, and make the unit in any order`() throws {
    var random = SplitMix64(seed: 5)
    let sender = DeviceID(raw: Bytes16(high: 1, low: 1))
    for length in [1, 1024, 12_000, 16_384, 40_001] {
      let blob = try Blob(bytes: length)
      for unit in blob.units {
        let count = blob.listing.shape.leaves(of: unit.number).count
        let mask = UInt16(truncatingIfNeeded: random.next())
        let parts = blob.listing.shape.parts(of: unit.number, leaves: mask)
        for leaf in 0..<count {
          let bytes = leaf * 1024..<min((leaf + 1) * 1024, unit.bytes.count)
          let covered = parts.reduce(0) { $0 + $1.clamped(to: bytes).count }
          #expect(covered == (mask >> UInt16(leaf) & 1 == 1 ? bytes.count : 0))
        }
        #expect(parts.allSatisfy { $0.count <= BlobShape.partBytes })
        let all = blob.listing.shape.parts(of: unit.number, leaves: .max)
        #expect(all.count <= 15)
        var incoming = IncomingUnit(
          listing: blob.listing, number: unit.number, now: Instant(microseconds: 0))
        var nodes = BlobNodes(of: blob.listing)
        incoming.take(siblings: unit.path, from: sender)
        // Given the parts in another order, each of them twice
        for range in (all + all).shuffled(using: &random) {
          let isTaken = incoming.take(
            Array(unit.bytes[range]), at: range.lowerBound, from: sender)
          #expect(isTaken)
        }
        guard case .whole(unit) = incoming.verify(blob.listing.id, nodes: &nodes) else {
          Issue.record("unit \(unit.number) of \(length) bytes is not whole")
          continue
        }
      }
    }
  }

  @Test func `a flood of wants and queries fills no queue past its bound`() throws {
    var world = Self.world(seed: 76, members: 1)
    let blob = try Blob(bytes: 200_000)
    give(blob, held: Array(blob.units.indices), to: 0, goal: .none, in: &world)
    for number in 0..<2000 {
      var packet = Packet()
      packet.blobs = [
        .want(
          BlobWant(
            blob: blob.listing.id, unit: number % 13, wantsProof: true, leaves: 0xFFFF)),
        .query(BlobID(raw: Bytes16(high: 7, low: UInt64(number)))),
      ]
      world.send(packet, from: 1, to: 0)
    }
    let device = world.stations[1].local.device
    let queue = world.stations[0].engine.context.outbox.sendQueues[device]?.queue
    #expect(queue?.count ?? 0 <= Limits.queuedParts)
    world.run(seconds: 30)
    #expect(world.areConnected(0, 1) && world.problems == [])
  }

  // MARK: Insiders

  @Test func `a peer that reports photos and serves none stops no others`() throws {
    // Given more blobs than are active at one time, which only the liar reports
    var world = Self.world(seed: 80, members: 2)
    world.stations[1].withholdsUnits = true
    for number in 0..<3 * Limits.activeBlobs {
      let fake = try Blob(bytes: 20_000, seed: UInt8(number + 1))
      give(fake, held: Array(fake.units.indices), to: 1, number: Int64(number), in: &world)
      give(fake, held: [], to: 2, number: Int64(number), in: &world)
    }
    world.run(seconds: 10)
    // When an honest peer has another one
    let blob = try Blob(bytes: 100_000, seed: 200)
    give(blob, held: Array(blob.units.indices), to: 0, number: 1000, in: &world)
    give(blob, held: [], to: 2, number: 1000, in: &world)
    #expect(world.run(seconds: 120) { isComplete(blob, at: 2, in: $0) })
    #expect(world.problems == [])
  }

  @Test func `thumbnails that their author does not serve delay no others on a narrow link`() throws
  {
    var world = Self.world(seed: 82, members: 2)
    world.channel = World.Channel(bitsPerSecond: 64_000, queueMilliseconds: 2000, isShared: true)
    for index in 0...2 { world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: index) }
    // Given more thumbnails than are active at one time, which their author lists and lacks
    for number in 0..<3 * Limits.activeBlobs {
      let fake = try Blob(bytes: 12_000, seed: UInt8(number + 1), kind: .thumbnail)
      give(fake, held: [], to: 0, goal: .thumbnail, number: Int64(number), by: 1, in: &world)
    }
    world.run(seconds: 5)
    // When an honest member has one
    let thumbnail = try Blob(bytes: 12_000, seed: 250, kind: .thumbnail)
    for index in [2, 0] {
      give(
        thumbnail, held: index == 2 ? [0] : [], to: index, goal: .thumbnail, number: 1000, by: 2,
        in: &world)
    }
    // Then the command post has it as soon as the link permits.
    #expect(world.run(seconds: 15) { isComplete(thumbnail, at: 0, in: $0) })
    #expect(world.problems == [])
  }

  @Test func `a peer that repeats one leaf does not hold up a narrow link`() throws {
    var world = Self.world(seed: 81, members: 2)
    world.channel = World.Channel(bitsPerSecond: 64_000, queueMilliseconds: 2000, isShared: true)
    for index in 0...2 { world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: index) }
    let blob = try Blob(bytes: 20_000, kind: .thumbnail)
    world.stations[1].withholdsUnits = true
    give(blob, held: Array(blob.units.indices), to: 1, goal: .thumbnail, in: &world)
    give(blob, held: [], to: 2, goal: .thumbnail, in: &world)
    world.run(seconds: 5)
    give(blob, held: Array(blob.units.indices), to: 0, goal: .thumbnail, in: &world)
    for _ in 0..<60 where !isComplete(blob, at: 2, in: world) {
      for unit in blob.units {
        var packet = Packet()
        packet.blobs = [
          .leaf(
            blob.listing.id, number: unit.number * BlobShape.leavesPerUnit,
            bytes: Array(unit.bytes.prefix(BlobShape.leafBytes)))
        ]
        world.send(packet, from: 1, to: 2)
      }
      world.run(seconds: 2)
    }
    #expect(isComplete(blob, at: 2, in: world))
    #expect(world.problems == [])
  }

  @Test func `a query brings no blob to a device that is to fetch none`() throws {
    // Given a device whose disk is full, or for which an author listed too much
    var world = Self.world(seed: 82, members: 2)
    let blob = try Blob(bytes: 40_000)
    give(blob, held: Array(blob.units.indices), to: 0, goal: .none, in: &world)
    give(blob, held: [], to: 2, goal: .none, in: &world)
    // When a peer asks it for the blob
    for _ in 0..<20 {
      var packet = Packet()
      packet.blobs = [.query(blob.listing.id)]
      world.send(packet, from: 1, to: 2)
      world.run(seconds: 1)
    }
    // Then it stores nothing
    #expect(world.stations[2].units[blob.listing.id]?.isEmpty ?? true)
  }

  @Test func `one peer makes a device fetch so many originals at a time, and another one more`()
    throws
  {
    // Given originals that a device fetches on request only, and no one has
    var world = Self.world(seed: 84, members: 2)
    let blobs = try (0..<Limits.queriedBlobs + 20).map {
      try Blob(bytes: 1000 + $0, seed: UInt8($0 + 1))
    }
    for (number, blob) in blobs.enumerated() {
      give(blob, held: [], to: 2, goal: .onRequest, number: Int64(number), in: &world)
    }
    func wanted(in world: World) -> Int {
      blobs.count { blob in
        let progress = world.stations[2].engine.progress(of: blob.listing.id)
        return progress?.stall != .notRequested
      }
    }
    func query(_ some: some Sequence<Blob>, by station: Int) {
      for blob in some {
        var packet = Packet()
        packet.blobs = [.query(blob.listing.id)]
        world.send(packet, from: station, to: 2)
      }
      world.run(seconds: 2)
    }
    query(blobs, by: 1)
    #expect(wanted(in: world) == Limits.queriedBlobs)
    query(blobs.suffix(20), by: 0)
    #expect(wanted(in: world) == blobs.count)
  }

  @Test func `a flood of requests reads no more units than a peer may have open`() throws {
    var world = Self.world(seed: 85, members: 1)
    let blob = try Blob(bytes: 200_000)
    give(blob, held: Array(blob.units.indices), to: 0, goal: .none, in: &world)
    let id = blob.listing.id
    func read(_ messages: [BlobMessage]) -> Int {
      let before = world.stations[0].unitReads
      var packet = Packet()
      packet.blobs = messages
      world.send(packet, from: 1, to: 0)
      return world.stations[0].unitReads - before
    }
    // When one datagram has many requests
    let many = (0..<12).map {
      BlobMessage.want(BlobWant(blob: id, unit: $0, wantsProof: false, leaves: 1))
    }
    #expect(read(many) == Limits.unitWantsPerPeer)
    // When a request is repeated, of which all is queued or in flight
    let again = BlobMessage.want(BlobWant(blob: id, unit: 0, wantsProof: false, leaves: 1))
    #expect((0..<50).map { _ in read([again]) }.reduce(0, +) == 0)
    world.run(seconds: 10)
    #expect(read([again]) == 1)
    #expect(world.problems == [])
  }

  @Test func `requests for nothing read no unit`() throws {
    var world = Self.world(seed: 83, members: 1)
    let blob = try Blob(bytes: 16 * 1024 + 100)
    give(blob, held: Array(blob.units.indices), to: 0, goal: .none, in: &world)
    let id = blob.listing.id
    // Given a last unit with one leaf
    let read = BlobRequest(blob: id, number: 1, unit: 1, hashes: 0, leaves: 1)
    let empty = [
      BlobMessage.want(BlobWant(blob: id, unit: 0, wantsProof: false, leaves: 0)),
      .want(BlobWant(blob: id, unit: 1, wantsProof: false, leaves: 0xFFFE)),
      .request(BlobRequest(blob: id, number: 2, unit: 0, hashes: 0, leaves: 0)),
      .request(BlobRequest(blob: id, number: 3, unit: 1, hashes: 0, leaves: 2)),
    ]
    for (message, reads) in [(.request(read), 1)] + empty.map({ ($0, 0) }) {
      let before = world.stations[0].unitReads
      var packet = Packet()
      packet.blobs = [message]
      world.send(packet, from: 1, to: 0)
      world.run(seconds: 1)
      #expect(world.stations[0].unitReads - before == reads, "\(message)")
    }
  }
}
