import MusterCRDT
import MusterModel
import MusterSync
import Testing

@testable import MusterReplica

/// The key-value data sets of users, on real nodes.
@Suite("Records")
struct RecordTests {
  private func update(
    _ changes: [RecordChange], of dataset: String = "notes", by name: String = "Ada",
    in valley: inout Valley
  ) throws -> UInt64 {
    try valley.at(name) { try $0.write(RecordRequests.update(dataset, changes), now: $1) }
  }

  private func set(
    _ key: String, _ value: String?, seen: UInt64 = 0, by name: String = "Ada",
    in valley: inout Valley
  ) throws -> UInt64 {
    try update(
      [RecordChange(key: key, value: value, seenCount: seen)], by: name, in: &valley)
  }

  private func datasets(
    of name: String = "Ada", in valley: inout Valley
  ) throws -> [RecordDataset] {
    try valley.ask(name) { replica, _ in try replica.queries.recordDatasets() }
  }

  private func records(
    of name: String = "Ada", after count: UInt64 = 0, in valley: inout Valley
  ) throws -> [RecordSummary] {
    try valley.ask(name) { replica, _ in
      try replica.queries.records(
        in: "notes", after: RecordIndexPosition(syncCount: count), limit: 2000
      ).records
    }
  }

  @Test func `records of a user are replicated, and belong to that user alone`() throws {
    var valley = try Valley.with("Ada", "Ben")
    #expect(try set("door", "open", in: &valley) == 1)
    #expect(try set("door", "blue", by: "Ben", in: &valley) == 1)
    #expect(try set("gate", "shut", in: &valley) == 2)
    try valley.converge()
    for name in valley.names {
      #expect(
        try valley.ask(name) { replica, _ in try replica.core.store.rows(.record).count } == 3)
    }
    let mine = try #require(try datasets(in: &valley).first)
    #expect(mine.name == "notes" && mine.syncCount == 2 && mine.recordCount == 2)
    let listed = try records(in: &valley)
    #expect(listed.map(\.key) == ["door", "gate"])
    #expect(listed.map(\.value) == ["open", "shut"])
    #expect(listed.map(\.syncCount) == [1, 2])
    #expect(try records(after: 1, in: &valley).map(\.key) == ["gate"])
    #expect(try records(of: "Ben", in: &valley).map(\.value) == ["blue"])
  }

  @Test func `two devices of a user that were apart keep both values of a record`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Ben's second", invitedBy: "Ada", of: valley.laptops[1].credentials.user)
    try valley.converge()
    #expect(try set("door", "open", by: "Ben", in: &valley) == 1)
    try valley.converge()
    valley.cut(["Ada", "Ben"], ["Ben's second"])
    #expect(try set("door", "red", seen: 1, by: "Ben", in: &valley) == 2)
    #expect(try set("door", "blue", seen: 1, by: "Ben's second", in: &valley) == 2)
    valley.heal()
    try valley.converge()
    let counts = try ["Ben", "Ben's second"].map { name in
      let door = try #require(try records(of: name, in: &valley).first)
      #expect(Set([door.value] + door.otherValues) == ["red", "blue"], "\(name): \(door)")
      // A client that saw the count before the other value arrived must not supersede it.
      #expect(door.syncCount == 3)
      #expect(throws: Refusal.self) { try set("door", "x", seen: 2, by: name, in: &valley) }
      return door.syncCount
    }
    #expect(try set("door", "shut", seen: counts[1], by: "Ben's second", in: &valley) == 4)
    try valley.converge()
    #expect(try records(of: "Ben", in: &valley).map(\.value) == ["shut"])
    #expect(try records(of: "Ben", in: &valley).map(\.otherValues) == [[]])
  }

  @Test func `a change of a record that has another sync count is refused as a whole`() throws {
    var valley = try Valley.with("Ada")
    _ = try set("door", "open", in: &valley)
    let before = try valley.hashes()
    for seen: UInt64 in [0, 2] {
      let changes = [
        RecordChange(key: "gate", value: "shut", seenCount: 0),
        RecordChange(key: "door", value: "shut", seenCount: seen),
      ]
      let refusal = #expect(throws: Refusal.self) { try update(changes, in: &valley) }
      #expect(refusal?.kind == .changed)
    }
    #expect(try valley.hashes() == before)
    #expect(try set("door", "shut", seen: 1, in: &valley) == 2)
  }

  @Test func `counts do not go back when records and data sets are removed`() throws {
    var valley = try Valley.with("Ada")
    _ = try set("door", "open", in: &valley)
    _ = try set("gate", "shut", in: &valley)
    #expect(try set("gate", nil, seen: 2, in: &valley) == 3)
    let deleted = try valley.at("Ada") { try $0.write(RecordRequests.delete("notes"), now: $1) }
    #expect(deleted == 4)
    let left = try #require(try datasets(in: &valley).first)
    #expect(left.syncCount == 4 && left.recordCount == 0)
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { try $0.write(RecordRequests.delete("notes"), now: $1) }
    }
    #expect(try set("door", "open", seen: 4, in: &valley) == 5)
  }

  @Test func `changes out of range are refused, and write nothing`() throws {
    var valley = try Valley.with("Ada")
    let before = try valley.hashes()
    let good = RecordChange(key: "a", value: "x", seenCount: 0)
    let long = String(repeating: "v", count: Limits.recordValueBytes + 1)
    for change in [
      RecordChange(key: "", value: "x", seenCount: 0),
      RecordChange(key: "a", value: long, seenCount: 0),
    ] {
      #expect(throws: Refusal.self) { try update([change], in: &valley) }
    }
    #expect(throws: Refusal.self) { try update([good], of: "a b", in: &valley) }
    #expect(throws: Refusal.self) { try update([good, good], in: &valley) }
    let many = (0...Limits.recordsPerDataset).map {
      RecordChange(key: "\($0)", value: "x", seenCount: 0)
    }
    #expect(throws: Refusal.self) { try update(many, in: &valley) }
    #expect(try valley.hashes() == before)
    #expect(try update([], in: &valley) == 0)
    for number in 0..<Limits.recordDatasets {
      #expect(try update([good], of: "set\(number)", in: &valley) == 1)
    }
    #expect(throws: Refusal.self) { try update([good], of: "another", in: &valley) }
  }

  @Test func `updates that share a transaction see one another`() throws {
    var valley = try Valley.with("Ada")
    let counts = try valley.at("Ada") { replica, now in
      var counts: [UInt64] = []
      let outcome = try replica.gather(now: now) { replica in
        for (value, seen) in [("open", 0), ("shut", 1)] as [(String, UInt64)] {
          let change = RecordChange(key: "door", value: value, seenCount: seen)
          counts.append(
            try replica.write(RecordRequests.update("notes", [change]), now: now).answer)
        }
      }
      return (counts, outcome)
    }
    #expect(counts == [1, 2])
    let listed = try records(in: &valley)
    #expect(listed.map(\.value) == ["shut"] && listed.map(\.syncCount) == [2])
    #expect(try datasets(in: &valley).map(\.recordCount) == [1])
  }

  @Test func `a data set has a limited size, and what is removed makes room`() throws {
    var valley = try Valley.with("Ada")
    let long = String(repeating: "v", count: Limits.recordValueBytes)
    let fits = Limits.recordDatasetStorage / (Limits.recordValueBytes + 2)
    let changes = (0..<fits).map {
      RecordChange(key: "\($0 + 10)", value: long, seenCount: 0)
    }
    #expect(try update(changes, in: &valley) == 1)
    let refusal = #expect(throws: Refusal.self) { try set("99", long, in: &valley) }
    #expect(refusal?.kind == .unfit)
    #expect(try set("10", nil, seen: 1, in: &valley) == 2)
    #expect(try set("99", long, in: &valley) == 3)
  }

  // MARK: Concurrent writes

  private static let user = UserID(raw: Bytes16(high: 1, low: 1))
  private static let name = RecordName(dataset: "notes", key: "door")

  private func write(
    _ value: String?, count: UInt64, device: UInt64, name: RecordName = Self.name,
    supersedes: [Dot] = []
  ) -> (write: AuthoredWrite, place: LogPosition) {
    let origin = RowOrigin(record: Self.name, of: Self.user)
    let entry = RecordEntry(
      name: name, syncCount: count, modifiedAt: Timestamp(milliseconds: 5), value: value)
    let operation = OperationID(raw: Bytes16(high: 2, low: 2))
    return (
      AuthoredWrite(
        write: Write(
          row: RowID(operation: operation, origin: origin), field: .recordValue,
          value: .bytes(entry.encoded()), supersedes: supersedes, origin: origin),
        dot: Dot(frame: Bytes16(high: device, low: count), index: 0),
        author: Author(
          user: Self.user, device: DeviceID(raw: Bytes16(high: device, low: 0)), role: .member),
        writtenAt: Timestamp(milliseconds: 6)),
      LogPosition(log: UInt32(device), sequence: UInt32(count))
    )
  }

  private func record(
    after writes: [(write: AuthoredWrite, place: LogPosition)]
  ) -> RecordSummary? {
    var row = RowState(key: writes[0].write.write.key)
    var pending = PendingInMemory(applied: nil)
    for (write, place) in writes { row.apply(write, at: place, beside: &pending) }
    return RecordList([row]).records.values.first.map {
      RecordList.summary(of: $0, syncCount: $0.shown.syncCount)
    }
  }

  @Test func `two devices that set one record at once keep both values`() throws {
    let (first, second) = (write("open", count: 3, device: 1), write("shut", count: 4, device: 2))
    for order in [[first, second], [second, first]] {
      let shown = try #require(record(after: order))
      #expect(shown.value == "shut" && shown.syncCount == 4)
      #expect(shown.otherValues == ["open"])
    }
    let merged = write(
      "ajar", count: 5, device: 1, supersedes: [first.write.dot, second.write.dot])
    let shown = try #require(record(after: [first, second, merged]))
    #expect(shown.value == "ajar" && shown.otherValues.isEmpty && shown.syncCount == 5)
  }

  @Test func `an entry in the row of another record is not shown`() {
    let other = RecordName(dataset: "notes", key: "gate")
    #expect(record(after: [write("open", count: 1, device: 1, name: other)]) == nil)
  }
}
