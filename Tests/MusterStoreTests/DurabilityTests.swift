import Foundation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterStore

@Suite("On disk")
struct DurabilityTests {
  @Test func `every commit is synced before it is acknowledged`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)

    #expect(try store.execute(unchecked: "PRAGMA synchronous") == ["2"])
    #expect(try store.execute(unchecked: "PRAGMA journal_mode") == ["wal"])
    #expect(try store.execute(unchecked: "PRAGMA secure_delete") == ["0"])
    #expect(try store.execute(unchecked: "PRAGMA cache_size") == ["-65536"])
    #expect(try store.execute(unchecked: "PRAGMA busy_timeout") == ["0"])
  }

  @Test func `every table is strict`() throws {
    let lax = try Store.inMemory().execute(
      unchecked: """
        SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict
          AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations'
        """)
    #expect(lax.isEmpty)
  }

  @Test func `what was acknowledged is there after reopening`() throws {
    let folder = try TemporaryFolder()
    var scribe = Scribe(1)
    var change = batch(
      scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke")))
    change.local["counter"] = [4]
    let before = try Store.open(path: folder.database(), seal: seal)
    _ = try before.commit(change)
    let row = try before.row(reportKey(7))
    try before.close()

    let after = try Store.open(path: folder.database(), seal: seal)

    #expect(try after.execute(unchecked: "PRAGMA synchronous") == ["2"])
    #expect(try after.log(scribe.log)?.head == scribe.head)
    #expect(try after.row(reportKey(7)) == row)
    #expect(try after.local("counter") == [4])
    #expect(try after.integrityProblems().isEmpty)
  }

  @Test func `what was acknowledged is there without a clean end`() throws {
    // Given a store whose process stops: its files are copied as they lie
    let folder = try TemporaryFolder()
    let copy = try TemporaryFolder()
    var scribe = Scribe(1)
    let store = try Store.open(path: folder.database(), seal: seal)
    _ = try store.commit(
      batch(scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke"))))
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.database() + suffix, toPath: copy.database() + suffix)
    }

    let after = try Store.open(path: copy.database(), seal: seal)

    #expect(try after.row(reportKey(7)) == store.row(reportKey(7)))
    #expect(try after.integrityProblems().isEmpty)
  }

  @Test func `only its owner can read the database`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    _ = try store.counts()

    for suffix in ["", "-wal", "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.database() + suffix)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `a database of a newer version is refused`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    try store.execute(
      unchecked: "INSERT INTO grdb_migrations(identifier) VALUES ('9999 from tomorrow')")
    try store.close()

    #expect(throws: StoreError.newerVersion) { try Store.open(path: folder.database(), seal: seal) }
    #expect(StoreError.newerVersion.description.contains("update muster"))
  }

  @Test func `a file that is no database is refused and left as it is`() throws {
    let folder = try TemporaryFolder()
    let letter = Data(repeating: 65, count: 5000)
    try letter.write(to: URL(fileURLWithPath: folder.database()))

    #expect {
      try Store.open(path: folder.database(), seal: seal)
    } throws: { error in
      if case .corrupt = error as? StoreError { true } else { false }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database())) == letter)
  }

  @Test func `a folder that is not there is reported`() throws {
    let folder = try TemporaryFolder()
    #expect {
      try Store.open(path: folder.url.appendingPathComponent("absent/muster.db").path, seal: seal)
    } throws: { error in
      if case .io = error as? StoreError { true } else { false }
    }
  }

  @Test func `a second writer fails because the database is locked`() throws {
    let folder = try TemporaryFolder()
    let first = try Store.open(path: folder.database(), seal: seal)
    let second = try Store.open(path: folder.database(), seal: seal)
    var change = Batch()
    change.local["counter"] = [1]

    try first.write { _ in
      _ = #expect(throws: StoreError.locked) { try second.commit(change) }
    }

    _ = try second.commit(change)
    #expect(try first.local("counter") == [1])
  }

  @Test func `a full disk refuses the change, and reads and later changes go on`() throws {
    // Given a database that may not grow
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    _ = try store.commit(
      batch(scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke"))))
    let pages = try #require(try store.execute(unchecked: "PRAGMA page_count").first)
    try store.execute(unchecked: "PRAGMA max_page_count=\(pages)")

    // When more comes than fits
    var large = Batch()
    var writer = scribe
    for _ in 0..<200 {
      large.frames.append(
        HeldFrame(
          frame: writer.frame(body: [UInt8](repeating: 1, count: 900)), application: .nothing))
    }
    #expect(throws: StoreError.diskFull) { try store.commit(large) }

    // Then nothing of it is there, reading goes on, and with space it is taken
    #expect(try store.log(scribe.log)?.head == scribe.head)
    #expect(try store.row(reportKey(7)) != nil)
    #expect(try store.integrityProblems().isEmpty)
    try store.execute(unchecked: "PRAGMA max_page_count=1000000")
    #expect(try store.commit(large).framesHeld == 200)
    #expect(try store.log(scribe.log)?.head == writer.head)
  }

  @Test func `a disk that fills up while the view is rebuilt leaves it as it was`() throws {
    // Given a title, and no page to spare
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    let created = scribe.opened()
    let written = scribe.writing(report(7, by: scribe.author, title: "Smoke"))
    _ = try store.commit(batch(created, written))
    let row = try store.row(reportKey(7))
    let pages = try #require(try store.execute(unchecked: "PRAGMA page_count").first)
    try store.execute(unchecked: "PRAGMA max_page_count=\(pages)")
    let long = Write(
      row: reportKey(7).id, field: .reportDescription,
      value: .text(String(repeating: "a", count: 16_000)))

    // When the rebuilt view is larger
    let rebuild: (Opening, Frame, @escaping Store.Lookup) -> Reapplication = { _, frame, _ in
      guard frame == written.frame else { return Reapplication(.nothing) }
      let writes = report(7, by: scribe.author, title: "Smoke") + [long]
      return Reapplication(
        .applied(writes: scribe.authored(writes, in: frame), crossings: []))
    }
    #expect(throws: StoreError.diskFull) { try store.rebuildView(rebuild) }

    // Then the old one is whole, and with space there is a new one
    #expect(try store.row(reportKey(7)) == row)
    try store.execute(unchecked: "PRAGMA max_page_count=1000000")
    try store.rebuildView(rebuild)
    #expect(try store.row(reportKey(7))?.values(of: .reportDescription).count == 1)
  }

  @Test func `a missing frame is found`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    _ = try store.commit(batch(scribe.opened(), scribe.silent(), scribe.silent()))
    try store.execute(unchecked: "DELETE FROM frames WHERE place & 0xFFFFFFFF = 1")

    #expect(try store.integrityProblems().count == 1)
    #expect(throws: StoreError.self) {
      try store.frames(log: scribe.log, from: 0, maxBytes: 1000, maxFrames: 10)
    }
    #expect(throws: StoreError.self) { try store.forEachFrame { _, _ in } }
  }

  @Test func `a damaged value ends in an error and not in a trap`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    _ = try store.commit(
      batch(scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke"))))
    try store.execute(unchecked: "UPDATE rows SET state = x'00FF'")
    #expect(throws: StoreError.self) { try store.row(reportKey(7)) }
    #expect(throws: StoreError.self) { try store.rows(.report) }
    #expect(throws: StoreError.self) { try store.commit(batch(scribe.writing([title(7, "x")]))) }

    try store.execute(unchecked: "UPDATE logs SET lane = 99")
    #expect(throws: StoreError.corrupt("table logs, column 6")) { try store.logs() }
  }

  @Test func `every failure states what to do in one line`() {
    let place = FramePosition(log: LogID(raw: name(1)), sequence: 3)
    let all: [StoreError] = [
      .diskFull, .corrupt("x"), .locked, .newerVersion, .unsealed, .foreign, .io("x"), .fork(place),
      .gap(place),
      .unopened(place.log),
    ]
    for error in all {
      #expect(!error.description.contains("\n"))
      #expect(error.description.contains(": "))
    }
  }
}
