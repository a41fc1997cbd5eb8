import MusterCRDT
import MusterModel
import MusterStore
import Testing

@Suite("Rebuilding the view from the log")
struct RebuildTests {
  @Test func `a decision that changes takes a log's writes out of the view`() throws {
    // Given two authors' titles of one report
    let store = try Store.inMemory()
    var (commander, revoked) = (Scribe(1), Scribe(2))
    let ours = [
      commander.opened(), commander.writing(report(7, by: commander.author, title: "Smoke")),
    ]
    let theirs = [
      revoked.opened(), revoked.writing([title(7, "All is well")], crossings: [crossing(1)]),
    ]
    let sealed = revoked.waiting(for: .part)
    _ = try store.commit(batch(ours[0], theirs[0], ours[1], theirs[1], sealed))

    // When one of them turns out to be cut off at its opening
    let outcome = try store.rebuildView { opening, frame, _ in
      let held = (ours + theirs).first { $0.frame == frame }
      let isCut = opening == revoked.opening && frame.sequence > 0
      return Reapplication(isCut ? .nothing : held?.application ?? .nothing)
    }

    // Then only the other's is left, and the log is whole
    let titles = try #require(try store.row(reportKey(7))).values(of: .reportTitle)
    #expect(titles.map(\.value) == [.text("Smoke")])
    #expect(outcome.changedRows == [reportKey(7)])
    #expect(try store.crossings(limit: 9).isEmpty)
    #expect(try store.waiting(limit: 9).isEmpty)
    #expect(try store.counts().frames == 5)
  }

  @Test func `an arrival number is never given twice`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let first = try store.commit(
      batch(scribe.opened(), scribe.writing([], crossings: [crossing(1)])))
    try store.rebuildView { _, _, _ in Reapplication(.nothing) }

    let second = try store.commit(batch(scribe.writing([], crossings: [crossing(2)])))

    #expect(second.newCrossings[0].arrival > first.newCrossings[0].arrival)
  }

  @Test func `the last part completes those before it`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let part = scribe.waiting(for: .part)
    var change = batch(
      opened, part, scribe.writing(report(7, by: scribe.author, title: "Smoke")))
    let place = FramePosition(log: scribe.log, sequence: 1)
    change.released = [ReleasedFrame(place: place, application: .nothing)]
    _ = try store.commit(change)
    let before = try store.row(reportKey(7))

    let applications = change.frames.map(\.application)
    try store.rebuildView { _, frame, _ in
      Reapplication(
        applications[Int(frame.sequence)], released: frame.sequence == 2 ? change.released : [])
    }

    #expect(try store.row(reportKey(7)) == before)
    #expect(try store.counts().waiting == 0)
  }

  @Test func `a rebuild that fails leaves the view as it was`() throws {
    struct Unreadable: Error {}
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    _ = try store.commit(
      batch(
        scribe.opened(),
        scribe.writing(report(7, by: scribe.author, title: "Smoke"), crossings: [crossing(1)])))
    let row = try store.row(reportKey(7))
    let crossings = try store.crossings(limit: 9)

    #expect(throws: Unreadable.self) {
      try store.rebuildView { _, frame, _ in
        if frame.sequence == 1 { throw Unreadable() }
        return Reapplication(.nothing)
      }
    }

    #expect(row != nil)
    #expect(try store.row(reportKey(7)) == row)
    #expect(try store.crossings(limit: 9) == crossings)
  }

  @Test func `another store fed from the log holds the same`() throws {
    let store = try Store.inMemory()
    let copy = try Store.inMemory()
    var scribe = Scribe(1)
    var change = batch(
      scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke")))
    for number in 0..<20 { change.frames.append(scribe.writing([title(7, "\(number)")])) }
    _ = try store.commit(change)

    try store.forEachFrame { opening, frame in
      let held = HeldFrame(
        frame: frame, opening: frame.sequence == 0 ? opening : nil,
        application: change.frames[Int(frame.sequence)].application)
      _ = try copy.commit(batch(held))
    }

    #expect(try copy.rows(.report) == store.rows(.report))
    #expect(try copy.logs() == store.logs())
  }
}
