import MusterCRDT
import MusterModel
import MusterStore
import Testing

/// The order in which records changed at one node.
@Suite("Index of records")
struct RecordIndexTests {
  /// Two devices of one user.
  private var (first, second) = (Scribe(1), Scribe(2))
  private var user: UserID { first.author.user }

  private func write(
    _ key: String, _ value: String?, count: UInt64, superseding dots: [Dot] = []
  ) -> Write {
    let entry = RecordEntry(
      name: RecordName(dataset: "notes", key: key), syncCount: count,
      modifiedAt: Timestamp(milliseconds: 5), value: value)
    let nonce = name(key.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    return Write(
      row: RowID(raw: nonce), field: .recordValue, value: .bytes(entry.encoded()),
      supersedes: dots, origin: RowOrigin(owner: user, nonce: nonce))
  }

  /// A frame of one of the devices.
  private func frame(of scribe: inout Scribe, _ writes: [Write]) -> HeldFrame {
    let frame = scribe.frame()
    let author = Author(user: user, device: scribe.author.device, role: .member)
    let authored = writes.enumerated().map { index, write in
      AuthoredWrite(
        write: write, dot: Dot(frame: frame.hash.raw.prefix, index: UInt16(index)),
        author: author, writtenAt: Timestamp(milliseconds: 1000))
    }
    return HeldFrame(frame: frame, application: .applied(writes: authored, crossings: []))
  }

  private func counts(
    in store: Store, after count: UInt64 = 0
  ) throws -> [String: UInt64] {
    let found = try store.indexedRecords(
      of: user, in: "notes", after: RecordIndexPosition(syncCount: count), limit: 99)
    return Dictionary(uniqueKeysWithValues: found.map { ($0.name.key, $0.syncCount) })
  }

  @Test func `a late change with an old count is newer than what readers have seen`() throws {
    var (first, second) = (first, second)
    let store = try Store.inMemory()
    _ = try store.commit(
      batch(
        first.opened(), frame(of: &first, [write("a", "1", count: 1)]),
        frame(of: &first, [write("b", "1", count: 2)])))
    #expect(try counts(in: store) == ["a": 1, "b": 2])

    _ = try store.commit(
      batch(
        second.opened(),
        frame(of: &second, [write("c", "1", count: 1), write("b", "2", count: 1)])))

    // The value of `b` that is shown is the same, and a reader still learns that there are two.
    #expect(try counts(in: store, after: 2) == ["b": 3, "c": 3])
    #expect(try store.recordDatasets(of: user).map(\.syncCount) == [3])
    #expect(try store.recordDatasets(of: second.author.user).isEmpty)
  }

  @Test func `a record that no longer counts is removed, and counts do not go back`() throws {
    var first = first
    let store = try Store.inMemory()
    _ = try store.commit(
      batch(
        first.opened(),
        frame(of: &first, [write("a", "12", count: 1), write("b", "345", count: 1)])))
    let before = try #require(try store.recordDatasets(of: user).first)
    #expect(before.recordCount == 2 && before.bytes == 7 && before.syncCount == 1)

    try store.rebuildView { _, _, _ in Reapplication(.nothing) }

    let after = try #require(try store.recordDatasets(of: user).first)
    #expect(after.recordCount == 0 && after.rowCount == 2 && after.bytes == 0)
    #expect(try counts(in: store, after: 1) == ["a": 2, "b": 2])
  }
}
