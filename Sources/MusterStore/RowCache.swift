internal import GRDB
internal import MusterCRDT
internal import MusterModel

/// A write-back cache of rows: each is written once per transaction, however many writes it
/// receives, and read once while it is cached, since recently written rows are often written again.
struct RowCache {
  private struct Entry {
    var state: RowState
    /// Nil for a row that is not stored yet.
    var place: Int64?
    /// Whether the state differs from the stored one.
    var isChanged = false
    /// The size of the state when it was last stored.
    var bytes = 0
  }

  private var indices: [RowKey: Int] = [:]
  private var entries: [Entry] = []
  /// Rows written since the last call of `takeTouched`; may contain duplicates.
  private var touched: [RowKey] = []
  private var keepsReplaced = false
  /// Zones and reports as they were before, since the last call of `takeReplaced`.
  private var replaced: [RowState] = []
  /// Entries that are to be written.
  private var changed: [Int] = []
  private var bytes = 0
  private var moment = CommitMoment()
  /// The most recently written row, which most writes use again.
  private var latest: (key: RowKey, index: Int)?

  /// The maximum number of rows, and of bytes of their stored forms. Beyond either the cache is
  /// cleared.
  private static let capacity = 16_384
  private static let byteCapacity = 16 * 1024 * 1024

  /// Begins a commit.
  ///
  /// - Parameters:
  ///   - wall: its time; nil if that is not known.
  ///   - keepsReplaced: whether zones and reports are kept as they were before.
  mutating func begin(at wall: Timestamp?, keepsReplaced: Bool) {
    moment.begin(at: wall)
    self.keepsReplaced = keepsReplaced
  }

  /// Returns the moment of the commit.
  mutating func readMoment(in database: Database) throws -> Int64 {
    try moment.read(in: database)
  }

  mutating func apply(
    _ write: AuthoredWrite, at place: LogPosition, beside pending: inout PendingWriteTable,
    in database: Database
  ) throws -> RowState.Outcome {
    let index = try index(of: write.write.key, in: database)
    if !entries[index].isChanged {
      entries[index].isChanged = true
      changed.append(index)
      touched.append(write.write.key)
      noteReplaced(entries[index].state)
    }
    return try entries[index].state.apply(write, at: place, beside: &pending)
  }

  private mutating func noteReplaced(_ state: RowState) {
    guard keepsReplaced, state.key.kind == .fence || state.key.kind == .report,
      replaced.count < Limits.replacedRows
    else { return }
    replaced.append(state)
  }

  /// Returns and clears the zones and reports as they were before, in the order of their writes.
  mutating func takeReplaced() -> [RowState] {
    defer { replaced = [] }
    return replaced
  }

  /// Writes the changed rows in the order of their places on disk.
  mutating func flush(to database: Database) throws {
    guard !changed.isEmpty else { return }
    var writer = RowWriter(to: database, at: try moment.read(in: database))
    changed.sort { (entries[$0].place ?? .max, $0) < (entries[$1].place ?? .max, $1) }
    for index in changed {
      let encoded = entries[index].state.encoded()
      if let place = entries[index].place {
        try writer.update(entries[index].state, at: place, to: encoded)
      } else {
        entries[index].place = try writer.insert(entries[index].state, encoded: encoded)
      }
      entries[index].isChanged = false
      bytes += encoded.count - entries[index].bytes
      entries[index].bytes = encoded.count
    }
    changed.removeAll(keepingCapacity: true)
    if bytes > Self.byteCapacity { forgetAll() }
  }

  /// Returns and clears the written rows, sorted.
  mutating func takeTouched() -> [RowKey] {
    defer { touched.removeAll(keepingCapacity: true) }
    touched.sort()
    return touched.enumerated().filter { $0 == 0 || touched[$0 - 1] != $1 }.map(\.element)
  }

  private mutating func forgetAll() {
    precondition(changed.isEmpty, "\(changed.count) rows are yet to be written")
    indices.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    bytes = 0
    latest = nil
  }

  private mutating func index(of key: RowKey, in database: Database) throws -> Int {
    if let latest, latest.key == key { return latest.index }
    if let index = indices[key] {
      latest = (key, index)
      return index
    }
    if entries.count >= Self.capacity {
      try flush(to: database)
      forgetAll()
    }
    let stored = try RowTable.load(key, in: database)
    indices[key] = entries.count
    entries.append(
      Entry(state: stored?.state ?? RowState(key: key), place: stored?.place))
    latest = (key, entries.count - 1)
    return entries.count - 1
  }
}
