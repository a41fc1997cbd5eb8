import Foundation
import MusterCrypto
import MusterModel
import MusterTestKit
import Testing

@testable import MusterStore

@Suite("Blobs in the store")
struct BlobTests {
  private struct Blob {
    let listing: BlobListing
    let units: [BlobUnit]

    init(bytes: Int, seed: UInt8 = 1) throws {
      let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0) ^ seed }
      let tree = BlobTree(of: content)
      listing = try #require(
        BlobListing(root: tree.root, length: UInt32(bytes), kind: .original))
      units = (0..<tree.shape.units).map { tree.unit($0, of: content) }
    }
  }

  private func listed(_ blob: Blob, by scribe: inout Scribe) -> Batch {
    var held = scribe.silent()
    held.frame.blobs = [blob.listing]
    return batch(held)
  }

  @Test func `units are on disk when the commit returns, and are read back with their proofs`()
    throws
  {
    let folder = try TemporaryFolder()
    let blob = try Blob(bytes: 50_000)
    var scribe = Scribe(1)
    let store = try Store.open(path: folder.database(), seal: seal)
    _ = try store.commit(batch(scribe.opened()))
    let outcome = try store.commit(listed(blob, by: &scribe))
    #expect(outcome.newLists.map(\.listing) == [blob.listing])

    var change = Batch()
    change.units = [blob.units[3], blob.units[1]]
    _ = try store.commit(change)
    try store.close()

    let after = try Store.open(path: folder.database(), seal: seal)
    let stored = try #require(try after.blob(blob.listing.id))
    #expect(stored.units.bytes == [0b1010] && stored.listing == blob.listing)
    var lists: [ListedBlob] = []
    try after.forEachPageOfLists { lists += $0 }
    #expect(lists == outcome.newLists && lists.map(\.log) == [scribe.log])
    #expect(lists.map(\.place) == [FramePosition(log: scribe.log, sequence: 1)])
    #expect(try after.unit(1, of: blob.listing) == blob.units[1])
    #expect(try after.unit(3, of: blob.listing) == blob.units[3])
    #expect(try after.unit(0, of: blob.listing)?.isValid(for: blob.listing) != true)
    #expect(try after.unit(2, of: blob.listing)?.isValid(for: blob.listing) != true)
    #expect(try after.unit(9, of: blob.listing) == nil)
    #expect(try after.blobLists(of: scribe.log, from: 0).map(\.list) == [[blob.listing]])
    let mode = try FileManager.default.attributesOfItem(
      atPath: folder.url.appendingPathComponent("blobs").path)[.posixPermissions]
    #expect(mode as? Int == 0o700)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a full disk refuses a unit, and what was stored stays`() throws {
    // Given a photo of which a unit is stored, on a disk that takes nothing more
    let folder = try TemporaryFolder()
    let blob = try Blob(bytes: 50_000)
    var scribe = Scribe(1)
    let store = try Store.open(path: folder.database(), seal: seal)
    _ = try store.commit(batch(scribe.opened()))
    _ = try store.commit(listed(blob, by: &scribe))
    func take(_ unit: Int) throws {
      var change = Batch()
      change.units = [blob.units[unit]]
      _ = try store.commit(change)
    }
    try take(1)
    let name = "\(blob.listing.id)"
    let file = folder.url.appending(path: "blobs/\(name.prefix(2))/\(name)")
    let files = FileManager.default
    let kept = folder.url.appending(path: "kept")
    try files.moveItem(at: file, to: kept)
    try files.createSymbolicLink(
      at: file, withDestinationURL: URL(filePath: "/dev/full"))

    // When another unit comes, it is refused
    #expect(throws: StoreError.diskFull) { try take(2) }

    // Then no bit claims it, and with space it is stored
    #expect(try store.blob(blob.listing.id)?.units.bytes == [0b0010])
    try files.removeItem(at: file)
    try files.moveItem(at: kept, to: file)
    try take(2)
    #expect(try store.blob(blob.listing.id)?.units.bytes == [0b0110])
    #expect(try store.unit(1, of: blob.listing) == blob.units[1])
    #expect(try store.unit(2, of: blob.listing) == blob.units[2])
  }

  @Test func `a blob is stored once, with the list of each author`() throws {
    let blob = try Blob(bytes: 100)
    var (first, second) = (Scribe(1), Scribe(2))
    let store = try Store.inMemory()
    _ = try store.commit(batch(first.opened(), second.opened()))
    #expect(try store.commit(listed(blob, by: &first)).newLists.map(\.log) == [first.log])
    #expect(try store.commit(listed(blob, by: &second)).newLists.map(\.log) == [second.log])
    #expect(try store.listedBlobs().map(\.id) == [blob.listing.id])
    // then both lists are kept
    var lists: [ListedBlob] = []
    try store.forEachPageOfLists { lists += $0 }
    #expect(Set(lists.map(\.log)) == [first.log, second.log])
  }

  @Test func `a blob that any list names as a thumbnail is one`() throws {
    let blob = try Blob(bytes: 100)
    let small = try #require(
      BlobListing(root: blob.listing.root, length: 100, kind: .thumbnail))
    for lists in [[blob.listing, small], [small, blob.listing]] {
      var scribe = Scribe(1)
      let store = try Store.inMemory()
      _ = try store.commit(batch(scribe.opened()))
      for listing in lists {
        var held = scribe.silent()
        held.frame.blobs = [listing]
        _ = try store.commit(batch(held))
      }
      #expect(try store.listedBlobs().map(\.listing.kind) == [.thumbnail])
    }
  }

  @Test func `thousands of blobs are read in pages, each once and in order`() throws {
    let store = try Store.inMemory()
    let blob = try Blob(bytes: 1)
    var scribe = Scribe(1)
    var change = batch(scribe.opened())
    for length in UInt32(1)...1025 {
      let listing = try #require(
        BlobListing(root: blob.listing.root, length: length, kind: .original))
      var held = scribe.silent()
      held.frame.blobs = [listing]
      change.frames.append(held)
    }
    _ = try store.commit(change)
    var pages: [[StoredBlob]] = []
    try store.forEachPageOfListedBlobs { pages.append($0) }
    #expect(pages.map(\.count) == [512, 512, 1])
    #expect(try pages.flatMap(\.self) == store.listedBlobs())
    #expect(pages.flatMap(\.self).map(\.listing.length) == Array(1...1025))
    var lists: [[ListedBlob]] = []
    try store.forEachPageOfLists { lists.append($0) }
    #expect(lists.map(\.count) == [512, 512, 1])
    #expect(lists.flatMap(\.self).map(\.listing.length) == Array(1...1025))
  }

  @Test func `a deleted blob stays listed, without its file, until it is fetched again`() throws {
    let folder = try TemporaryFolder()
    let blob = try Blob(bytes: 20_000)
    var scribe = Scribe(1)
    let store = try Store.open(path: folder.database(), seal: seal)
    _ = try store.commit(batch(scribe.opened()))
    var change = listed(blob, by: &scribe)
    change.units = blob.units
    _ = try store.commit(change)
    #expect(try store.blob(blob.listing.id)?.units.isComplete == true)
    var deletion = Batch()
    deletion.deletedBlobs = [blob.listing.id]
    _ = try store.commit(deletion)
    let deleted = try #require(try store.blob(blob.listing.id))
    #expect(deleted.isDeleted && deleted.units.isEmpty)
    #expect(try store.unit(0, of: blob.listing) == nil)
    #expect(try store.adoptUnits().isEmpty)

    var again = Batch()
    again.units = [blob.units[0]]
    _ = try store.commit(again)
    let fetched = try #require(try store.blob(blob.listing.id))
    #expect(!fetched.isDeleted && fetched.units.count == 1)
  }

  @Test func `files that a crash left are adopted if they are listed, and else deleted`() throws {
    let folder = try TemporaryFolder()
    let (blob, stray) = (try Blob(bytes: 40_000), try Blob(bytes: 9000, seed: 7))
    var scribe = Scribe(1)
    let store = try Store.open(path: folder.database(), seal: seal)
    _ = try store.commit(batch(scribe.opened()))
    // Given files whose transaction was not committed, one with a damaged unit
    try store.blobs.write(blob.units + stray.units)
    _ = try store.commit(listed(blob, by: &scribe))
    try store.damageUnit(1, of: blob.listing.id)

    let adopted = try store.adoptUnits()
    #expect(adopted.map(\.units.bytes) == [[0b101]])
    try store.deleteUnlistedBlobs()
    #expect(try store.blobs.stored() == [blob.listing.id])
  }

  @Test func `a database of an earlier version keeps its blobs, and has every list of them`()
    throws
  {
    let folder = try TemporaryFolder()
    let blob = try Blob(bytes: 20_000)
    var (first, second) = (Scribe(1), Scribe(2))
    let old = try Store.open(path: folder.database(), seal: seal)
    _ = try old.commit(batch(first.opened(), second.opened()))
    var change = listed(blob, by: &first)
    change.units = [blob.units[1]]
    _ = try old.commit(change)
    _ = try old.commit(listed(blob, by: &second))
    // Given a row with the first list of the blob, and no other
    let statements = """
      ALTER TABLE blobs ADD COLUMN log BLOB;
      ALTER TABLE blobs ADD COLUMN sequence INTEGER;
      ALTER TABLE blobs ADD COLUMN certificate BLOB;
      ALTER TABLE blobs ADD COLUMN lane INTEGER;
      UPDATE blobs SET log = x'\(first.log)', sequence = 1, lane = 3;
      DELETE FROM grdb_migrations WHERE identifier LIKE '27 %'
      """
    for statement in statements.split(separator: ";") {
      try old.execute(unchecked: String(statement))
    }
    try old.close()

    let store = try Store.open(path: folder.database(), seal: seal)
    #expect(try store.listedBlobs().map(\.listing) == [blob.listing])
    #expect(try store.blob(blob.listing.id)?.units.count == 1)
    #expect(try store.unit(1, of: blob.listing) == blob.units[1])
    var lists: [ListedBlob] = []
    try store.forEachPageOfLists { lists += $0 }
    #expect(Set(lists.map(\.log)) == [first.log, second.log])
  }

  @Test func `a list of blobs is read back with its frame`() throws {
    let blob = try Blob(bytes: 100)
    var scribe = Scribe(1)
    let store = try Store.inMemory()
    _ = try store.commit(batch(scribe.opened()))
    _ = try store.commit(listed(blob, by: &scribe))
    let frames = try store.frames(log: scribe.log, from: 0, maxBytes: .max, maxFrames: 9)
    #expect(frames.map(\.blobs) == [[], [blob.listing]])
  }
}
