internal import MusterCrypto
internal import MusterModel

/// The index of stored logs: the newest frame of each log or strand, and the trie of each set.
struct LogIndex: Sendable {
  private(set) var summaries: [LogID: LogSummary] = [:]
  /// Logs and strands whose frames cannot be stored yet.
  var strands = StrandIntake()
  private var tries: [SetID: HashTrie] = [:]
  /// Nil after a change. Cached, since every received announce compares them.
  private var knownRoots: Roots?
  /// The logs that changed last, newest last. Announces name them.
  private(set) var recent: [LogID] = []
  /// How often each of them was named.
  private var namings: [LogID: Int] = [:]
  /// The number of changes to any log so far, and the last change of each log.
  private(set) var changes: UInt64 = 0
  private var changeOfLog: [LogID: UInt64] = [:]
  static let recentHeads = 12
  /// The number of frames in each lane, and the change for which it was counted.
  private var counted: (change: UInt64, frames: [Lane: UInt64]) = (0, [:])
  /// The newest run of each log: its first sequence and the hash of the frame before.
  private(set) var newestRuns: [LogID: (first: UInt64, previous: FrameHash)] = [:]
  /// The last accepted frame of logs that are accepted in part.
  private(set) var countedHeads: [LogID: Head] = [:]
  /// The number of stored quarantined frames, by log.
  private var past: [LogID: Int] = [:]
  private var pastOfCertificate: [CertificateHash: Int] = [:]
  /// Logs and strands of which the rest has no leaf.
  private var dropped: Set<LogID> = []

  /// Logs that count against the quota: those with accepted frames beyond the opening.
  private var counting: Set<LogID> = []
  private var countingOfOwner: [LogOwner: Int] = [:]

  /// The quota that a log counts against.
  private struct LogOwner: Hashable, Sendable {
    let certificate: CertificateHash
    let lane: Lane
  }

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
    recent.removeAll { $0 == log }
    recent.append(log)
    if recent.count > Self.recentHeads { namings[recent.removeFirst()] = nil }
    namings[log] = 0
  }

  /// Files the accepted part of a log in its lane's set, and all of it in the quarantine set if
  /// some of it is not accepted. Of a log with more branches than count the rest has no leaf: what
  /// nodes hold of it may differ.
  mutating func file(_ summary: LogSummary, counted: Counted, dropsRest: Bool) {
    knownRoots = nil
    let log = summary.head.log
    if !countsWhole(log) {
      // An agreement on its lane's set covered a part of the log only.
      changes += 1
      changeOfLog[log] = changes
    }
    countRoom(of: summary, counted: counted)
    // Peers do not have to hold a log with nothing but its opening.
    guard summary.head.sequence > 0 else { return }
    let set = SetID(summary.opening.lane)
    let beyond: Int
    switch counted {
    case .all:
      tries[set, default: HashTrie()].set(LeafHint(summary.head))
      countedHeads[log] = nil
      beyond = 0
    case .through(let head):
      tries[set, default: HashTrie()].set(LeafHint(head))
      countedHeads[log] = head
      beyond = Int(summary.head.sequence - head.sequence)
    case .nothing:
      tries[set]?.remove(log.raw)
      countedHeads[log] = nil
      beyond = Int(summary.head.sequence + 1 - summary.first)
    }
    if dropsRest { dropped.insert(log) } else { dropped.remove(log) }
    if beyond > 0, !dropsRest {
      tries[.quarantine, default: HashTrie()].set(LeafHint(summary.head))
    } else {
      tries[.quarantine]?.remove(log.raw)
    }
    let certificate = summary.opening.certificate
    let count = (pastOfCertificate[certificate] ?? 0) + beyond - (past[log] ?? 0)
    past[log] = beyond > 0 ? beyond : nil
    pastOfCertificate[certificate] = count > 0 ? count : nil
  }

  private mutating func countRoom(of summary: LogSummary, counted: Counted) {
    guard summary.base == nil else { return }
    let owner = LogOwner(certificate: summary.opening.certificate, lane: summary.opening.lane)
    if counted != .nothing, summary.head.sequence > 0 {
      if counting.insert(summary.head.log).inserted { countingOfOwner[owner, default: 0] += 1 }
    } else if counting.remove(summary.head.log) != nil {
      countingOfOwner[owner, default: 1] -= 1
      if countingOfOwner[owner] == 0 { countingOfOwner[owner] = nil }
    }
  }

  /// Returns how many logs of a certificate and lane count against its quota.
  func logCount(of certificate: CertificateHash, in lane: Lane) -> Int {
    countingOfOwner[LogOwner(certificate: certificate, lane: lane)] ?? 0
  }

  /// Records the newest frames of a log, to detect a duplicate run. MUST be called after a log
  /// grew.
  mutating func noteRun(_ frames: [Frame]) {
    guard let first = frames.first else { return }
    newestRuns[first.strand] = (first.sequence, first.previous)
  }

  /// Returns whether its lane's set covers all of a log.
  func countsWhole(_ log: LogID) -> Bool { past[log] == nil && countedHeads[log] == nil }

  /// Returns whether a frame of a log is stored in quarantine.
  func isQuarantined(_ log: LogID, _ sequence: UInt64) -> Bool {
    past[log] != nil && countedHeads[log].map { sequence > $0.sequence } ?? true
  }

  /// Returns how many frames of logs with this certificate are in quarantine.
  func quarantined(by certificate: CertificateHash) -> Int { pastOfCertificate[certificate] ?? 0 }

  mutating func set(certificate hash: CertificateHash) {
    knownRoots = nil
    tries[.certificates, default: HashTrie()].set(LeafHint(hash))
  }

  mutating func remove(certificate hash: CertificateHash) {
    knownRoots = nil
    tries[.certificates]?.remove(hash.raw.prefix)
  }

  mutating func set(evidence id: EvidenceID) {
    knownRoots = nil
    tries[.evidence, default: HashTrie()].set(LeafHint(id))
  }

  mutating func remove(evidence id: EvidenceID) {
    knownRoots = nil
    tries[.evidence]?.remove(id.raw.prefix)
  }

  mutating func set(_ record: LatestRecord) {
    knownRoots = nil
    tries[.records, default: HashTrie()].set(LeafHint(record))
  }

  func change(of log: LogID) -> UInt64 { changeOfLog[log] ?? 0 }

  /// Returns the heads to name in an announce. Each change is named a few times; peers that miss it
  /// have the roots.
  mutating func namedHints() -> [LeafHint] {
    let hints: [LeafHint] = recent.reversed().compactMap { log in
      summaries[log].map { LeafHint($0.head) }
    }
    for log in recent { namings[log, default: 0] += 1 }
    recent.removeAll { namings[$0, default: 0] >= Timing.announceNamings }
    namings = namings.filter { $0.value < Timing.announceNamings }
    return hints
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
  var countedInPart: Int { countedHeads.keys.count { past[$0] != nil && !dropped.contains($0) } }

  /// The number of strands without a leaf, of logs with more branches than count.
  var droppedStrands: Int { dropped.count { past[$0] != nil && countedHeads[$0] == nil } }

  /// The number of leaves in all tries.
  var leafCount: Int { tries.values.reduce(0) { $0 + $1.count } }

  func hint(of set: SetID, key: Bytes16) -> LeafHint? { tries[set]?.leaf(key) }

  func leaves(of set: SetID, under prefix: NibblePrefix) -> ArraySlice<LeafHint> {
    tries[set]?.leaves(under: prefix) ?? []
  }

  mutating func roots() -> Roots {
    if let knownRoots { return knownRoots }
    let roots = Roots(hashes: SetID.allCases.map { tries[$0, default: HashTrie()].hash(of: .root) })
    knownRoots = roots
    return roots
  }

  mutating func hash(of set: SetID, prefix: NibblePrefix) -> UInt64 {
    tries[set, default: HashTrie()].hash(of: prefix)
  }

  mutating func node(of set: SetID, prefix: NibblePrefix, answers: Bool) -> DigestNode {
    DigestNode(
      set: set, prefix: prefix, contents: tries[set, default: HashTrie()].contents(of: prefix),
      answers: answers)
  }
}

extension LeafHint {
  init(_ head: Head) {
    self.init(
      key: head.log.raw, number: UInt32(head.sequence), hash: head.hash.raw.prefix.high)
  }

  init(_ evidence: EvidenceID) {
    self.init(key: evidence.raw.prefix, number: 0, hash: evidence.raw.suffix.high)
  }

  init(_ certificate: CertificateHash) {
    self.init(
      key: certificate.raw.prefix, number: 0, hash: certificate.raw.suffix.high)
  }

  init(_ record: LatestRecord) {
    var writer = ByteWriter()
    writer.append(record.order)
    self.init(
      key: record.topic.raw, number: UInt32(truncatingIfNeeded: record.order.counter),
      hash: Blake2b.hash128(writer.bytes).high)
  }
}
