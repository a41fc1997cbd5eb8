import MusterCrypto
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica
@testable import MusterStore

@Suite("Bounds on the photos of a certificate")
struct PhotoKeeperTests {
  private func list(
    _ number: Int64, by author: UInt64, of lister: UInt64? = nil, bytes: UInt32 = 1,
    kind: BlobKind = .original, lane: Lane = .state, generation: UInt32 = 1
  ) throws -> ListedBlob {
    let root = Bytes32(prefix: Bytes16(high: author, low: UInt64(number)), suffix: .zero)
    let listing = try #require(BlobListing(root: root, length: bytes, kind: kind))
    let lister = lister ?? author
    let log = LogID(
      raw: Bytes16(high: lister, low: UInt64(generation) << 8 | UInt64(lane.rawValue)))
    return ListedBlob(
      listing: listing, log: log, place: FramePosition(log: log, sequence: UInt64(number)),
      opening: Opening(
        certificate: certificate(lister),
        incarnation: Incarnation(raw: Bytes16(high: lister, low: 0)), generation: generation,
        lane: lane))
  }

  private func certificate(_ author: UInt64) -> CertificateHash {
    CertificateHash(raw: Bytes32(prefix: Bytes16(high: author, low: 0), suffix: .zero))
  }

  private func goal(_ list: ListedBlob, _ keeper: PhotoKeeper, role: Role = .member) -> BlobGoal {
    let listing = list.listing
    let stored = StoredBlob(
      number: 1, listing: listing, units: UnitSet(units: listing.shape.units),
      unreferencedSince: nil, isDeleted: false)
    return keeper.entry(of: stored, role: role).goal
  }

  private func keeper(_ lists: [ListedBlob]) -> PhotoKeeper {
    var keeper = PhotoKeeper()
    for list in lists { _ = keeper.add(list, counts: true) }
    return keeper
  }

  @Test func `of 10,000 photos of one member the first 8,192 are fetched, and others' all`() throws
  {
    let flood = try (1...10_000).map { try list($0, by: 1) }
    let own = try (1...100).map { try list(10_000 + $0, by: 2) }
    let keeper = keeper(flood + own)
    let goals = flood.map { goal($0, keeper) }
    #expect(goals.prefix(Limits.blobsPerCertificate).allSatisfy { $0 == .rest })
    #expect(goals.dropFirst(Limits.blobsPerCertificate).allSatisfy { $0 == .none })
    #expect(own.allSatisfy { goal($0, keeper, role: .command) == .command })
    #expect(keeper.lists.overBound == 10_000 - Limits.blobsPerCertificate)
  }

  @Test func `claimed bytes count, so a list that lies about its size bounds only its author`()
    throws
  {
    let most = UInt32(Limits.blobBytes)
    let room = Limits.blobBytesPerCertificate / Limits.blobBytes
    let claims = try (1...Int64(room + 5)).map { try list($0, by: 1, bytes: most) }
    let other = try list(Int64(room + 6), by: 2)
    let keeper = keeper(claims + [other])
    for claim in claims.prefix(room) { #expect(!keeper.lists.isOverBound(claim.listing.id)) }
    for claim in claims.suffix(5) { #expect(keeper.lists.isOverBound(claim.listing.id)) }
    #expect(goal(other, keeper) == .rest)
  }

  @Test func `which lists are within the bound does not depend on the order of arrival`() throws {
    let most = UInt32(Limits.blobBytes)
    let room = Int64(Limits.blobBytesPerCertificate / Limits.blobBytes)
    var lists = try (1...room).map { try list($0, by: 1, bytes: most, generation: 2) }
    lists += try (1...20).map { try list($0, by: 1, bytes: UInt32($0), lane: .urgent) }
    lists += try (1...20).map { try list(100 + $0, by: 1, bytes: most / 3, generation: 3) }
    lists += try (1...9).map { try list($0, by: 1, of: 2, bytes: most) }
    let inOrder = keeper(lists).lists
    var random = SplitMix64(seed: 1)
    for _ in 0..<20 {
      lists.shuffle(using: &random)
      let shuffled = keeper(lists).lists
      for list in lists {
        let id = list.listing.id
        #expect(Set(shuffled[id]) == Set(inOrder[id]))
        #expect(shuffled.isOverBound(id) == inOrder.isOverBound(id))
      }
    }
    // then the first generation and all of the other author are within, the last is beyond
    #expect(!inOrder.isOverBound(try list(20, by: 1, bytes: 20, lane: .urgent).listing.id))
    #expect(inOrder.overBound > 20)
  }

  @Test func `a blob is fetched if one of the certificates that list it is within its bound`()
    throws
  {
    let most = UInt32(Limits.blobBytes)
    let room = Limits.blobBytesPerCertificate / Limits.blobBytes
    let flood = try (1...Int64(room)).map { try list($0, by: 1, bytes: most) }
    let claimed = try list(5, by: 2, of: 1, bytes: most, generation: 2)
    var keeper = keeper(flood + [claimed])
    #expect(goal(claimed, keeper) == .none && keeper.lists.isOverBound(claimed.listing.id))

    let genuine = try list(5, by: 2, bytes: most)
    #expect(keeper.add(genuine, counts: false) == [genuine.listing.id])
    #expect(goal(genuine, keeper) == .none)
    #expect(keeper.waits(for: [certificate(2)]) && !keeper.waits(for: [certificate(3)]))
    #expect(keeper.add(genuine, counts: true) == [genuine.listing.id])
    #expect(goal(genuine, keeper) == .rest && !keeper.lists.isOverBound(genuine.listing.id))
  }

  @Test func `of several lists the most urgent decides, and each certificate gives a turn`() throws
  {
    let later = try list(9, by: 1, of: 2, kind: .original)
    let urgent = try list(9, by: 1, kind: .thumbnail, lane: .urgent)
    for lists in [[later, urgent], [urgent, later]] {
      let keeper = keeper(lists)
      let stored = StoredBlob(
        number: 1, listing: urgent.listing, units: UnitSet(units: 1), unreferencedSince: nil,
        isDeleted: false)
      let entry = keeper.entry(of: stored, role: .relay)
      #expect(entry.goal == .urgentThumbnail)
      #expect(
        entry
          == BlobEntry(
            listing: urgent.listing, id: urgent.listing.id, units: UnitSet(units: 1),
            turns: [
              BlobTurn(certificate: certificate(1), number: 1 << 32 | 9, goal: .urgentThumbnail),
              BlobTurn(certificate: certificate(2), number: 1 << 32 | 9, goal: .onRequest),
            ]))
    }
  }

  @Test func `a photo that no other device would fetch is refused`() throws {
    func draft(_ bytes: Int) -> PhotoDraft {
      let picture = PictureDraft(
        bytes: [UInt8](repeating: 0, count: bytes), type: .jpeg, width: 9, height: 9)
      return PhotoDraft(original: picture, thumbnail: picture)
    }
    let lists = try (1...Int64(Limits.blobsPerCertificate)).map { try list($0, by: 1) }
    // Room for one photo is left
    var keeper = keeper(lists.dropLast(2))
    let (own, other) = (certificate(1), certificate(2))
    try keeper.requireRoom(for: draft(1), of: own)
    for list in lists.suffix(2) { _ = keeper.add(list, counts: true) }
    #expect(throws: Refusal.self) { try keeper.requireRoom(for: draft(1), of: own) }
    try keeper.requireRoom(for: draft(1), of: other)

    // By bytes too
    keeper.forgetLists()
    let most = UInt32(Limits.blobBytes)
    for number in 1..<Int64(Limits.blobBytesPerCertificate / Limits.blobBytes) {
      _ = keeper.add(try list(number, by: 1, bytes: most), counts: true)
    }
    try keeper.requireRoom(for: draft(Limits.blobBytes / 2), of: own)
    #expect(throws: Refusal.self) {
      try keeper.requireRoom(for: draft(Limits.blobBytes / 2 + 1), of: own)
    }
  }
}
