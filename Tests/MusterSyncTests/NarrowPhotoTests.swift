import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// Ten stations on one channel of 64 kbit/s whose radios take turns and have queues of their own, in
/// virtual time: `Benchmarks/network/slowlink.py --nodes 10 --photos 20`.
@Suite("Photos on a full channel")
struct NarrowPhotoTests {
  private static let stations = 10
  private static let photos = 20

  private static func world(seed: UInt64) -> World {
    var world = World(seed: seed)
    world.found()
    for _ in 1..<stations { world.enrol(.member) }
    world.checksInvariants = false
    world.channel = World.Channel(
      bitsPerSecond: 64_000, queueMilliseconds: 2000, isShared: true, radioBytes: 16_000)
    for index in 0..<stations {
      world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: index)
    }
    world.run(seconds: 900) { $0.haveConverged }
    world.run(seconds: 60)
    return world
  }

  /// The author of a photo: each but the command post in turn.
  private static func author(of photo: Int) -> Int { 1 + photo % (stations - 1) }

  @Test func `the command post has twenty thumbnails in two minutes, beside all other data`()
    throws
  {
    var world = Self.world(seed: 1)
    let trees = (0..<Self.photos).map { number in
      let content = (0..<12_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ number) }
      return (tree: BlobTree(of: content), content: content)
    }
    let listings = try trees.map {
      try #require(BlobListing(root: $0.tree.root, length: 12_000, kind: .thumbnail))
    }
    // Given a report and its photo of nine members, two each, whose next announces are far away
    world.announcesDataOnly = true
    let held = (0..<Self.stations).map { world.frames($0, of: $0) }
    for photo in 0..<Self.photos { world.write(2, bytes: 250, at: Self.author(of: photo)) }
    var listed: Set<[Int]> = []
    /// A station learns of an author's photos with the last of their frames: no later announce of
    /// the author carries any.
    func list(in world: inout World) {
      for photo in 0..<Self.photos {
        let (author, listing) = (Self.author(of: photo), listings[photo])
        let frames = held[author] + 2 * (0..<Self.photos).count { Self.author(of: $0) == author }
        for index in 0..<Self.stations
        where world.frames(index, of: author) >= frames
          && listed.insert([photo, index]).inserted
        {
          if index == author {
            world.stations[index].units[listing.id] = [
              0: trees[photo].tree.unit(0, of: trees[photo].content)
            ]
          }
          let entry = BlobEntry(
            listing: listing, id: listing.id,
            certificate: world.stations[author].local.certificate.hash, number: Int64(photo),
            units: index == author ? .all(1) : UnitSet(units: 1), goal: .thumbnail)
          world.give(.blobsChanged([entry], removed: []), to: index)
        }
      }
    }
    func thumbnails(at index: Int, in world: World) -> Int {
      listings.count { world.stations[index].units[$0.id] != nil }
    }
    // When each reports its position every 20 s, and one in a minute a hazard
    var hazards: [(author: Int, frames: Int, at: Instant)] = []
    var latest: Int64 = 0
    for second in 0..<120 {
      list(in: &world)
      if second % 2 == 0 { world.record(UInt64(second / 2 + 1), at: second / 2 % Self.stations) }
      if second % 60 == 5 {
        let author = second / 60 * 7
        world.write(1, bytes: 450, in: .urgent, at: author)
        hazards.append((author, world.frames(author, of: author, in: .urgent), world.now))
      }
      world.run(seconds: 1)
      hazards.removeAll { hazard in
        let isKnown = (0..<Self.stations).allSatisfy {
          world.frames($0, of: hazard.author, in: .urgent) >= hazard.frames
        }
        if isKnown { latest = max(latest, world.now.milliseconds(since: hazard.at)) }
        return isKnown
      }
    }
    // Then the command post has every thumbnail, and each hazard was everywhere in 10 s.
    #expect(thumbnails(at: 0, in: world) == Self.photos)
    #expect(hazards.isEmpty && latest <= 10_000, "\(latest) ms")
    #expect(world.stations.allSatisfy { $0.unitsAgain == 0 } && world.problems == [])
  }
}
