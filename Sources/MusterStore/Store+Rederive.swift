internal import GRDB
public import MusterModel

/// Frames of a log or a strand of which others count than before.
public struct FrameRange: Hashable, Sendable {
  /// The log or the strand.
  public let log: LogID
  /// The sequences; those that are not stored are passed over.
  public let sequences: ClosedRange<UInt64>

  /// Creates a range.
  public init(log: LogID, sequences: ClosedRange<UInt64>) {
    self.log = log
    self.sequences = sequences
  }
}

extension Store {
  /// Derives the rows and crossings that some frames wrote again, from all frames that wrote them,
  /// in one transaction. Other frames are not read.
  ///
  /// Nil, and nothing is changed, where only a rebuild of the view serves: there is no index yet
  /// (`rebuildView(beginsIndex:)`), or a body in parts may extend over the beginning of a range.
  ///
  /// `decide` is called as by `rebuildView`, but not with every frame of a log.
  public func rederive(
    _ ranges: [FrameRange], _ decide: (Opening, Frame, @escaping Lookup) throws -> Reapplication
  ) throws -> CommitOutcome? {
    try requireWritable()
    do {
      return try writer.writeWithoutTransaction { database in
        var outcome: CommitOutcome?
        memory.forget()
        try database.inTransaction {
          guard try RowFrameTable.isKept(database) else { return .rollback }
          outcome = try withoutActuallyEscaping(decide) { decide in
            var derivation = Derivation(database: database, decide: decide)
            return try derivation.run(ranges)
          }
          return outcome == nil ? .rollback : .commit
        }
        return outcome
      }
    } catch let error as CallerError {
      throw error.cause
    } catch {
      throw StoreError(error)
    }
  }
}

/// The derivation of some rows.
private struct Derivation {
  let database: Database
  let decide: (Opening, Frame, @escaping Store.Lookup) throws -> Reapplication
  private var logs: [Int64: HeldLog] = [:]

  init(
    database: Database,
    decide: @escaping (Opening, Frame, @escaping Store.Lookup) throws -> Reapplication
  ) {
    self.database = database
    self.decide = decide
  }

  /// Nil where a body in parts may extend over the beginning of a range, or a frame begins to count
  /// that waited: the index does not name its rows.
  mutating func run(_ ranges: [FrameRange]) throws -> CommitOutcome? {
    var targets: Set<RowFrameTable.Target> = []
    for range in ranges {
      guard let log = try FrameTable.log(range.log, in: database) else { continue }
      let first = max(range.sequences.lowerBound, log.first)
      let last = min(range.sequences.upperBound, log.head.sequence)
      guard first <= last else { continue }
      targets.formUnion(
        try RowFrameTable.targets(of: log.place(first)...log.place(last), in: database))
      guard try review(log, first: first, last: last) else { return nil }
    }
    return try derive(targets.sorted())
  }

  /// Corrects which frames of a range wait.
  private mutating func review(_ log: HeldLog, first: UInt64, last: UInt64) throws -> Bool {
    var isWhole = true
    try FrameTable.eachFrame(of: log, from: first, through: last, in: database) { frame in
      let decided = try effect(of: frame, in: log)
      // In a strand, what its first frame goes on with may stand in another.
      if decided.mayBePart, frame.sequence == first, frame.sequence > 1 { isWhole = false }
      if case .waiting(let reason) = decided.application {
        try FrameTable.setWaiting(reason, at: log.place(frame.sequence), in: database)
      } else {
        if try FrameTable.isWaiting(log.place(frame.sequence), in: database) { isWhole = false }
        try FrameTable.deleteWaiting(at: log.place(frame.sequence), in: database)
      }
      for released in decided.released where released.place.log == log.head.log {
        try FrameTable.deleteWaiting(at: log.place(released.place.sequence), in: database)
      }
      return isWhole
    }
    return isWhole
  }

  private mutating func derive(_ targets: [RowFrameTable.Target]) throws -> CommitOutcome {
    var run = CommitRun(database, remembering: CommitMemory.Contents())
    var places: Set<Int64> = []
    for target in targets {
      places.formUnion(try RowFrameTable.places(of: target, in: database))
      if let row = target.row {
        try RowTable.delete(row, in: database)
      } else {
        let id = CrossingID(raw: target.id)
        run.arrivals[id] = try CrossingTable.delete(id, in: database)
      }
    }
    run.noteRederived(targets)
    var progress = RebuildProgress()
    progress.unread = places
    run.progress = progress
    let wanted = Set(targets)
    for place in try inOrder(places) {
      run.progress?.unread?.remove(place)
      guard case .applied(let writes, let crossings) = try application(at: place) else { continue }
      try run.apply(
        .applied(
          writes: writes.filter { wanted.contains(RowFrameTable.Target($0.write.key)) },
          crossings: crossings.filter { wanted.contains(RowFrameTable.Target($0.id)) }), at: place)
    }
    return try run.finish()
  }

  /// In the order of a rebuild.
  private mutating func inOrder(_ places: Set<Int64>) throws -> [Int64] {
    for ref in Set(places.map { $0 >> 32 }) {
      logs[ref] = try FrameTable.log(ref: ref, in: database)
    }
    let order = RebuildProgress.order(Array(logs.values)).map(\.ref)
    let rank = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    return places.filter { logs[$0 >> 32] != nil }
      .sorted { (rank[$0 >> 32] ?? 0, $0) < (rank[$1 >> 32] ?? 0, $1) }
  }

  private func application(at place: Int64) throws -> Application {
    guard let log = logs[place >> 32] else { return .nothing }
    let sequence = UInt64(place & 0xFFFF_FFFF)
    let decided = try effect(of: try FrameTable.frame(sequence, of: log, in: database), in: log)
    guard decided.mayBePart else { return decided.application }
    // The last of a body in parts.
    let reach = UInt64(Limits.partsPerOperation)
    let first = max(log.first, 1, sequence > reach ? sequence - reach : 1)
    var last = Application.nothing
    try FrameTable.eachFrame(of: log, from: first, through: sequence, in: database) { frame in
      last = try effect(of: frame, in: log).application
      return true
    }
    return last
  }

  private func effect(of frame: Frame, in log: HeldLog) throws -> Reapplication {
    let database = database
    do {
      return try decide(log.opening, frame) { place throws(StoreError) in
        do {
          return try FrameTable.frameAlone(place, in: database)
        } catch {
          throw StoreError(error)
        }
      }
    } catch {
      throw CallerError(cause: error)
    }
  }
}
