import Foundation
import MusterCRDT
import MusterCrypto
import MusterModel
import MusterTestKit
import SQLiteSeal
import Testing

@testable import MusterStore

@Suite("Sealed pages")
struct SealedPageTests {
  private static let canary = "Canary in the coal mine"

  /// Everything in the folder, file by file.
  private static func files(of folder: borrowing TemporaryFolder) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      files[name] = try Data(contentsOf: folder.url.appendingPathComponent(name))
    }
    return files
  }

  private static func copy(_ from: String, to target: String) throws {
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: from + suffix, toPath: target + suffix)
    }
  }

  /// The number and the sealed page of each frame of the log; after the last come zeros.
  private static func frames(ofLog path: String) throws -> [(number: Int, page: Data)] {
    let log = try Data(contentsOf: URL(fileURLWithPath: path))
    return stride(from: 32, through: log.count - 4120, by: 4120).compactMap { start in
      let number = log[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      return number == 0 ? nil : (number, Data(log[start + 24..<start + 4120]))
    }
  }

  @Test func `no text and no key is on the disk, whether it is open or not`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    let key = StoredEpochKey(
      id: EpochID(raw: name(5)), key: Bytes32(prefix: name(6), suffix: name(7)))
    var change = batch(
      scribe.opened(), scribe.writing(report(7, by: scribe.author, title: Self.canary)))
    change.epochKeys = [key]
    _ = try store.commit(change)
    let needles = [
      Data(Self.canary.utf8), Data(key.key.bytes), Data("CREATE TABLE".utf8),
      Data(scribe.log.raw.bytes),
    ]

    for isOpen in [true, false] {
      if !isOpen { try store.close() }
      let files = try Self.files(of: folder)
      #expect(!isOpen || files.keys.contains { $0.hasSuffix("-wal") })
      for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
        for needle in needles { #expect(bytes.range(of: needle) == nil, "in \(name)") }
      }
    }

    let after = try Store.open(path: folder.database(), seal: seal)
    #expect(try after.epochKeys() == [key])
    #expect(try after.row(reportKey(7)) != nil)
  }

  @Test func `a page of the same text is never the same on the disk`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    try store.execute(unchecked: "INSERT INTO local VALUES ('counter', zeroblob(3000))")
    for _ in 0..<20 {
      try store.execute(unchecked: "UPDATE local SET value = zeroblob(3000)")
    }
    let pages = try Self.frames(ofLog: folder.database() + "-wal").map(\.page)
    let nonces = Set(pages.map { Data($0.suffix(40).prefix(24)) })
    #expect(pages.count > 20)
    #expect(nonces.count == pages.count)
  }

  @Test func `the log's file grows by many frames at a time`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    _ = try store.commit(batch(scribe.opened()))
    var sizes: Set<Int> = []
    for title in 0..<60 {
      _ = try store.commit(batch(scribe.writing(report(7, by: scribe.author, title: "\(title)"))))
      sizes.insert(try Self.files(of: folder)["muster.db-wal"]?.count ?? 0)
    }
    #expect(sizes.allSatisfy { $0 > 256 * 1024 })
    #expect(sizes.count < 12)
  }

  @Test func `a transaction that outgrows the cache is read again after a crash`() throws {
    // Given a transaction that writes its pages into the log many times, and in place
    let folder = try TemporaryFolder()
    let copy = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    try store.execute(unchecked: "PRAGMA cache_size=5")
    try store.execute(
      unchecked: """
        INSERT INTO local(key, value)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        SELECT hex(randomblob(8)) || i, randomblob(100) FROM n
        """)
    let sum = "SELECT count(*) || ' ' || sum(length(key)) || ' ' || hex(max(value)) FROM local"
    let before = try store.execute(unchecked: sum)
    // When the process dies
    try Self.copy(folder.database(), to: copy.database())
    // Then all of it is there, and nothing is damaged
    #expect(try Store.problem(ofDatabaseAt: copy.database(), seal: seal) == nil)
    let after = try Store.open(path: copy.database(), seal: seal)
    #expect(try after.execute(unchecked: sum) == before)
    #expect(before.first?.hasPrefix("3000 ") == true)
    #expect(try after.integrityProblems().isEmpty)
  }

  @Test func `with another device's key nothing opens, and nothing is thrown away`() throws {
    let folder = try TemporaryFolder()
    try Store.open(path: folder.database(), seal: seal).close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.database()))
    let other = PageSeal(key: pageKey(2), seed: [UInt8](repeating: 2, count: 32))

    #expect(throws: StoreError.foreign) {
      try Store.problem(ofDatabaseAt: folder.database(), seal: other)
    }
    #expect(throws: StoreError.self) { try Store.open(path: folder.database(), seal: other) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database())) == bytes)
    #expect(try Store.problem(ofDatabaseAt: folder.database(), seal: seal) == nil)
  }

  @Test func `a database that an earlier build left in the clear is refused`() throws {
    let folder = try TemporaryFolder()
    var page = [UInt8](repeating: 0, count: 4096)
    page.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
    (page[20], page[100]) = (8, 13)
    try Data(page).write(to: URL(fileURLWithPath: folder.database()))

    #expect(throws: StoreError.unsealed) {
      try Store.problem(ofDatabaseAt: folder.database(), seal: seal)
    }
    #expect(throws: StoreError.unsealed) { try Store.open(path: folder.database(), seal: seal) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database())) == Data(page))
  }

  @Test func `pages of the log that changed places are damage`() throws {
    let folder = try TemporaryFolder()
    let copy = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    for number in 0..<5 {
      try store.execute(unchecked: "INSERT INTO local VALUES ('\(number)', zeroblob(10))")
    }
    try Self.copy(folder.database(), to: copy.database())
    let path = URL(fileURLWithPath: copy.database() + "-wal")
    var log = try Data(contentsOf: path)
    let (first, second) = (32 + 24..<32 + 4120, 32 + 4120 + 24..<32 + 8240)
    let page = Data(log[first])
    log.replaceSubrange(first, with: Data(log[second]))
    log.replaceSubrange(second, with: page)
    try log.write(to: path)

    #expect(try Store.problem(ofDatabaseAt: copy.database(), seal: seal) != nil)
  }

  @Test func `a checkpoint copies pages as they were sealed`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    for number in 0..<50 {
      try store.execute(
        unchecked: "INSERT INTO local VALUES ('\(number)', zeroblob(\(number * 90)))")
    }
    var newest: [Int: Data] = [:]
    for (number, page) in try Self.frames(ofLog: folder.database() + "-wal") {
      newest[number] = page
    }
    try store.settleLog()
    let database = try Data(contentsOf: URL(fileURLWithPath: folder.database()))
    for (number, page) in newest.sorted(by: { $0.key < $1.key }) {
      #expect(database[(number - 1) * 4096..<number * 4096] == page, "page \(number)")
    }
    #expect(newest.count > 20)
    // Page 1's header too, and what follows is sealed again.
    try store.execute(unchecked: "DELETE FROM local")
    try store.close()
    #expect(try seal.problems(ofFile: folder.database()).isEmpty)
  }

  @Test func `an older page in place of a newer one of the log is noticed while it is open`() throws
  {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    let write = "INSERT OR REPLACE INTO local VALUES ('a', zeroblob(100))"
    try store.execute(unchecked: write)
    let path = folder.database() + "-wal"
    let count = try Self.frames(ofLog: path).count
    try store.execute(unchecked: write)
    // The last frame of each commit is of the same page: they change places, headers and all.
    let frames = try Self.frames(ofLog: path)
    try #require(frames[count - 1].number == frames[frames.count - 1].number)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let places = [count, frames.count].map { UInt64(32 + ($0 - 1) * 4120) }
    let contents = try places.map { place in
      try file.seek(toOffset: place)
      return try file.read(upToCount: 4120) ?? Data()
    }
    for (place, bytes) in zip(places, contents.reversed()) {
      try file.seek(toOffset: place)
      try file.write(contentsOf: bytes)
    }
    try file.close()

    #expect(throws: StoreError.self) { try store.settleLog() }
  }
}
