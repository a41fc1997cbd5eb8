internal import GRDB
public import MusterModel

/// The effect of a frame on a view that is rebuilt.
public struct Reapplication: Sendable {
  /// The effect of the frame itself.
  public var application: Application
  /// Earlier frames that this one completes.
  public var released: [ReleasedFrame]
  /// Whether the frame counts and nothing came of it: it may be a part whose predecessors were not
  /// read.
  public var mayBePart: Bool

  /// Creates an effect. Most frames complete no other.
  public init(
    _ application: Application, released: [ReleasedFrame] = [], mayBePart: Bool = false
  ) {
    self.application = application
    self.released = released
    self.mayBePart = mayBePart
  }
}

extension Store {
  /// Finds an earlier frame of a log during a rebuild.
  public typealias Lookup = (FramePosition) throws(StoreError) -> Frame?

  /// Derives rows, crossings and the list of waiting frames again from the log, in one transaction:
  /// after a new cut-off or certificate, which can change what earlier frames may do.
  ///
  /// `decide` is called with every frame, a log's in sequence. It MUST NOT use this store. Known
  /// crossings keep their arrival number. Throws `StoreError`, or what `decide` throws; then the
  /// view is unchanged.
  ///
  /// - Parameter beginsIndex: whether to keep the index that `rederive` needs from here on.
  @discardableResult
  public func rebuildView(
    beginsIndex: Bool = false,
    _ decide: (Opening, Frame, @escaping Lookup) throws -> Reapplication
  ) throws -> CommitOutcome {
    try requireWritable()
    do {
      return try writer.write { database in
        memory.forget()
        var run = CommitRun(database, remembering: CommitMemory.Contents())
        run.arrivals = try CrossingTable.arrivals(database)
        try CrossingTable.deleteAll(database)
        try RecordIndexTable.removeAll(database)
        try run.deleteRows()
        try FrameTable.deleteAllWaiting(database)
        if try beginsIndex || RowFrameTable.isKept(database) { try run.beginIndex() }
        run.progress = RebuildProgress()
        let lookup: Lookup = { place throws(StoreError) in
          do {
            return try FrameTable.frameAlone(place, in: database)
          } catch {
            throw StoreError(error)
          }
        }
        for log in RebuildProgress.order(try FrameTable.logs(database)) {
          try FrameTable.eachFrame(
            of: log, from: log.first, through: log.head.sequence, in: database
          ) {
            let place = log.place($0.sequence)
            run.progress?.place = place
            let decided: Reapplication
            do { decided = try decide(log.opening, $0, lookup) } catch {
              throw CallerError(cause: error)
            }
            try run.apply(decided.application, at: place)
            for frame in decided.released { try run.release(frame) }
            return true
          }
          run.progress?.finished.insert(log.ref)
        }
        return try run.finish()
      }
    } catch let error as CallerError {
      throw error.cause
    } catch {
      throw StoreError(error)
    }
  }
}

/// The progress of a rebuild: a frame counts as applied once this has passed it.
struct RebuildProgress {
  /// Refs of the completed logs and strands.
  var finished: Set<Int64> = []
  /// The current frame.
  var place: Int64 = 0
  /// Places that are yet to be read, if only some rows are derived again; nil in a full rebuild.
  var unread: Set<Int64>?

  func hasPassed(_ other: Int64) -> Bool {
    if let unread { return !unread.contains(other) }
    return other >> 32 == place >> 32 ? other <= place : finished.contains(other >> 32)
  }

  /// Orders logs by ref, but each strand after its parent.
  static func order(_ logs: [HeldLog]) -> [HeldLog] {
    var left = logs.sorted { $0.ref < $1.ref }
    var (order, done): ([HeldLog], Set<LogID>) = ([], [])
    while !left.isEmpty {
      let ready = left.filter { $0.base.map { done.contains($0.parent) } ?? true }
      // Strands without a parent, as in a damaged file, are read nevertheless.
      let next = ready.isEmpty ? left : ready
      order += next
      done.formUnion(next.map(\.head.log))
      left.removeAll { done.contains($0.head.log) }
    }
    return order
  }
}
