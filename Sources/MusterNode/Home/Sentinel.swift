public import MusterModel
internal import MusterReplica

/// What is kept of a device's database outside its home, so that a database that was restored or
/// cloned is noticed before it writes.
///
/// Such a database would append, under sequences that peers already hold, frames that they do not:
/// a fork, which stops its author. It opens a new incarnation instead, whose logs nobody holds.
///
/// It is a witness and no authority: losing it costs a device one of its generations and nothing
/// else. It cannot see a whole disk being rolled back, itself included; the device's peers do.
public struct Sentinel: Hashable, Sendable {
  /// Which life of the database this is about.
  public var incarnation: Incarnation
  /// That life's place among the device's lives; a new incarnation MUST take a higher one, which a
  /// restored database alone may not know. At most `Limits.lastGeneration`.
  public var generation: UInt32
  /// The newest frame of each of the device's own logs in this incarnation; none for a lane
  /// without a log. At most `Limits.lastSequence`.
  public var sequences: [Lane: UInt64]
  /// The file that the database was.
  public var database: DatabaseIdentity

  /// What a node knows of its own database right after a commit.
  public init(
    incarnation: Incarnation, generation: UInt32, sequences: [Lane: UInt64],
    database: DatabaseIdentity
  ) {
    self.incarnation = incarnation
    self.generation = generation
    self.sequences = sequences
    self.database = database
  }

  var life: Replica.Life {
    Replica.Life(incarnation: incarnation, generation: generation, sequences: sequences)
  }

  /// What stands where a device's sentinel belongs.
  public enum Reading: Hashable, Sendable {
    case missing
    /// There is something, of which nothing can be trusted.
    case damaged
    case found(Sentinel)
  }

  /// Whether a database may go on with its logs.
  public enum Verdict: Hashable, Sendable {
    /// It is the one that the sentinel was written for.
    case same
    /// Its logs may have gone on without it; why, in plain words for the log and the person.
    case newIncarnation(reason: String)
  }

  /// Judges a database that was just opened, before its first write.
  ///
  /// A sentinel behind the database is fine: it is written after the commit, and a loss of power
  /// may take its last bytes.
  ///
  /// - Parameters:
  ///   - found: what is kept outside the home.
  ///   - databaseIncarnation: the newest one of this device that the database knows of; nil for
  ///     one in which the device has never written.
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
