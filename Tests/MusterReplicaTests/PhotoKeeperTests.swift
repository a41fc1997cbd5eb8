import MusterCrypto
import MusterModel
import MusterSync
import Testing

@testable import MusterReplica
@testable import MusterStore

@Suite("Bounds on the photos of a certificate")
struct PhotoKeeperTests {
  private func blob(_ number: Int64, by author: UInt64, bytes: UInt32 = 1) throws -> StoredBlob {
    let root = Bytes32(
      prefix: Bytes16(high: author, low: UInt64(number)), suffix: .zero)
    let listing = try #require(BlobListing(root: root, length: bytes, kind: .original))
    return StoredBlob(
      number: number, listing: listing, log: LogID(raw: Bytes16(high: author, low: 0)),
      sequence: UInt64(number),
      certificate: CertificateHash(
        raw: Bytes32(prefix: Bytes16(high: author, low: 0), suffix: .zero)),
      lane: .state, units: UnitSet(units: listing.shape.units), unreferencedSince: nil,
      isDeleted: false)
  }

  @Test func `of 10,000 photos of one member the first 8,192 are fetched, and others' all`() throws
  {
    var keeper = PhotoKeeper()
    let flood = try (1...10_000).map { try blob($0, by: 1) }
    let own = try (1...100).map { try blob(10_000 + $0, by: 2) }
    for blob in flood + own { keeper.count(blob) }
    let goals = flood.map { keeper.entry(of: $0, role: .member).goal }
    #expect(goals.prefix(Limits.blobsPerCertificate).allSatisfy { $0 == .rest })
    #expect(goals.dropFirst(Limits.blobsPerCertificate).allSatisfy { $0 == .none })
    #expect(own.allSatisfy { keeper.entry(of: $0, role: .command).goal == .command })
    #expect(keeper.overBound.count == 10_000 - Limits.blobsPerCertificate)
  }

  @Test func `claimed bytes count, so a list that lies about its size bounds only its author`()
    throws
  {
    var keeper = PhotoKeeper()
    let most = UInt32(Limits.blobBytes)
    let room = Limits.blobBytesPerCertificate / Limits.blobBytes
    let claims = try (1...Int64(room + 5)).map { try blob($0, by: 1, bytes: most) }
    let other = try blob(Int64(room + 6), by: 2)
    for blob in claims + [other] { keeper.count(blob) }
    #expect(keeper.overBound == Set(claims.suffix(5).map(\.id)))
    #expect(keeper.entry(of: other, role: .member).goal == .rest)
  }

  @Test func `a photo that no other device would fetch is refused`() throws {
    func draft(_ bytes: Int) -> PhotoDraft {
      let picture = PictureDraft(
        bytes: [UInt8](repeating: 0, count: bytes), type: .jpeg, width: 9, height: 9)
      return PhotoDraft(original: picture, thumbnail: picture)
    }
    var keeper = PhotoKeeper()
    let blobs = try (1...Int64(Limits.blobsPerCertificate)).map { try blob($0, by: 1) }
    // Room for one photo is left
    for blob in blobs.dropLast(2) { keeper.count(blob) }
    let (own, other) = (blobs[0].certificate, try blob(1, by: 2).certificate)
    try keeper.requireRoom(for: draft(1), of: own)
    for blob in blobs.suffix(2) { keeper.count(blob) }
    #expect(throws: Refusal.self) { try keeper.requireRoom(for: draft(1), of: own) }
    try keeper.requireRoom(for: draft(1), of: other)

    // By bytes too
    keeper.forgetUsage()
    let most = UInt32(Limits.blobBytes)
    for number in 1..<Int64(Limits.blobBytesPerCertificate / Limits.blobBytes) {
      keeper.count(try blob(number, by: 1, bytes: most))
    }
    try keeper.requireRoom(for: draft(Limits.blobBytes / 2), of: own)
    #expect(throws: Refusal.self) {
      try keeper.requireRoom(for: draft(Limits.blobBytes / 2 + 1), of: own)
    }
  }
}
