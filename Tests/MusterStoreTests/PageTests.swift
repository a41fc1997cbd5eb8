import Foundation
import MusterCRDT
import MusterModel
import MusterTestKit
import Testing

@testable import MusterStore
@testable import SQLiteSeal

@Suite("Pages of the database file")
struct PageTests {
  private static let pageBytes = 4096
  /// Flips; more by hand: `MUSTER_VOLUME=50`.
  private static let flips = 200 * Volume.orUsual(1)

  /// A database of some rows and frames, closed.
  private static func database(in folder: borrowing TemporaryFolder) throws -> Data {
    let store = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    _ = try store.commit(batch(scribe.opened()))
    for number in 1...60 {
      let row = UInt64(number)
      _ = try store.commit(
        batch(scribe.writing(report(row, by: scribe.author, title: "Smoke \(number)"))))
    }
    try store.close()
    return try Data(contentsOf: URL(fileURLWithPath: folder.database()))
  }

  /// Everything that can be read, or the error.
  private static func contents(of path: String) -> Result<[RowState], StoreError> {
    do throws(StoreError) {
      let store = try Store.open(path: path, seal: seal)
      _ = try store.logs()
      return .success(try store.rows(.report))
    } catch {
      return .failure(error)
    }
  }

  @Test func `each leaves room for its nonce and tag`() throws {
    let folder = try TemporaryFolder()
    let bytes = try Self.database(in: folder)

    #expect(bytes[20] == 40, "bytes that SQLite leaves alone")
    #expect(bytes.count % Self.pageBytes == 0)
    #expect(try seal.problems(ofFile: folder.database()) == [])
  }

  @Test func `a byte that flips anywhere is found, and nothing wrong is read`() throws {
    let folder = try TemporaryFolder()
    let bytes = try Self.database(in: folder)
    let honest = try Self.contents(of: folder.database()).get()
    var random = SplitMix64(seed: 4)
    for round in 0..<Self.flips {
      let place = random.number(below: bytes.count)
      var damaged = bytes
      damaged[place] ^= UInt8(1 + random.number(below: 255))
      try damaged.write(to: URL(fileURLWithPath: folder.database()))

      let found = try seal.problems(ofFile: folder.database())
      #expect(found.count == 1, "seed 4, round \(round): a flip at \(place)")
      switch Self.contents(of: folder.database()) {
      case .success(let rows): #expect(rows == honest, "seed 4, round \(round): at \(place)")
      case .failure(.corrupt): break
      case .failure(let error): Issue.record("seed 4, round \(round): at \(place): \(error)")
      }
      for suffix in ["-wal", "-shm"] {
        if FileManager.default.fileExists(atPath: folder.database() + suffix) {
          try FileManager.default.removeItem(atPath: folder.database() + suffix)
        }
      }
    }
  }

  @Test func `a page of zeros, one of another place and a file cut short are found`() throws {
    let folder = try TemporaryFolder()
    let bytes = try Self.database(in: folder)
    let file = URL(fileURLWithPath: folder.database())
    let second = Self.pageBytes..<2 * Self.pageBytes
    let third = 2 * Self.pageBytes..<3 * Self.pageBytes

    var zeroed = bytes
    zeroed.replaceSubrange(second, with: Data(count: Self.pageBytes))
    try zeroed.write(to: file)
    #expect(try seal.problems(ofFile: file.path).count == 1)

    var misplaced = bytes
    misplaced.replaceSubrange(second, with: bytes[third])
    try misplaced.write(to: file)
    #expect(try seal.problems(ofFile: file.path).count == 1)

    for length in [1, 100, Self.pageBytes, bytes.count - Self.pageBytes, bytes.count - 1] {
      try bytes.prefix(length).write(to: file)
      #expect(try !seal.problems(ofFile: file.path).isEmpty, "cut to \(length)")
    }
  }

  @Test func `a path of any letters is opened`() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("a b%20?c#d&ä.db").path
    try Store.open(path: path, seal: seal).close()
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try seal.problems(ofFile: path) == [])
  }

  @Test func `rows are read from a page that is damaged anywhere without a trap`() throws {
    let folder = try TemporaryFolder()
    let bytes = try Self.database(in: folder)
    var random = SplitMix64(seed: 9)
    var rows = 0
    for _ in 0..<20_000 {
      let start = random.number(below: bytes.count / Self.pageBytes) * Self.pageBytes
      var page = [UInt8](bytes[start..<start + Self.pageBytes])
      #expect(
        page.withUnsafeMutableBytes { page in
          seal.open(page.baseAddress!, number: UInt32(start / Self.pageBytes + 1))
        })
      for _ in 0..<1 + random.number(below: 20) {
        // The cell pointers of the page.
        page[random.number(below: random.number(below: 2) == 0 ? 200 : Self.pageBytes)] = UInt8(
          random.number(below: 256))
      }
      page.withUnsafeBytes { page in
        LeafPage.forEachRow(page, isFirst: start == 0) { row in
          rows += 1
          for case .blob(let blob) in row.columns { rows += blob.isEmpty ? 0 : Int(blob[0] & 0) }
        }
      }
    }
    #expect(rows > 20_000)
  }
}
