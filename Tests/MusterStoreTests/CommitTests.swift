import MusterCRDT
import MusterModel
import MusterStore
import Testing

@Suite("Committing a batch")
struct CommitTests {
  @Test func `a frame is held with the opening and the head of its log`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let second = scribe.silent()

    let outcome = try store.commit(batch(opened, second))

    #expect(outcome.framesHeld == 2)
    let head = try #require(scribe.head)
    #expect(try store.logs() == [LogSummary(opening: scribe.opening, head: head)])
    #expect(try store.log(scribe.log) == LogSummary(opening: scribe.opening, head: head))
    #expect(
      try store.frames(log: scribe.log, from: 0, maxBytes: 100, maxFrames: 9)
        == [opened.frame, second.frame])
    #expect(try store.counts().frames == 2)
  }

  @Test func `writes of several frames meet in one row`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let created = scribe.writing(report(7, by: scribe.author, title: "Smoke"))
    let seen = Dot(frame: created.frame.hash.raw.prefix, index: 1)
    let edited = scribe.writing([title(7, "Fire", superseding: [seen])])

    let outcome = try store.commit(batch(opened, created, edited))

    let row = try #require(try store.row(reportKey(7)))
    #expect(row.shown(.reportTitle)?.value == .text("Fire"))
    #expect(row.conflicts.isEmpty)
    #expect(outcome.changedRows == [reportKey(7)])
    #expect(outcome.writesRefused == 0)
    #expect(try store.rows(.report) == [row])
    #expect(try store.rows(.fence).isEmpty)
  }

  @Test func `a write takes earlier ones of its own log away, and no other log's`() throws {
    let store = try Store.inMemory()
    var (other, scribe) = (Scribe(2, role: .command), Scribe(1))
    _ = try store.commit(batch(other.opened(), other.silent(), scribe.opened()))
    let created = scribe.writing(report(7, by: scribe.author, title: "Smoke"))
    let edited = scribe.writing([overwriting(title(7, "Fire"))])
    let again = scribe.writing([overwriting(title(7, "Ash"))])
    let foreign = other.writing([title(7, "Steam")])

    _ = try store.commit(batch(created, edited, foreign))
    _ = try store.commit(batch(again))

    let row = try #require(try store.row(reportKey(7)))
    #expect(Set(row.values(of: .reportTitle).map(\.value)) == [.text("Ash"), .text("Steam")])
    let names = Set([created, edited, foreign].map { $0.frame.hash.raw.prefix })
    #expect(
      try store.frames(among: names, in: scribe.log)
        == names.subtracting([foreign.frame.hash.raw.prefix]))
    #expect(try store.number(of: scribe.log) != store.number(of: other.log))
  }

  @Test func `an earlier write that waited for its key is gone when it comes at last`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let first = scribe.writing(report(7, by: scribe.author, title: "Smoke"))
    var late = scribe.writing([title(7, "Fire")])
    let lateWork = late.application
    late.application = .waiting(.key(EpochID(raw: Bytes16(high: 5, low: 5))))
    let last = scribe.writing([overwriting(title(7, "Ash"))])
    _ = try store.commit(batch(opened, first, late, last))
    var release = Batch()
    release.released = [ReleasedFrame(place: late.frame.place, application: lateWork)]
    _ = try store.commit(release)
    let row = try #require(try store.row(reportKey(7)))
    #expect(row.values(of: .reportTitle).map(\.value) == [.text("Ash")])
  }

  @Test func `a frame that is held already is skipped and not applied again`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let first = batch(
      scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke")))
    _ = try store.commit(first)
    let before = try store.row(reportKey(7))

    let outcome = try store.commit(first)

    #expect(outcome.framesKnown == 2)
    #expect(outcome.framesHeld == 0)
    #expect(outcome.changedRows.isEmpty)
    #expect(try store.row(reportKey(7)) == before)
    #expect(try store.counts().frames == 2)
  }

  @Test func `a frame twice in one batch counts once`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let created = scribe.writing(report(7, by: scribe.author, title: "Smoke"))

    let outcome = try store.commit(batch(opened, created, created, opened))

    #expect(outcome.framesHeld == 2)
    #expect(outcome.framesKnown == 2)
    #expect(try store.row(reportKey(7))?.values(of: .reportTitle).count == 1)
  }

  @Test func `a gap is refused, and nothing of its batch is kept`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let written = scribe.writing(report(7, by: scribe.author, title: "Smoke"))
    _ = scribe.silent()
    let late = scribe.silent()
    var broken = batch(opened, written, late)
    broken.local["counter"] = [1]
    broken.records = [record(1, 1, 1)]
    broken.fixes = [PositionReport(fix: fix(1), reportedAt: Timestamp(milliseconds: 1))]

    #expect(throws: StoreError.gap(FramePosition(log: scribe.log, sequence: 3))) {
      try store.commit(broken)
    }

    #expect(try store.logs().isEmpty)
    #expect(try store.row(reportKey(7)) == nil)
    #expect(try store.local("counter") == nil)
    #expect(try store.records().isEmpty)
    let whole = try store.commit(batch(opened, written))
    #expect(whole.framesHeld == 2)
  }

  @Test func `a log begins with its opening`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opening = scribe.silent()
    let second = scribe.silent()

    #expect(throws: StoreError.unopened(scribe.log)) { try store.commit(batch(opening)) }
    #expect(throws: StoreError.gap(FramePosition(log: scribe.log, sequence: 1))) {
      try store.commit(batch(second))
    }
  }

  @Test func `another frame in the same place is refused as a fork`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    _ = try store.commit(batch(scribe.opened()))
    var clone = scribe
    let ours = scribe.silent()
    let theirs = HeldFrame(frame: clone.frame(branch: 1), application: .nothing)
    let afterTheirs = clone.silent()
    _ = try store.commit(batch(ours))

    #expect(throws: StoreError.fork(FramePosition(log: scribe.log, sequence: 1))) {
      try store.commit(batch(theirs))
    }
    #expect(throws: StoreError.fork(FramePosition(log: scribe.log, sequence: 2))) {
      try store.commit(batch(afterTheirs))
    }
    #expect(try store.log(scribe.log)?.head == scribe.head)
  }

  @Test func `a write without permission is held and counted, and shown nowhere`() throws {
    let store = try Store.inMemory()
    var commander = Scribe(1)
    var observer = Scribe(2, role: .observer)
    _ = try store.commit(
      batch(commander.opened(), commander.writing(report(7, by: commander.author, title: "Smoke"))))

    let outcome = try store.commit(
      batch(observer.opened(), observer.writing([title(7, "All is well")])))

    #expect(outcome.writesRefused == 1)
    #expect(outcome.framesHeld == 2)
    #expect(try store.row(reportKey(7))?.values(of: .reportTitle).count == 1)
  }

  @Test func `a superseded value that comes late does not reappear`() throws {
    // Given a deputy's edit of a title that arrives before the title's own frame
    var author = Scribe(1)
    var deputy = Scribe(2)
    let opened = author.opened()
    let created = author.writing(report(7, by: author.author, title: "Smoke"))
    let renamed = author.writing([title(7, "Smoke?")])
    let seen = Dot(frame: renamed.frame.hash.raw.prefix, index: 0)
    let edit = batch(deputy.opened(), deputy.writing([title(7, "Fire", superseding: [seen])]))
    let early = try Store.inMemory()
    let late = try Store.inMemory()

    // When one store gets it before, and another after
    for step in [batch(opened, created), edit, batch(renamed)] { _ = try early.commit(step) }
    for step in [batch(opened, created, renamed), edit] { _ = try late.commit(step) }

    // Then both hold the same
    let row = try #require(try early.row(reportKey(7)))
    #expect(row == (try late.row(reportKey(7))))
    #expect(!row.values(of: .reportTitle).contains { $0.dot == seen })
  }

  @Test func `an empty batch changes nothing`() throws {
    let store = try Store.inMemory()
    #expect(Batch().isEmpty)
    #expect(try store.commit(Batch()) == store.commit(Batch()))
    #expect(try store.counts() == store.counts())
  }

  @Test func `local facts are set, replaced and forgotten`() throws {
    let store = try Store.inMemory()
    var change = Batch()
    change.local = ["incarnation": [1], "counter": [2]]
    _ = try store.commit(change)
    change.local = ["incarnation": [3]]
    change.forgotten = ["counter"]
    _ = try store.commit(change)

    #expect(try store.local("incarnation") == [3])
    #expect(try store.local("counter") == nil)
  }

  @Test func `an epoch key is kept once and never printed`() throws {
    let store = try Store.inMemory()
    let secret = Bytes32(prefix: name(77), suffix: name(78))
    let key = StoredEpochKey(id: EpochID(raw: name(5)), key: secret)
    var change = Batch()
    change.epochKeys = [key, key]

    _ = try store.commit(change)

    #expect(try store.epochKeys() == [key])
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] {
      #expect(!text.contains("\(secret.prefix.high)"))
    }
  }

  @Test func `the node's own track is read by time`() throws {
    let store = try Store.inMemory()
    let reports = [3, 1, 2, 1].map {
      PositionReport(fix: fix($0), reportedAt: Timestamp(milliseconds: $0 * 1000 + 5))
    }
    var change = Batch()
    change.fixes = reports
    _ = try store.commit(change)

    let range = Timestamp(milliseconds: 1000)...Timestamp(milliseconds: 2000)
    #expect(try store.track(range) == [reports[1], reports[3], reports[2]])
  }
}
