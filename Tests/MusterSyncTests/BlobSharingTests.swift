import MusterCrypto
import MusterModel
import MusterTestKit
import Testing

@testable import MusterSync

/// What photos cost when one device has them and seven others fetch them, each behind a link of 10
/// Mbit/s. `MUSTER_VOLUME=100` adds as many photos as `Benchmarks/photos/sharing.py` does.
@Suite("Blobs for many peers")
struct BlobSharingTests {
  private static let members = 7
  private static let photoBytes = 300_000
  private static let bitsPerSecond = 10_000_000

  private func connected(seed: UInt64) -> World {
    var world = SyncStoryTests.world(seed: seed, members: Self.members)
    for first in 0...Self.members { for second in 0..<first { world.meet(first, second) } }
    world.run(seconds: 20) { world in
      world.haveConverged
        && (0...Self.members).allSatisfy { first in
          (0..<first).allSatisfy { world.areConnected(first, $0) }
        }
    }
    return world
  }

  @Test(arguments: [UInt64(0), 1])
  func `photos take a tenth more than their bytes, and most of the author's link`(
    lossPercent: UInt64
  ) throws {
    let count = Volume.orUsual(8)
    var world = connected(seed: 90)
    world.weather = World.Weather(loss: lossPercent, duplication: 0, delayMilliseconds: 1...1)
    world.channel = World.Channel(bitsPerSecond: Self.bitsPerSecond, queueMilliseconds: 50)
    world.checksInvariants = false
    for index in world.stations.indices { world.stations[index].checksInvariants = false }
    var entries: [BlobEntry] = []
    for number in 0..<count {
      var random = SplitMix64(seed: UInt64(number + 1))
      let content = (0..<Self.photoBytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let tree = BlobTree(of: content)
      let listing = try #require(
        BlobListing(root: tree.root, length: UInt32(Self.photoBytes), kind: .original))
      let units = tree.shape.units
      for unit in 0..<units {
        world.stations[0].units[listing.id, default: [:]][unit] = tree.unit(unit, of: content)
      }
      for holds in [true, false] {
        entries.append(
          BlobEntry(
            listing: listing, id: listing.id,
            certificate: CertificateHash(raw: Bytes32(prefix: .zero, suffix: .zero)),
            number: Int64(number), units: holds ? .all(units) : UnitSet(units: units),
            goal: .rest))
      }
    }
    func wire(_ world: World) -> Int {
      world.stations.reduce(0) { $0 + $1.wireBytes + 14 * $1.sentDatagrams }
    }
    let (before, began) = (wire(world), world.now)
    for index in 0...Self.members {
      let own = entries.filter { $0.units.isComplete == (index == 0) }
      world.give(.blobsChanged(own, removed: []), to: index)
    }
    let ids = entries.filter(\.units.isComplete).map(\.id)
    let isDone = world.run(seconds: Int64(count) * 10) { world in
      world.stations.dropFirst().allSatisfy { station in
        ids.allSatisfy { station.engine.isComplete($0) }
      }
    }
    #expect(isDone)
    let payload = Double(count * Self.photoBytes)
    let bytes = Double(wire(world) - before) / payload / Double(Self.members)
    let share =
      payload * 8 / Double(Self.bitsPerSecond)
      / (Double(world.now.microseconds(since: began)) / 1e6)
    let author = Double(world.stations[0].wireBytes) / payload
    let note = "\(bytes) of the photos' bytes, \(share) of the link, the author sent \(author)"
    if Volume.orUsual(0) > 0 { print("\(count) photos, \(lossPercent) % loss: \(note)") }
    #expect(bytes < 1.12 + Double(lossPercent) / 33, "\(note)")
    #expect(share > 0.5, "\(note)")
    #expect(world.stations.allSatisfy { $0.unitsAgain == 0 } && world.problems == [])
  }
}
