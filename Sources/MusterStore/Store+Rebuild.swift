internal import GRDB
public import MusterModel

/// What a frame does to a view that is rebuilt.
public struct Reapplication: Sendable {
  /// What the frame itself does.
  public var application: Application
  /// Earlier frames that this one completes.
  public var released: [ReleasedFrame]

  /// Most frames complete no other.
  public init(_ application: Application, released: [ReleasedFrame] = []) {
    self.application = application
    self.released = released
  }
}

extension Store {
  /// Derives rows, crossings and the list of waiting frames anew from the log, in one transaction:
  /// after a new cut or certificate, which can change what earlier frames may do.
  ///
  /// `decide` is called with every frame, a log's in sequence. It MUST NOT use this store.
  /// Crossings that were known keep their arrival number. Throws `StoreError`, or what `decide`
  /// throws; then the view is as before.
  @discardableResult
  public func rebuildView(
    _ decide: (Opening, Frame) throws -> Reapplication
  ) throws -> CommitOutcome {
    do {
      return try writer.write { database in
        memory.forget()
        var run = CommitRun(database, remembering: CommitMemory.Contents())
        run.arrivals = try CrossingTable.arrivals(database)
        try CrossingTable.deleteAll(database)
        try RowTable.deleteAll(database)
        try FrameTable.deleteAllWaiting(database)
        // By place: a frame counts as applied once this has passed it.
        for log in try FrameTable.logs(database).sorted(by: { $0.ref < $1.ref }) {
          try FrameTable.eachFrame(of: log, from: 0, through: log.head.sequence, in: database) {
            run.lastApplied = log.place($0.sequence)
            let decided: Reapplication
            do { decided = try decide(log.opening, $0) } catch { throw CallerError(cause: error) }
            try run.apply(decided.application, at: run.lastApplied)
            for frame in decided.released { try run.release(frame) }
            return true
          }
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
