import MusterCRDT
import MusterModel
import MusterStore
import Testing

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
}
