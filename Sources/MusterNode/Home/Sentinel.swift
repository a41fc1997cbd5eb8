public import MusterModel
internal import MusterReplica

/// The record of a device's database outside its home, which detects a restored or cloned database
/// before it writes.
///
/// Such a database would append frames under sequences for which peers already hold other frames: a
/// fork, which ends its author's log. Instead it opens a new incarnation, whose logs no peer holds.
///
/// The sentinel is evidence and not required: losing it only costs a device one of its generations.
/// It cannot detect the rollback of a whole disk, which includes the sentinel; the device's peers
/// do.
public struct Sentinel: Hashable, Sendable {
  /// The incarnation of the database.
  public var incarnation: Incarnation
  /// The incarnation's number among those of the device. A new incarnation MUST take a higher one,
  /// which a restored database alone may not know. At most `Limits.lastGeneration`.
  public var generation: UInt32
  /// The newest frame of each of the device's own logs in this incarnation; no entry for a lane
  /// without a log. At most `Limits.lastSequence`.
  public var sequences: [Lane: UInt64]
  /// The file of the database.
  public var database: DatabaseIdentity

  /// Creates the record of a database after a commit.
  public init(
    incarnation: Incarnation, generation: UInt32, sequences: [Lane: UInt64],
    database: DatabaseIdentity
  ) {
    self.incarnation = incarnation
    self.generation = generation
    self.sequences = sequences
    self.database = database
  }

  var incarnationState: Replica.IncarnationState {
    Replica.IncarnationState(incarnation: incarnation, generation: generation, sequences: sequences)
  }

  /// The result of reading a device's sentinel.
  public enum Reading: Hashable, Sendable {
    case missing
    /// The file exists, but its contents are invalid.
    case damaged
    case found(Sentinel)
  }

  /// Whether a database may continue its logs.
  public enum Verdict: Hashable, Sendable {
    /// It is the database that the sentinel was written for.
    case same
    /// Its logs may have continued without it; with the reason for the log and the user.
    case newIncarnation(reason: String)
  }

  /// Judges a database that was just opened, before its first write.
  ///
  /// A sentinel behind the database is valid: it is written after the commit, and a power failure
  /// may lose the last write.
  ///
  /// - Parameters:
  ///   - found: the sentinel outside the home.
  ///   - databaseIncarnation: the newest incarnation of this device in the database; nil if the
  ///     device has never written to it.
  ///   - databaseSequences: the newest frame of each of the device's own logs in that incarnation.
  ///   - databaseIdentity: the file that was opened.
  public static func verdict(
    _ found: Reading, databaseIncarnation: Incarnation?, databaseSequences: [Lane: UInt64],
    databaseIdentity: DatabaseIdentity
  ) -> Verdict {
    guard let databaseIncarnation else {
      return .newIncarnation(reason: "this device has not written into this database yet")
    }
    let sentinel: Sentinel
    switch found {
    case .missing:
      return .newIncarnation(
        reason: "this computer has no record of this device's database: it came from elsewhere, "
          + "or the record was removed")
    case .damaged:
      return .newIncarnation(
        reason: "this computer's record of this device's database is damaged")
    case .found(let kept):
      sentinel = kept
    }
    if sentinel.incarnation != databaseIncarnation {
      return .newIncarnation(
        reason: "this device last wrote as incarnation \(sentinel.incarnation.short), but the "
          + "database knows \(databaseIncarnation.short): an older copy was restored, or two are "
          + "in use")
    }
    if sentinel.database != databaseIdentity {
      return .newIncarnation(
        reason: "the database is another file than the one last used: it was copied or restored")
    }
    for lane in Lane.allCases {
      guard let kept = sentinel.sequences[lane] else { continue }
      let held = databaseSequences[lane]
      guard held.map({ $0 < kept }) ?? true else { continue }
      return .newIncarnation(
        reason: "this device wrote up to frame \(kept) of its \(lane) log, but the database "
          + (held.map { "ends at \($0)" } ?? "has none of it") + ": an older copy was restored")
    }
    return .same
  }
}
