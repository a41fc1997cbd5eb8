internal import MusterModel

/// The index of stored logs: the newest frame of each log or strand, and the trie of each set.
struct LogIndex: Sendable {
  private(set) var summaries: [LogID: LogSummary] = [:]
  /// Logs and strands whose frames cannot be stored yet.
  var strands = PendingStrands()
  private var tries = SetTries()
  private var recent = RecentHeads()
  /// The number of changes to any log so far, and the last change of each log.
  private(set) var changes: UInt64 = 0
  private var changeOfLog: [LogID: UInt64] = [:]
  /// The number of frames in each lane, and the change for which it was counted.
  private var counted: (change: UInt64, frames: [Lane: UInt64]) = (0, [:])
  /// The newest run of each log: its first sequence and the hash of the frame before.
  private(set) var newestRuns: [LogID: (first: UInt64, previous: FrameHash)] = [:]
  /// The last accepted frame of logs that are accepted in part.
  private(set) var countedHeads: [LogID: Head] = [:]
  private var quarantine = QuarantineCounts()
  /// Logs and strands of which the rest has no leaf.
  private var dropped: Set<LogID> = []
  private var quota = LogQuota()

  subscript(log: LogID) -> LogSummary? { summaries[log] }

  /// Returns the first sequence that is not stored.
  func next(of log: LogID) -> UInt64 {
    (summaries[log]?.head ?? strands[log]?.before).map { $0.sequence + 1 } ?? 0
  }

  /// Returns whether a peer holds more of a log. A forked log does not grow: its strands do.
  func isBehind(of log: LogID, by sequence: UInt64) -> Bool {
    next(of: log) <= sequence && summaries[log]?.isParted != true
  }

  /// How much of a log is accepted.
  enum Counted: Hashable, Sendable {
    case all
    case through(Head)
    case nothing
  }

  /// Stores the newest frame of a log.
  ///
  /// - Parameter dropsRest: whether what does not count has no leaf.
  mutating func set(_ summary: LogSummary, counted: Counted, dropsRest: Bool) {
    let log = summary.head.log
    summaries[log] = summary
    changes += 1
    changeOfLog[log] = changes
    file(summary, counted: counted, dropsRest: dropsRest)
    recent.note(log)
  }

  /// Files the accepted part of a log in its lane's set, and all of it in the quarantine set if
  /// some of it is not accepted. Of a log with more branches than count the rest has no leaf: what
  /// nodes hold of it may differ.
  mutating func file(_ summary: LogSummary, counted: Counted, dropsRest: Bool) {
    let log = summary.head.log
    if !countsWhole(log) {
      // An agreement on its lane's set covered a part of the log only.
      changes += 1
      changeOfLog[log] = changes
    }
    if summary.base == nil {
      quota.count(summary, isCounting: counted != .nothing && summary.head.sequence > 0)
    }
    let set = SetID(summary.opening.lane)
    guard summary.head.sequence > 0 else {
      // Peers do not have to hold a log with nothing but its opening. A fork of the first frame
      // leaves a log with that alone, and the strands have the leaves.
      tries.remove(log.raw, from: set)
      tries.remove(log.raw, from: .quarantine)
      countedHeads[log] = nil
      quarantine.set(0, of: log, by: summary.opening.certificate)
      return
    }
    let beyond: Int
    switch counted {
    case .all:
      tries.set(LeafHint(summary.head), in: set)
      countedHeads[log] = nil
      beyond = 0
    case .through(let head):
      tries.set(LeafHint(head), in: set)
      countedHeads[log] = head
      beyond = Int(summary.head.sequence - head.sequence)
    case .nothing:
      tries.remove(log.raw, from: set)
      countedHeads[log] = nil
      beyond = Int(summary.head.sequence + 1 - summary.first)
    }
    if dropsRest { dropped.insert(log) } else { dropped.remove(log) }
    if beyond > 0, !dropsRest {
      tries.set(LeafHint(summary.head), in: .quarantine)
    } else {
      tries.remove(log.raw, from: .quarantine)
    }
    quarantine.set(beyond, of: log, by: summary.opening.certificate)
  }

  /// Returns how many logs of a certificate and lane count against its quota.
  func logCount(of certificate: CertificateHash, in lane: Lane) -> Int {
    quota.count(of: certificate, in: lane)
  }

  /// Records the newest frames of a log, to detect a duplicate run. MUST be called after a log
  /// grew.
  mutating func noteRun(_ frames: [Frame]) {
    guard let first = frames.first else { return }
    newestRuns[first.strand] = (first.sequence, first.previous)
  }

  /// Returns whether its lane's set covers all of a log.
  func countsWhole(_ log: LogID) -> Bool { !quarantine.contains(log) && countedHeads[log] == nil }

  /// Returns whether a frame of a log is stored in quarantine.
  func isQuarantined(_ log: LogID, _ sequence: UInt64) -> Bool {
    quarantine.contains(log) && countedHeads[log].map { sequence > $0.sequence } ?? true
  }

  /// Returns how many frames of logs with this certificate are in quarantine.
  func quarantined(by certificate: CertificateHash) -> Int { quarantine.count(by: certificate) }

  mutating func set(certificate hash: CertificateHash) {
    tries.set(LeafHint(hash), in: .certificates)
  }

  mutating func remove(certificate hash: CertificateHash) {
    tries.remove(hash.raw.prefix, from: .certificates)
  }

  mutating func set(evidence id: EvidenceID) {
    tries.set(LeafHint(id), in: .evidence)
  }

  mutating func remove(evidence id: EvidenceID) {
    tries.remove(id.raw.prefix, from: .evidence)
  }

  mutating func set(_ record: LatestRecord) {
    tries.set(LeafHint(record), in: .records)
  }

  func change(of log: LogID) -> UInt64 { changeOfLog[log] ?? 0 }

  /// Returns the heads to name in an announce. Each change is named a few times; peers that miss it
  /// have the roots.
  mutating func namedHints() -> [LeafHint] {
    recent.takeNamed().compactMap { summaries[$0].map { LeafHint($0.head) } }
  }

  /// Returns the heads of the logs of a certificate.
  func hints(by certificate: CertificateHash) -> [LeafHint] {
    summaries.values.filter { $0.opening.certificate == certificate && $0.head.sequence > 0 }
      .map { LeafHint($0.head) }.sorted { $0.key < $1.key }
  }

  /// Returns the number of frames stored in each lane, cached until the next change.
  mutating func frameCounts() -> [Lane: UInt64] {
    guard counted.change != changes else { return counted.frames }
    var frames: [Lane: UInt64] = [:]
    for summary in summaries.values {
      frames[summary.opening.lane, default: 0] += summary.head.sequence + 1 - summary.first
    }
    counted = (changes, frames)
    return frames
  }

  /// The number of logs without a leaf: only their opening is stored.
  var bareLogs: Int { summaries.values.count { $0.head.sequence == 0 } }

  /// The number of logs with a leaf in two sets.
  var countedInPart: Int {
    countedHeads.keys.count { quarantine.contains($0) && !dropped.contains($0) }
  }

  /// The number of strands without a leaf, of logs with more branches than count.
  var droppedStrands: Int { dropped.count { quarantine.contains($0) && countedHeads[$0] == nil } }

  /// The number of leaves in all tries.
  var leafCount: Int { tries.leafCount }

  func hint(of set: SetID, key: Bytes16) -> LeafHint? { tries.leaf(key, of: set) }

  func leaves(of set: SetID, under prefix: NibblePrefix) -> ArraySlice<LeafHint> {
    tries.leaves(of: set, under: prefix)
  }

  mutating func roots() -> Roots { tries.roots() }

  mutating func hash(of set: SetID, prefix: NibblePrefix) -> UInt64 {
    tries.hash(of: set, prefix: prefix)
  }

  mutating func node(of set: SetID, prefix: NibblePrefix, answers: Bool) -> DigestNode {
    DigestNode(
      set: set, prefix: prefix, contents: tries.contents(of: set, prefix: prefix),
      answers: answers)
  }
}
