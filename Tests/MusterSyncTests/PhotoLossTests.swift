import MusterCrypto
import MusterModel
import MusterTestKit
import Testing

@testable import MusterSync

/// One photo through loss and partitions: a timeout sends nothing again that arrived.
@Suite("Photos through loss")
struct PhotoLossTests {
  private static let photoBytes = 300_000

  /// Two stations with a session, of which the first has a photo that the second is missing, each
  /// behind a link of 128 kbit/s.
  private func world(seed: UInt64) throws -> (world: World, photo: BlobListing) {
    var random = SplitMix64(seed: seed)
    let content = (0..<Self.photoBytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let tree = BlobTree(of: content)
    let listing = try #require(
      BlobListing(root: tree.root, length: UInt32(Self.photoBytes), kind: .original))
    var world = SyncStoryTests.world(seed: seed, members: 1)
    world.meet(0, 1)
    world.run(seconds: 20) { $0.haveConverged && $0.areConnected(0, 1) }
    world.channel = World.Channel(bitsPerSecond: 128_000, queueMilliseconds: 400)
    let count = tree.shape.units
    for unit in 0..<count {
      world.stations[0].units[listing.id, default: [:]][unit] = tree.unit(unit, of: content)
    }
    for index in 0...1 {
      let entry = BlobEntry(
        listing: listing, id: listing.id,
        certificate: CertificateHash(raw: Bytes32(prefix: .zero, suffix: .zero)), number: 1,
        units: index == 0 ? .all(count) : UnitSet(units: count), goal: .rest)
      world.give(.blobsChanged([entry], removed: []), to: index)
    }
    return (world, listing)
  }

  /// Parts of the photo that arrived again.
  private func repeated(in world: World) -> UInt64 {
    world.stations[1].engine.context.outbox.retransmissions.receivedParts
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `with 30 % loss and a partition every 20 s, few parts arrive twice`(seed: UInt64) throws {
    var (world, photo) = try world(seed: seed)
    world.weather = World.Weather(loss: 30, delayMilliseconds: 1...1)
    func isWhole(_ world: World) -> Bool { world.stations[1].engine.isComplete(photo.id) }
    let began = world.now
    for _ in 0..<8 where !isWhole(world) {
      world.run(seconds: 15, until: isWhole)
      guard !isWhole(world) else { break }
      world.cut(0, 1)
      world.run(seconds: 5)
      world.repair(0, 1)
    }
    let took = world.now.milliseconds(since: began)
    #expect(isWhole(world), "seed \(seed)")
    // A timeout repeats none. After a partition a unit may be requested again.
    #expect(repeated(in: world) <= 24, "seed \(seed), \(took) ms")
    #expect(world.problems == [])
    if Volume.orUsual(0) > 0 { print("seed \(seed): whole after \(took) ms") }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a queue that grows beyond the timeout brings no part twice`(seed: UInt64) throws {
    var (world, photo) = try world(seed: seed)
    func isWhole(_ world: World) -> Bool { world.stations[1].engine.isComplete(photo.id) }
    // Given a path whose RTT becomes twenty times as long, and short again
    for _ in 0..<10 where !isWhole(world) {
      world.weather = World.Weather(delayMilliseconds: 500...500)
      world.run(seconds: 3, until: isWhole)
      world.weather = World.Weather(delayMilliseconds: 5...5)
      world.run(seconds: 3, until: isWhole)
    }
    world.run(seconds: 60, until: isWhole)
    #expect(isWhole(world), "seed \(seed)")
    #expect(repeated(in: world) == 0, "seed \(seed)")
    #expect(world.problems == [])
  }
}
