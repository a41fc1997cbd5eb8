internal import MusterModel
internal import MusterStore
internal import MusterSync

/// What the replica does after damage: the disk's failure until it has written again, and the logs
/// whose salvaged frames are not joined yet.
struct RecoveryState: Sendable {
  /// Nil while the disk works.
  private(set) var failure: DiskFailure?
  var home = HomeCondition()
  /// The rate of each link, for the engine after a failure; nil for no limit.
  var linkRate: LinkRate?
  /// Logs with salvaged frames.
  private(set) var setAside: Set<LogID> = []
  /// Those of them whose frames may be joined now.
  private var joinable: Set<JoinableLog> = []

  // MARK: Disk

  /// Whether memory may differ from the disk until everything has been read again.
  var isBehind: Bool { failure?.isBehind == true }

  func isResting(now: ClockReading) -> Bool {
    failure.map { now.instant < $0.restEnds } ?? false
  }

  /// Pauses the replica after a failure, longer each time, except for its user's commands.
  ///
  /// - Parameter contacts: addresses that are being tried, for the new engine.
  mutating func note(
    _ error: any Error, contacts: [Endpoint], now: ClockReading
  ) {
    var failure = failure ?? DiskFailure()
    failure.isBehind = true
    if case .io? = error as? StoreError { failure.mayHaveLostWrites = true }
    if error is StoreError, failure.restEnds <= now.instant {
      failure.restMilliseconds = min(
        max(failure.restMilliseconds * 2, DiskFailure.firstRestMilliseconds),
        DiskFailure.lastRestMilliseconds)
      failure.restEnds = now.instant.advanced(byMilliseconds: failure.restMilliseconds)
    }
    if failure.contacts.isEmpty { failure.contacts = contacts }
    self.failure = failure
  }

  /// The write-ahead log on disk is as the store expects it.
  mutating func noteLogSettled() { failure?.mayHaveLostWrites = false }

  /// The disk has written.
  mutating func noteCommit() { failure = nil }

  /// Everything has been read again; the pause stays as it was before the commits of the recovery.
  mutating func noteRecovered(from failure: DiskFailure?) {
    self.failure = failure
    self.failure?.isBehind = false
    self.failure?.contacts = []
  }

  // MARK: Salvaged frames

  /// Marks salvaged frames of all these logs to be tried.
  mutating func setAside(_ logs: Set<JoinableLog>) {
    setAside = Set(logs.map(\.log))
    joinable = logs
  }

  /// Salvaged frames may follow the batch's frames.
  mutating func noteGrowth(by batch: Batch) {
    for held in batch.frames where setAside.contains(held.frame.log) {
      joinable.insert(JoinableLog(log: held.frame.log, isControl: held.frame.epoch == nil))
    }
  }

  /// Returns the next log to be tried: control logs first, since they determine who may write.
  mutating func takeJoinable() -> LogID? {
    let next = joinable.min {
      ($0.isControl ? 0 : 1, $0.log) < ($1.isControl ? 0 : 1, $1.log)
    }
    guard let next else { return nil }
    joinable.remove(next)
    return next.log
  }

  /// No salvaged frame of the log is left.
  mutating func noteJoined(_ log: LogID) { setAside.remove(log) }
}

/// The state of a replica after a disk failure, until it has written again.
struct DiskFailure: Sendable {
  /// Whether memory may differ from the disk: true until everything has been read again.
  fileprivate(set) var isBehind = true
  /// Whether a write or a sync failed, so that the contents of the write-ahead log on disk are
  /// unknown.
  var mayHaveLostWrites = false
  /// Addresses that were being tried, for the new engine.
  var contacts: [Endpoint] = []
  /// Until then it accepts no data from peers: it could not be stored, and peers would retransmit
  /// it at once.
  var restEnds = Instant(microseconds: 0)
  var restMilliseconds: Int64 = 0

  static let firstRestMilliseconds: Int64 = 1000
  static let lastRestMilliseconds: Int64 = 32_000
}

/// A log with salvaged frames.
struct JoinableLog: Hashable, Sendable {
  let log: LogID
  let isControl: Bool
}
