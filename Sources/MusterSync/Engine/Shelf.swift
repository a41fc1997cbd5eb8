internal import MusterCrypto
internal import MusterModel

/// What is held: the newest frame of each log, and the trie of each set.
struct Shelf: Sendable {
  private(set) var logs: [LogID: LogSummary] = [:]
  private var tries: [SetID: HashTrie] = [:]
  /// Nil after something has changed: they are asked for with every announce that is heard.
  private var knownRoots: Roots?
  /// Of a forked log the newest frame of every branch, the shown head's among them.
  private var branches: [LogID: [FrameHash]] = [:]
  /// The logs that changed last, newest last: what an announce names.
  private(set) var recent: [LogID] = []
  /// How often each of them was named.
  private var namings: [LogID: Int] = [:]
  /// How often any log has grown so far, and as of which of these times each last did.
  private(set) var changes: UInt64 = 0
  private var changeOfLog: [LogID: UInt64] = [:]
  static let recentHeads = 12

  init(_ logs: [LogSummary]) {
    for summary in logs.sorted(by: { $0.head.log < $1.head.log }) { set(summary) }
  }

  mutating func set(_ summary: LogSummary) {
    let log = summary.head.log
    logs[log] = summary
    changes += 1
    changeOfLog[log] = changes
    knownRoots = nil
    tries[SetID(summary.opening.lane), default: HashTrie()].set(
      LeafHint(summary.head, tips: tips(of: log)))
    recent.removeAll { $0 == log }
    recent.append(log)
    if recent.count > Self.recentHeads { namings[recent.removeFirst()] = nil }
    namings[log] = 0
  }

  /// The newest frames of a log: one, or each branch's where it is forked.
  func tips(of log: LogID) -> [FrameHash] {
    branches[log] ?? logs[log].map { [$0.head.hash] } ?? []
  }

  /// Takes what branches a forked log has: all replicas that hold the same then say the same.
  mutating func setTips(_ tips: [FrameHash], of log: LogID) {
    guard let summary = logs[log] else { return }
    branches[log] = tips.count > 1 ? tips : nil
    set(summary)
  }

  mutating func set(_ record: LatestRecord) {
    knownRoots = nil
    tries[.records, default: HashTrie()].set(LeafHint(record))
  }

  func change(of log: LogID) -> UInt64 { changeOfLog[log] ?? 0 }

  /// What an announce names; each change a few times, since whoever missed it has the roots.
  mutating func namedHints() -> [LeafHint] {
    let hints: [LeafHint] = recent.reversed().compactMap { log in
      logs[log].map { LeafHint($0.head, tips: tips(of: log)) }
    }
    for log in recent { namings[log, default: 0] += 1 }
    recent.removeAll { namings[$0, default: 0] >= Timing.announceNamings }
    namings = namings.filter { $0.value < Timing.announceNamings }
    return hints
  }

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

  /// Of a log with these newest frames; of several branches their hashes are hashed together, in
  /// ascending order, so that who holds other branches differs.
  init(_ head: Head, tips: [FrameHash]) {
    guard tips.count > 1 else {
      self.init(head)
      return
    }
    let joined = tips.sorted().flatMap(\.bytes)
    self.init(
      key: head.log.raw, number: UInt32(head.sequence),
      hash: Blake2b.hash128(Tag.tips, joined).high)
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
