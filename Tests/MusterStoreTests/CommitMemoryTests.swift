import MusterCRDT
import MusterModel
import Testing

@testable import MusterStore

@Suite("What commits remember")
struct CommitMemoryTests {
  @Test func `a commit that fails leaves no trace in later ones`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let created = scribe.writing(report(7, by: scribe.author, title: "Smoke"))
    let seen = Dot(frame: created.frame.hash.raw.prefix, index: 1)
    _ = try store.commit(batch(opened, created))

    // The row changes in memory before the frame is met whose predecessor is missing.
    var astray = scribe
    let lost = astray.writing([title(7, "Ash", superseding: [seen])])
    _ = astray.silent()
    let early = astray.silent()
    #expect(throws: StoreError.self) { try store.commit(batch(lost, early)) }
    let edited = scribe.writing([title(7, "Fire", superseding: [seen])])
    _ = try store.commit(batch(edited))

    let row = try #require(try store.row(reportKey(7)))
    #expect(row.values(of: .reportTitle).map(\.value) == [.text("Fire")])
  }

  @Test func `what was let go is read again`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let created = scribe.writing(report(7, by: scribe.author, title: "Smoke"))
    _ = try store.commit(batch(opened, created))
    // Raw SQL may have changed anything.
    try store.execute(unchecked: "SELECT 1")

    _ = try store.commit(batch(scribe.writing([overwriting(title(7, "Fire"))])))

    let row = try #require(try store.row(reportKey(7)))
    #expect(row.values(of: .reportTitle).map(\.value) == [.text("Fire")])
  }

  @Test func `a rebuilt view is what later commits go on from`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let created = scribe.writing(report(7, by: scribe.author, title: "Smoke"))
    let seen = Dot(frame: created.frame.hash.raw.prefix, index: 1)
    _ = try store.commit(batch(opened, created))
    let other = scribe.authored(report(7, by: scribe.author, title: "Steam"), in: created.frame)
    try store.rebuildView { _, frame, _ in
      Reapplication(frame.sequence == 1 ? .applied(writes: other, crossings: []) : .nothing)
    }

    var deputy = Scribe(2)
    _ = try store.commit(batch(deputy.opened(), deputy.writing([title(7, "Fire")])))

    let row = try #require(try store.row(reportKey(7)))
    #expect(Set(row.values(of: .reportTitle).map(\.value)) == [.text("Fire"), .text("Steam")])
    #expect(row.values(of: .reportTitle).contains { $0.dot == seen })
  }

  @Test func `a row is stored once, however many commits write to it`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    _ = try store.commit(batch(scribe.opened()))
    var cache = RowCache()
    let numbers = Array(1...UInt64(200))
    try store.write { database in
      for round in 0..<3 {
        for number in numbers {
          let held = scribe.writing(
            round == 0
              ? report(number, by: scribe.author, title: "r") : [title(number, "\(round)")])
          guard case .applied(let writes, _) = held.application else { continue }
          let place = LogPosition(log: 1, sequence: UInt32(held.frame.sequence))
          var pending = PendingWriteTable(database, progress: nil)
          for write in writes {
            _ = try cache.apply(write, at: place, beside: &pending, in: database)
          }
        }
        try cache.flush(to: database)
        #expect(cache.takeTouched().count == numbers.count)
        #expect(cache.takeTouched().isEmpty)
      }
    }
    #expect(try store.rows(.report).count == numbers.count)
    let titles = try store.rows(.report).map { $0.values(of: .reportTitle).count }
    #expect(titles.allSatisfy { $0 == 1 })
  }
}
