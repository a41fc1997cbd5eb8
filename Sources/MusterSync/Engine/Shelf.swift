internal import MusterCrypto
internal import MusterModel

/// What is held: the newest frame of each log, or strand of one, and the trie of each set.
struct Shelf: Sendable {
  private(set) var logs: [LogID: LogSummary] = [:]
  private var tries: [SetID: HashTrie] = [:]
  /// Nil after something has changed: they are asked for with every announce that is heard.
  private var knownRoots: Roots?
  /// The logs that changed last, newest last: what an announce names.
  private(set) var recent: [LogID] = []
  /// How often each of them was named.
  private var namings: [LogID: Int] = [:]
  /// How often any log has grown so far, and as of which of these times each last did.
  private(set) var changes: UInt64 = 0
  private var changeOfLog: [LogID: UInt64] = [:]
  static let recentHeads = 12
  /// How many frames each lane holds, and as of which change.
  private var counted: (change: UInt64, frames: [Lane: UInt64]) = (0, [:])
  /// Where the frames of each log begin that came last: its first sequence, and the hash before.
  private(set) var newestRuns: [LogID: (first: UInt64, previous: FrameHash)] = [:]
  /// Of logs that count in part, the last frame that does.
  private(set) var countedHeads: [LogID: Head] = [:]
  /// Frames held that count for nothing, by log.
  private var past: [LogID: Int] = [:]
  private var pastOfCertificate: [CertificateHash: Int] = [:]

  /// Logs that take up room: those of which anything counts, and more than the opening is held.
  private var counting: Set<LogID> = []
  private var countingOfOwner: [LogOwner: Int] = [:]

  /// Whose a log is, for the bound on their number.
  private struct LogOwner: Hashable, Sendable {
    let certificate: CertificateHash
    let lane: Lane
  }

  /// How much of a log counts.
  enum Counted: Hashable, Sendable {
    case all
    case through(Head)
    case nothing
  }

  mutating func set(_ summary: LogSummary, counted: Counted) {
    let log = summary.head.log
    logs[log] = summary
    changes += 1
    changeOfLog[log] = changes
    file(summary, counted: counted)
    recent.removeAll { $0 == log }
    recent.append(log)
    if recent.count > Self.recentHeads { namings[recent.removeFirst()] = nil }
    namings[log] = 0
  }

  /// What counts of a log is compared in its lane's set, all of it in the quarantine where some
  /// does not.
  mutating func file(_ summary: LogSummary, counted: Counted) {
    knownRoots = nil
    let log = summary.head.log
    if !countsWhole(log) {
      // An agreement on its lane's set spoke of a part of it.
      changes += 1
      changeOfLog[log] = changes
    }
    countRoom(of: summary, counted: counted)
    // An opening alone says nothing: peers do not have to hold it.
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
    if beyond > 0 {
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

  /// How many logs of a certificate and lane take up room.
  func logCount(of certificate: CertificateHash, in lane: Lane) -> Int {
    countingOfOwner[LogOwner(certificate: certificate, lane: lane)] ?? 0
  }

  /// MUST be called with frames that a log has grown by, for a copy of them to be known.
  mutating func noteRun(_ frames: [Frame]) {
    guard let first = frames.first else { return }
    newestRuns[first.strand] = (first.sequence, first.previous)
  }

  /// Whether its lane's set speaks of all of a log.
  func countsWhole(_ log: LogID) -> Bool { past[log] == nil && countedHeads[log] == nil }

  /// Whether a frame of a log is held and counts for nothing.
  func isQuarantined(_ log: LogID, _ sequence: UInt64) -> Bool {
    past[log] != nil && countedHeads[log].map { sequence > $0.sequence } ?? true
  }

  /// How many frames of logs with this certificate are held and count for nothing.
  func quarantined(by certificate: CertificateHash) -> Int { pastOfCertificate[certificate] ?? 0 }

  mutating func set(certificate hash: CertificateHash) {
    knownRoots = nil
    tries[.certificates, default: HashTrie()].set(LeafHint(hash))
  }

  mutating func remove(certificate hash: CertificateHash) {
    knownRoots = nil
    tries[.certificates]?.remove(hash.raw.prefix)
  }

  mutating func set(_ record: LatestRecord) {
    knownRoots = nil
    tries[.records, default: HashTrie()].set(LeafHint(record))
  }

  func change(of log: LogID) -> UInt64 { changeOfLog[log] ?? 0 }

  /// What an announce names; each change a few times, since whoever missed it has the roots.
  mutating func namedHints() -> [LeafHint] {
    let hints: [LeafHint] = recent.reversed().compactMap { log in
      logs[log].map { LeafHint($0.head) }
    }
    for log in recent { namings[log, default: 0] += 1 }
    recent.removeAll { namings[$0, default: 0] >= Timing.announceNamings }
    namings = namings.filter { $0.value < Timing.announceNamings }
    return hints
  }

  /// How many frames are held in each lane: counted again only after a change.
  mutating func frameCounts() -> [Lane: UInt64] {
    guard counted.change != changes else { return counted.frames }
    var frames: [Lane: UInt64] = [:]
    for summary in logs.values {
      frames[summary.opening.lane, default: 0] += summary.head.sequence + 1 - summary.first
    }
    counted = (changes, frames)
    return frames
  }

  /// How many logs have no leaf: of each nothing but the opening is held.
  var bareLogs: Int { logs.values.count { $0.head.sequence == 0 } }

  /// How many logs have a leaf in two sets.
  var countedInPart: Int { countedHeads.keys.count { past[$0] != nil } }

  /// How many leaves all tries have together.
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

  init(_ certificate: CertificateHash) {
    self.init(
      key: certificate.raw.prefix, number: 0, hash: certificate.raw.suffix.high)
  }

  init(_ record: LatestRecord) {
    var writer = ByteWriter()
    writer.append(record.order.generation)
    writer.append(record.order.incarnation)
    writer.append(record.order.counter)
    self.init(
      key: record.topic.raw, number: UInt32(truncatingIfNeeded: record.order.counter),
      hash: Blake2b.hash128(writer.bytes).high)
  }
}
