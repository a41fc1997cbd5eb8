internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The changes of one call: what its next commit stores, and what the caller receives once that is
/// durable.
///
/// - A call may commit several times, each time all of the batch. A failed commit changes nothing:
///   the transaction is then begun again (`ReplicaCore.recover`).
/// - The outcome is taken once, at the end of the call. Effects of opening the replica are in the
///   outcome of the first call.
struct Transaction: Sendable {
  /// The contents of the next commit.
  var batch = Batch()
  var outcome = Replica.Outcome()
  /// The result of the current bundle; nil except during a merge.
  var tally: BundleTally?
  /// Nil except while several commands share the transaction.
  var writeGroup: WriteGroup?
  /// What is known of forks and membership evidence and was not evaluated yet.
  var unsettled = UnsettledEvidence()
  /// How many rosters the engine has received.
  private(set) var rostersFed = 0
  /// Whether the writes of the call's author are durable: a later failure is then only reported.
  private(set) var hasWritten = false
  private var isViewStale = false
  private var staleRanges: [FrameRange] = []
  private var areListsStale = false

  /// What is to be derived again after a commit.
  enum StalePart {
    case view
    /// The rows that these frames wrote.
    case ranges([FrameRange])
  }

  /// Begins a call whose author has written nothing yet.
  mutating func begin() {
    precondition(writeGroup == nil, "only writes are gathered")
    hasWritten = false
  }

  /// Notes that the writes of the call's author are durable.
  mutating func noteWritten() { hasWritten = true }

  /// Notes that the engine has received a roster.
  mutating func noteRosterFed() { rostersFed += 1 }

  /// Whether memory equals the disk: nothing was added to the batch, and nothing written.
  var isUntouched: Bool { batch.isEmpty && !hasWritten }

  /// Returns the outcome of the call that ends.
  mutating func takeOutcome() -> Replica.Outcome {
    defer { outcome = Replica.Outcome() }
    return outcome
  }

  /// Handles a failure after the author's writes became durable: what was not committed is dropped,
  /// and the outcome stays.
  mutating func fail(afterWriting error: any Error) {
    batch = Batch()
    outcome.remarks.append("the write is durable, but a later step failed: \(error)")
  }

  /// Adds a notice of the engine to the outcome.
  ///
  /// - Parameter name: the device that the notice is about, as the log names it.
  mutating func take(_ notice: Notice, name: String) {
    switch notice {
    case .rejected(let rejection, let endpoint):
      outcome.rejections.append((rejection.rawValue, endpoint))
    case .peerConnected(_, let endpoint):
      outcome.hasMeshChanged = true
      outcome.remarks.append("connected to \(name) at \(endpoint)")
    case .uplinkProven(let endpoint, let device):
      outcome.provenUplinks.append((endpoint, device))
    case .peerLost(let device):
      outcome.hasMeshChanged = true
      outcome.lostPeers.append(device)
      outcome.remarks.append("lost \(name)")
    case .needsUpdate(let need, _, let endpoint):
      outcome.hasMeshChanged = true
      outcome.remarks.append(need.remark(about: "\(name) at \(endpoint)"))
    case .peerWithholds(let device, let kind):
      outcome.remarks.append("\(name) is stalled: \(kind.explanation)")
      outcome.accused.append((device, StallSummary.Kind(kind)))
    case .carried(let result): count(result)
    }
  }

  // MARK: View

  /// Marks the view to be derived again once the change is durable, or at the next start.
  mutating func markViewStale() {
    (isViewStale, areListsStale) = (true, true)
    batch.forgotten.insert(ReplicaCore.viewKey)
  }

  /// Marks rows whose frames count differently than before: they are derived again once that is
  /// durable, or everything at the next start.
  mutating func markStale(_ ranges: [FrameRange]) {
    guard !ranges.isEmpty else { return }
    staleRanges += ranges
    areListsStale = true
    batch.forgotten.insert(ReplicaCore.viewKey)
  }

  /// Marks the lists of blobs to be counted again once the change is durable.
  mutating func markListsStale() { areListsStale = true }

  /// Returns whether lists of blobs count otherwise than before.
  mutating func takeStaleLists() -> Bool {
    defer { areListsStale = false }
    return areListsStale
  }

  /// Notes in the batch under which versions the view is derived.
  mutating func markViewCurrent(_ stamp: [UInt8]) {
    batch.forgotten.remove(ReplicaCore.viewKey)
    batch.local[ReplicaCore.viewKey] = stamp
  }

  /// Returns what is to be derived again; nil if nothing is.
  mutating func takeStalePart() -> StalePart? {
    guard isViewStale || !staleRanges.isEmpty else { return nil }
    defer { (isViewStale, staleRanges) = (false, []) }
    return isViewStale ? .view : .ranges(staleRanges)
  }

  /// Adds what a commit changed to the outcome.
  mutating func note(_ committed: CommitOutcome) {
    outcome.crossings += committed.newCrossings
    outcome.changedRows += committed.changedRows
    if !committed.moved.isEmpty { outcome.hasMovement = true }
  }

  // MARK: Bundles

  /// Counts what the engine found of a bundle's contents.
  mutating func count(_ result: BundleItemResult) {
    switch result {
    case .knownFrames(let count): tally?.frames.known += count
    case .refusedFrames(let reason, let count): tally?.frames.refuse(reason, count)
    case .knownRecord: tally?.records.known += 1
    case .refusedRecord(let reason): tally?.records.refuse(reason, 1)
    case .refusedChain: tally?.unreadablePieces += 1
    case .knownUnit: tally?.photoUnits.known += 1
    case .refusedUnit(let reason): tally?.photoUnits.refuse(reason, 1)
    }
  }

  /// Counts frames of which some continue what is held.
  mutating func countGrowth(by new: [Frame], of frames: [Frame]) {
    tally?.frames.new += new.count
    tally?.frames.known += frames.count - new.count
  }
}

extension StallSummary.Kind {
  init(_ kind: StallKind) {
    self = kind == .keepsToItself ? .keepsToItself : .asksForNothing
  }
}

extension UpdateNeed {
  /// The log line about a device with other rules.
  fileprivate func remark(about peer: String) -> String {
    switch self {
    case .peer:
      "\(peer) needs an update: its muster is older than this device's, so nothing is synchronized "
        + "with it"
    case .thisLaptop:
      "this device needs an update: \(peer) has a newer muster, so nothing is synchronized with it"
    }
  }
}

extension StallKind {
  /// A description for people.
  fileprivate var explanation: String {
    switch self {
    case .keepsToItself:
      "for minutes it has advertised data and not sent it; it withholds data, or its path is bad"
    case .asksForNothing:
      "for minutes it has not requested data that it is missing; it withholds, or cannot store it"
    }
  }
}

extension Notice {
  /// The device that it is about, if the log names it.
  var device: DeviceID? {
    switch self {
    case .peerConnected(let device, _), .peerLost(let device), .needsUpdate(_, let device, _),
      .peerWithholds(let device, _):
      device
    case .rejected, .uplinkProven, .carried: nil
    }
  }
}
