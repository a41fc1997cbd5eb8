internal import MusterCrypto
internal import MusterModel

/// What is held: the newest frame of each log, and the trie of each set.
struct Shelf: Sendable {
  private(set) var logs: [LogID: LogSummary] = [:]
  private var tries: [SetID: HashTrie] = [:]
  /// The logs that changed last, newest last: what an announce names.
  private(set) var recent: [LogID] = []
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
    tries[SetID(summary.opening.lane), default: HashTrie()].set(LeafHint(summary.head))
    recent.removeAll { $0 == log }
    recent.append(log)
    if recent.count > Self.recentHeads { recent.removeFirst() }
  }

  mutating func set(_ record: LatestRecord) {
    tries[.records, default: HashTrie()].set(LeafHint(record))
  }

  func change(of log: LogID) -> UInt64 { changeOfLog[log] ?? 0 }

  var recentHints: [LeafHint] {
    recent.reversed().compactMap { logs[$0].map { LeafHint($0.head) } }
  }

  /// How many leaves all tries have together.
  var leafCount: Int { tries.values.reduce(0) { $0 + $1.count } }

  func hint(of set: SetID, key: Bytes16) -> LeafHint? { tries[set]?.leaf(key) }

  func leaves(of set: SetID, under prefix: NibblePrefix) -> ArraySlice<LeafHint> {
    tries[set]?.leaves(under: prefix) ?? []
  }

  mutating func roots() -> Roots {
    Roots(hashes: SetID.allCases.map { tries[$0, default: HashTrie()].hash(of: .root) })
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
