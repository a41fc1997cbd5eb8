import MusterModel
import MusterTestKit
import Testing

@testable import MusterStore

@Suite("Latest-only records, positions and crossings")
struct RecordTests {
  @Test func `the newest record of a topic stays, whatever came first`() throws {
    let versions = [record(1, 1, 9), record(1, 1, .max), record(1, 2, 1), record(1, 2, 2)]
    for order in permutations(versions) {
      let store = try Store.inMemory()
      for version in order { try commit([version], to: store) }
      #expect(try store.records() == [record(1, 2, 2)])

      let together = try Store.inMemory()
      try commit(order, to: together)
      #expect(try together.records() == [record(1, 2, 2)])
    }
  }

  @Test func `of records with one order the same one stays, whatever came first`() throws {
    var versions: [LatestRecord] = []
    for (epoch, body) in [(1, [1, 2]), (1, [1, 2, 0]), (1, [2]), (0, [255])] as [(UInt64, [UInt8])]
    {
      var version = record(1, 1, 9)
      version.epoch = EpochID(raw: Bytes16(high: 0, low: epoch))
      version.body = body
      versions.append(version)
    }
    for order in permutations(versions) {
      let (store, together, staged) = (
        try Store.inMemory(), try Store.inMemory(), try Store.inMemory()
      )
      for version in order { try commit([version], to: store) }
      try commit(order, to: together)
      var change = Batch()
      change.staged = order.map { StagedRecord(record: $0, boot: 1, arrived: 10) }
      _ = try staged.commit(change)
      for each in [store, together, staged] { #expect(try each.records() == [versions[2]]) }
      #expect(order.allSatisfy { $0 == versions[2] || $0.version < versions[2].version })
    }
  }

  @Test func `counters above half their range still count as newer`() throws {
    let store = try Store.inMemory()
    try commit([record(1, 1, 5), record(1, 1, .max), record(1, 1, 1 << 63)], to: store)
    #expect(try store.records().map(\.order.counter) == [.max])
  }

  @Test func `only a newer record is reported, and topics do not mix`() throws {
    let store = try Store.inMemory()
    let first = try commit([record(1, 1, 5), record(2, 1, 1)], to: store)
    let second = try commit([record(1, 1, 5), record(1, 1, 4), record(2, 1, 2)], to: store)

    #expect(first.newRecords == [record(1, 0, 0).topic, record(2, 0, 0).topic])
    #expect(second.newRecords == [record(2, 0, 0).topic])
    #expect(try store.records().count == 2)
  }

  @Test func `staged records are read like others, and the fold replaces them`() throws {
    let store = try Store.inMemory()
    try commit([record(1, 1, 5), record(2, 1, 5)], to: store)
    var change = Batch()
    change.staged = [record(1, 1, 6), record(2, 1, 4), record(3, 1, 1), record(1, 1, 7)].map {
      StagedRecord(record: $0, boot: 1, arrived: 10)
    }
    #expect(try store.commit(change).newRecords.isEmpty)
    let newest: Set = [record(1, 1, 7), record(2, 1, 5), record(3, 1, 1)]
    #expect(try Set(store.records()) == newest)
    #expect(try store.stagedRecords() == change.staged)

    change = Batch()
    change.fold = RecordFold(
      records: [record(1, 1, 7), record(2, 1, 4), record(3, 1, 1)],
      positions: [position(1, 1, 7)])
    let outcome = try store.commit(change)
    #expect(outcome.newRecords.isEmpty && outcome.moved.isEmpty)
    #expect(try Set(store.records()) == newest)
    #expect(try store.stagedCount() == 0)
    #expect(try store.positions() == [position(1, 1, 7)])
  }

  @Test func `a database of version 11 opens with its journal and its anchors`() throws {
    let folder = try TemporaryFolder()
    let old = try Store.open(path: folder.database(), seal: seal)
    let statements = """
      DROP TABLE staged_records; DROP TABLE record_arrivals; DROP TABLE anchors;
        CREATE TABLE anchors(
          place INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE CHECK(length(name) = 16),
          author BLOB NOT NULL CHECK(length(author) = 16), is_own INTEGER NOT NULL,
          boot BLOB NOT NULL CHECK(length(boot) = 16), milliseconds INTEGER NOT NULL,
          echoes BLOB NOT NULL, arrived_ms INTEGER NOT NULL) STRICT;
        CREATE TABLE arrivals(
          author INTEGER NOT NULL, kind INTEGER NOT NULL, number INTEGER NOT NULL,
          name BLOB NOT NULL CHECK(length(name) = 16), boot INTEGER NOT NULL,
          arrived_ms INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
          PRIMARY KEY(author, kind, number)) STRICT, WITHOUT ROWID;
        INSERT INTO anchors VALUES
          (3, x'00000000000000000000000000000007', zeroblob(16), 0, zeroblob(16), 4, x'', 9);
        INSERT INTO arrivals VALUES
          (1, 2, 1, zeroblob(16), 1, 50, 0), (1, 2, 2, zeroblob(16), 1, 70, 0),
          (2, 2, 1, zeroblob(16), 1, 60, 0);
        INSERT INTO boots VALUES (1, zeroblob(16));
        DELETE FROM grdb_migrations WHERE identifier LIKE '12 %'
      """
    for statement in statements.split(separator: ";") {
      try old.execute(unchecked: String(statement))
    }
    try old.close()

    let store = try Store.open(path: folder.database(), seal: seal)
    #expect(try store.journal().map(\.time.milliseconds) == [50, 60, 70])
    #expect(try store.journal().map(\.author) == [1, 2, 1])
    #expect(try store.journalContradictions() == 0)
    let anchor = try #require(try store.anchors().first)
    #expect(anchor.place == 3 && anchor.id.raw == Bytes16(high: 0, low: 7) && anchor.arrived == 9)
    var change = Batch()
    change.ages.forgottenAnchors = [3]
    _ = try store.commit(change)
    #expect(try store.anchorCount() == 0)
  }

  @Test func `a device's newest readable position stays, whatever came first`() throws {
    let versions = [position(1, 1, 3), position(1, 2, 1), position(1, 2, 4)]
    for order in permutations(versions) {
      let store = try Store.inMemory()
      for version in order {
        var change = Batch()
        change.positions = [version]
        _ = try store.commit(change)
      }
      #expect(try store.positions() == [position(1, 2, 4)])
    }
  }

  @Test func `a device that did not move is not reported`() throws {
    let store = try Store.inMemory()
    var change = Batch()
    change.positions = [position(1, 1, 1), position(2, 1, 1)]
    #expect(try store.commit(change).moved == change.positions.map(\.device))
    #expect(try store.commit(change).moved.isEmpty)
  }

  @Test func `crossings are followed in the order of their arrival`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let events = [crossing(9), crossing(2), crossing(5), crossing(4)]
    let first = try store.commit(
      batch(scribe.opened(), scribe.writing([], crossings: Array(events[0...1]))))
    let second = try store.commit(batch(scribe.writing([], crossings: Array(events[1...3]))))

    #expect(first.newCrossings.map(\.recorded) == Array(events[0...1]))
    #expect(second.newCrossings.map(\.recorded) == Array(events[2...3]))
    let followed = try store.crossings(limit: 100)
    #expect(followed == first.newCrossings + second.newCrossings)
    #expect(try store.crossings(after: followed[1].arrival, limit: 1) == [followed[2]])
    #expect(try store.crossings(after: followed[3].arrival, limit: 9).isEmpty)
    var byID: [RecordedCrossing] = []
    try store.forEachCrossing { byID.append($0) }
    #expect(byID == events.sorted { $0.id < $1.id })
  }

  @Test func `crossings are read by sample time, a page at a time`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    // Three of one sample time.
    let events = [(9, 0), (2, 0), (5, 1), (5, 2), (5, 3), (4, 0)].map { second, number in
      let event = crossing(UInt64(second))
      return RecordedCrossing(
        id: CrossingID(raw: name(UInt64(100 * second + number))), crossing: event.crossing,
        author: event.author, writtenAt: event.writtenAt)
    }
    _ = try store.commit(batch(scribe.opened(), scribe.writing([], crossings: events)))
    let sorted = events.sorted {
      ($0.crossing.fix.sampleTime, $0.id) < ($1.crossing.fix.sampleTime, $1.id)
    }
    let end = Timestamp(milliseconds: 5000)
    var (first, last) = (Timestamp(milliseconds: 2001), CrossingID?.none)
    var read: [RecordedCrossing] = []
    while let next = try store.crossings(sampledIn: first...end, after: last, limit: 1).first {
      read.append(next.recorded)
      (first, last) = (next.recorded.crossing.fix.sampleTime, next.recorded.id)
    }
    #expect(read == Array(sorted[1...4]))
    #expect(try store.crossings(sampledIn: first...end, limit: 9).map(\.recorded) == read.suffix(3))
  }

  @Test func `of two crossings with one id all nodes keep the same`() throws {
    let twins = [crossing(2, transition: 1), crossing(2, transition: 2)]
    var kept: Set<RecordedCrossing> = []
    for order in permutations(twins) {
      let store = try Store.inMemory()
      var scribe = Scribe(1)
      var last = try store.commit(batch(scribe.opened()))
      for twin in order { last = try store.commit(batch(scribe.writing([], crossings: [twin]))) }
      let held = try store.crossings(limit: 9)
      #expect(held.count == 1)
      kept.formUnion(held.map(\.recorded))
      // Subscribers get the record that replaced the other.
      #expect(last.newCrossings == (order[1] == held[0].recorded ? held : []))
    }
    #expect(kept.count == 1)
  }

  // MARK: - Given

  @discardableResult
  private func commit(_ records: [LatestRecord], to store: Store) throws -> CommitOutcome {
    var change = Batch()
    change.records = records
    return try store.commit(change)
  }

  private func position(
    _ device: UInt64, _ generation: UInt32, _ counter: UInt64
  ) -> DevicePosition {
    DevicePosition(
      device: DeviceID(raw: name(device)), user: UserID(raw: name(100)),
      order: order(generation, counter),
      report: PositionReport(
        fix: fix(Int64(counter)), reportedAt: Timestamp(milliseconds: -Int64(counter))))
  }
}

func permutations<T>(_ items: [T]) -> [[T]] {
  guard let first = items.first else { return [[]] }
  return permutations(Array(items.dropFirst())).flatMap { rest in
    (0...rest.count).map { index in
      var arranged = rest
      arranged.insert(first, at: index)
      return arranged
    }
  }
}
