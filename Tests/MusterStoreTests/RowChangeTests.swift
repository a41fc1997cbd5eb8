import MusterCRDT
import MusterModel
import MusterTestKit
import Testing

@testable import MusterStore

@Suite("Changes of rows")
struct RowChangeTests {
  private static let start = RowChangePosition(moment: 0, row: nil)

  @Test func `an old write that arrives late is the newest change`() throws {
    let store = try Store.inMemory()
    var (scribe, late) = (Scribe(1), Scribe(2))
    _ = try store.commit(
      batch(
        scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke")),
        scribe.writing(report(8, by: scribe.author, title: "Ash"))))
    let first = try store.newestMoment(of: .reports)

    _ = try store.commit(batch(late.opened(), late.writing([title(7, "Fire")])))

    let position = RowChangePosition(moment: first, row: nil)
    let delta = try store.changes(of: .reports, after: position, limit: 9)
    #expect(delta.map(\.row) == [reportKey(7).id] && delta.map(\.version) == [2])
    #expect(delta.allSatisfy { $0.moment > first })
    #expect(try store.changes(of: .reports, after: Self.start, limit: 9).count == 2)
    #expect(try store.changes(of: .users, after: Self.start, limit: 9).isEmpty)
  }

  @Test func `a row that no longer counts is a change`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    _ = try store.commit(
      batch(scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke"))))
    let first = try store.newestMoment(of: .reports)

    try store.rebuildView { _, _, _ in Reapplication(.nothing) }

    let position = RowChangePosition(moment: first, row: nil)
    let delta = try store.changes(of: .reports, after: position, limit: 9)
    #expect(delta.map(\.row) == [reportKey(7).id])
    #expect(try store.row(reportKey(7)) == nil)
  }

  @Test func `a row has one version for each commit that changed it`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    _ = try store.commit(
      batch(
        scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke")),
        scribe.writing([title(7, "Fire")])))
    #expect(try store.change(of: reportKey(7).id, in: .reports)?.version == 1)

    _ = try store.commit(batch(scribe.writing([title(7, "Ash")])))
    #expect(try store.change(of: reportKey(7).id, in: .reports)?.version == 2)

    try store.rebuildView { _, _, _ in Reapplication(.nothing) }
    #expect(try store.change(of: reportKey(7).id, in: .reports)?.version == 3)
    let moment = try store.newestMoment(of: .reports)

    _ = try store.commit(batch(scribe.writing(report(7, by: scribe.author, title: "Smoke"))))
    let back = try #require(try store.change(of: reportKey(7).id, in: .reports))
    #expect(back.version == 4 && back.moment > moment)
    #expect(try store.row(reportKey(7)) != nil)
    #expect(try store.changes(of: .reports, after: Self.start, limit: 9) == [back])
  }

  @Test func `a moment is later than those before, whatever the clock shows`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    var moments: [Int64] = []
    for (index, wall) in [500, 90, 600].enumerated() {
      var change = batch(
        index == 0 ? scribe.opened() : scribe.writing([title(8, "Ash")]),
        scribe.writing(report(UInt64(20 + index), by: scribe.author, title: "Smoke")))
      change.arrival = ArrivalTime(
        boot: 1, milliseconds: Int64(index), wall: Timestamp(milliseconds: Int64(wall)))
      _ = try store.commit(change)
      moments.append(try store.newestMoment(of: .reports))
    }
    #expect(moments == [500, 501, 600])
  }

  @Test func `a database of an earlier version keeps its changes`() throws {
    let folder = try TemporaryFolder()
    let old = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    _ = try old.commit(
      batch(
        scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke")),
        scribe.writing(report(8, by: scribe.author, title: "Ash"))))
    let (kept, gone) = (reportKey(7).id, reportKey(8).id)
    let statements = """
      DROP INDEX rows_by_change;
      ALTER TABLE rows DROP COLUMN moment;
      ALTER TABLE rows DROP COLUMN version;
      CREATE TABLE row_changes(
        set_number INTEGER NOT NULL, row BLOB NOT NULL, moment INTEGER NOT NULL,
        version INTEGER NOT NULL, PRIMARY KEY(set_number, row)) STRICT, WITHOUT ROWID;
      INSERT INTO row_changes VALUES (2, x'\(kept)', 70, 3), (2, x'\(gone)', 80, 4);
      DELETE FROM rows WHERE id = x'\(gone)';
      DELETE FROM grdb_migrations WHERE identifier LIKE '22 %'
      """
    for statement in statements.split(separator: ";") {
      try old.execute(unchecked: String(statement))
    }
    try old.close()

    let store = try Store.open(path: folder.database(), seal: seal)
    let changes = try store.changes(of: .reports, after: Self.start, limit: 9)
    #expect(
      changes == [
        RowChange(row: kept, moment: 70, version: 3), RowChange(row: gone, moment: 80, version: 4),
      ])
    #expect(try store.row(reportKey(7)) != nil && store.row(reportKey(8)) == nil)
    #expect(try store.rows(.report).map(\.key) == [reportKey(7)])
    #expect(try store.newestMoment(of: .reports) == 80)
  }
}
