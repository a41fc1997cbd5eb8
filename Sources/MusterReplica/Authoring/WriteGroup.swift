internal import MusterCRDT
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Writes of several commands that share frames and a transaction, and the rows after the sealed
/// ones. A dot contains its frame's hash, so an unsealed write has no name that a later write could
/// supersede.
struct WriteGroup: Sendable {
  private(set) var pending: [Lane: EntryGroups] = [:]
  /// Rows with unsealed writes.
  private(set) var unsealed: Set<RowKey> = []
  private(set) var rows: [RowKey: RowState] = [:]
  private var sealedRuns: [Lane: LogWriter.Run] = [:]
  private var sealed: Set<FrameName> = []
  /// Replies to requests with an idempotency key, to be stored with the writes.
  private(set) var replies: [StoredReply] = []

  private struct FrameName: Hashable, Sendable {
    let log: LogID
    let name: Bytes16
  }

  /// Adds the groups of one command that writes to `rows`.
  mutating func add(
    _ groups: EntryGroups, lane: Lane, of rows: some Sequence<RowKey>
  ) {
    // A command may store local settings only.
    guard !groups.isEmpty else { return }
    pending[lane, default: EntryGroups()].add(groups)
    unsealed.formUnion(rows)
  }

  /// Adds the reply to a command whose writes were added.
  mutating func keep(_ reply: StoredReply) { replies.append(reply) }

  /// Returns the groups to seal now, by lane in order; from here on they count as sealed.
  mutating func take() -> [(lane: Lane, groups: EntryGroups)] {
    defer {
      pending = [:]
      unsealed = []
    }
    return pending.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { (lane: $0.key, groups: $0.value) }
  }

  /// The frames of the batch, one run for each log by lane, to be broadcast once they are durable.
  var runs: [LogWriter.Run] {
    sealedRuns.values.sorted { $0.opening.lane.rawValue < $1.opening.lane.rawValue }
  }

  mutating func keep(_ run: LogWriter.Run) {
    if sealedRuns[run.opening.lane]?.append(run) == nil { sealedRuns[run.opening.lane] = run }
    for frame in run.frames {
      sealed.insert(FrameName(log: frame.strand, name: frame.hash.raw.prefix))
    }
  }

  /// Returns the frames among the named ones that are sealed here and belong to a log.
  func frames(among names: Set<Bytes16>, in log: LogID) -> Set<Bytes16> {
    names.filter { sealed.contains(FrameName(log: log, name: $0)) }
  }

  /// A placeholder until the store assigns a number: no stored log has so great a number.
  static func number(ofNewLogIn lane: Lane) -> UInt32 {
    LogPosition.lastLog - UInt32(lane.rawValue)
  }

  /// Applies a write of this device to the row.
  mutating func apply(_ write: AuthoredWrite, at place: LogPosition, to stored: RowState?) {
    let key = write.write.key
    var state = rows[key] ?? stored ?? RowState(key: key)
    // Everything that our own write saw is applied here, and the commit applies it again.
    var pending = PendingInMemory(applied: nil)
    state.apply(write, at: place, beside: &pending)
    rows[key] = state
  }
}
