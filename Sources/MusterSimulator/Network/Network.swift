import MusterModel

/// The simulated network: the fate of a datagram between two nodes.
///
///     send ─▶ size ─▶ medium (queue) ─▶ rules, in order ─▶ delivered, delayed, or dropped
///                                       partitioned? blocked? out of range? lost? duplicated?
///
/// Every fault that occurs is counted. Nodes are identified by their index.
struct Network {
  /// A datagram that will arrive.
  struct Passage {
    let arrival: Instant
    let isCorrupt: Bool
  }

  private(set) var tally = KnobTally()
  private(set) var datagrams = 0
  private(set) var bytes = 0
  /// The loss of all links, if the scenario's timeline overrides the plan.
  var weatherPerMillion: Int64?
  /// No faults occur during the introduction of all nodes.
  var isFaultless = true
  /// Whether all nodes are within reach of each other.
  var isGathered = false

  private let plan: NetworkPlan
  private let exceptions: [LinkKey: LinkConditions]
  private var random: RandomStream
  /// The partition of each node; only equal ones are connected, and -1 to none.
  private var sides: [Int]
  private var blocked: [LinkKey] = []
  private var mediumFreeAt = Instant(microseconds: 0)
  private var senderFreeAt: [Instant]

  private struct LinkKey: Hashable {
    let from: Int
    let to: Int
  }

  /// A datagram that would wait longer is dropped, like at the full queue of a radio.
  private static let longestQueueMilliseconds: Int64 = 4000

  init(_ plan: NetworkPlan, links: [LinkPlan], names: [String], seed: UInt64) {
    self.plan = plan
    random = RandomStream(seed: seed, named: "network")
    sides = names.map { _ in 0 }
    senderFreeAt = names.map { _ in Instant(microseconds: 0) }
    var exceptions: [LinkKey: LinkConditions] = [:]
    for link in links {
      guard let from = names.firstIndex(of: link.from), let to = names.firstIndex(of: link.to)
      else { preconditionFailure("a link of an unknown node: \(link.from), \(link.to)") }
      exceptions[LinkKey(from: from, to: to)] = link.conditions
      if !link.oneWay { exceptions[LinkKey(from: to, to: from)] = link.conditions }
    }
    self.exceptions = exceptions
  }

  var hasMulticast: Bool { plan.multicast }

  // MARK: Timeline

  /// Partitions the network: only nodes of one group are connected.
  mutating func cut(into groups: [[Int]]) {
    sides = sides.map { _ in -1 }
    for (number, group) in groups.enumerated() {
      for node in group { sides[node] = number }
    }
  }

  mutating func heal() {
    sides = sides.map { _ in 0 }
    blocked = []
  }

  mutating func block(from: Int, to: Int) { blocked.append(LinkKey(from: from, to: to)) }

  // MARK: Sending

  /// Returns when the medium has sent a datagram; nil if its queue is full.
  mutating func transmit(_ size: Int, from: Int, now: Instant) -> Instant? {
    datagrams += 1
    bytes += size + Limits.headerBytes
    guard !isFaultless else { return now }
    let rate: Int64
    let free: Instant
    switch plan.medium {
    case .free: return now
    case .shared(let bitsPerSecond): (rate, free) = (bitsPerSecond, mediumFreeAt)
    case .perSender(let bitsPerSecond): (rate, free) = (bitsPerSecond, senderFreeAt[from])
    }
    let start = max(now, free)
    if start > now { tally.fire(.narrow) }
    guard start.milliseconds(since: now) <= Self.longestQueueMilliseconds else { return nil }
    let bits = Int64(size + Limits.headerBytes) * 8
    let end = Instant(microseconds: start.microseconds + bits * 1_000_000 / rate)
    if case .shared = plan.medium { mediumFreeAt = end } else { senderFreeAt[from] = end }
    return end
  }

  /// Returns the deliveries of a transmitted datagram: none, one, or two.
  mutating func pass(
    _ size: Int, from: Int, to: Int, distance: @autoclosure () -> Double, sentAt: Instant
  ) -> [Passage] {
    if isFaultless { return [Passage(arrival: after(1000, sentAt), isCorrupt: false)] }
    let conditions = exceptions[LinkKey(from: from, to: to)] ?? plan.conditions
    guard isOpen(from, to, distance: distance) else { return [] }
    guard size + Limits.headerBytes <= conditions.mtuBytes else {
      tally.fire(.mtu)
      return []
    }
    var loss = conditions.lossPerMillion
    if let weatherPerMillion { loss = max(loss, weatherPerMillion) }
    guard !random.happens(perMillion: loss) else {
      tally.fire(.loss)
      return []
    }
    var passages = [passage(conditions, sentAt: sentAt)]
    if random.happens(perMillion: conditions.duplicatePerMillion) {
      tally.fire(.duplicate)
      passages.append(passage(conditions, sentAt: sentAt))
    }
    return passages
  }

  private mutating func isOpen(_ from: Int, _ to: Int, distance: () -> Double) -> Bool {
    guard sides[from] == sides[to], sides[from] >= 0 else {
      tally.fire(.partition)
      return false
    }
    guard blocked.isEmpty || !blocked.contains(LinkKey(from: from, to: to)) else {
      tally.fire(.oneWay)
      return false
    }
    if let range = plan.rangeMetres, !isGathered, distance() > Double(range) {
      tally.fire(.range)
      return false
    }
    return true
  }

  private mutating func passage(_ conditions: LinkConditions, sentAt: Instant) -> Passage {
    let range = conditions.delayMilliseconds
    var delay = random.within(range.lowerBound * 1000...range.upperBound * 1000)
    if random.happens(perMillion: conditions.reorderPerMillion) {
      tally.fire(.reorder)
      delay += random.within(0...max(1000, range.upperBound * 10_000))
    }
    let isCorrupt = random.happens(perMillion: conditions.corruptPerMillion)
    if isCorrupt { tally.fire(.corrupt) }
    return Passage(arrival: after(max(1, delay), sentAt), isCorrupt: isCorrupt)
  }

  private func after(_ microseconds: Int64, _ time: Instant) -> Instant {
    Instant(microseconds: time.microseconds + microseconds)
  }

  /// Flips a bit, removes a byte or adds one.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch random.below(4) {
    case 0: bytes.append(UInt8(truncatingIfNeeded: random.next()))
    case 1 where bytes.count > 1:
      bytes.removeLast(Int(random.within(1...Int64(bytes.count / 2))))
    default:
      guard !bytes.isEmpty else { return bytes }
      bytes[Int(random.below(Int64(bytes.count)))] ^= 1 << UInt8(random.below(8))
    }
    return bytes
  }
}
