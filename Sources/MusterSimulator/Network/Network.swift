import MusterModel

/// The simulated network: the fate of a datagram between two nodes.
///
///     send ─▶ size ─▶ medium (queue) ─▶ rules, in order ─▶ delivered, delayed, or dropped
///                                       partitioned? blocked? out of range? lost? duplicated?
///
/// Every fault that occurs is counted. Nodes are identified by their index.
struct Network {
  /// A datagram that will arrive.
  struct DatagramInFlight {
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
  private let exceptions: [Connectivity.Direction: LinkConditions]
  private var random: RandomStream
  private var connectivity: Connectivity
  private var channel: Channel

  init(_ plan: NetworkPlan, names: [String], seed: UInt64) {
    self.plan = plan
    random = RandomStream(seed: seed, named: "network")
    connectivity = Connectivity(nodes: names.count)
    channel = Channel(plan.medium, senders: names.count)
    var exceptions: [Connectivity.Direction: LinkConditions] = [:]
    for link in plan.links {
      guard let from = names.firstIndex(of: link.from), let to = names.firstIndex(of: link.to)
      else { preconditionFailure("a link of an unknown node: \(link.from), \(link.to)") }
      exceptions[Connectivity.Direction(from: from, to: to)] = link.conditions
      if !link.oneWay { exceptions[Connectivity.Direction(from: to, to: from)] = link.conditions }
    }
    self.exceptions = exceptions
  }

  var hasMulticast: Bool { plan.multicast }

  // MARK: Timeline

  /// Partitions the network: only nodes of one group are connected.
  mutating func cut(into groups: [[Int]]) { connectivity.partition(into: groups) }

  mutating func heal() { connectivity.heal() }

  mutating func block(from: Int, to: Int) {
    connectivity.block(Connectivity.Direction(from: from, to: to))
  }

  // MARK: Sending

  /// Sends a datagram on the medium, if its queue has room.
  mutating func transmit(
    _ size: Int, from: Int, now: Instant, distance: (_ from: Int, _ to: Int) -> Double
  ) -> Channel.Transmission {
    datagrams += 1
    bytes += size + Limits.headerBytes
    guard !isFaultless else { return Channel.Transmission(end: now) }
    let sent = withoutActuallyEscaping(distance) { distance in
      let (connectivity, range) = (connectivity, range)
      let isWhole = range == nil && connectivity.isWhole
      return channel.transmit(
        size + Limits.headerBytes, from: from, now: now,
        reaches: isWhole
          ? nil
          : { from, to in
            !connectivity.isPartitioned(Connectivity.Direction(from: from, to: to))
              && (range.map { distance(from, to) <= Double($0) } ?? true)
          })
    }
    if sent.hasWaited { tally.fire(.narrow) }
    return sent
  }

  /// Datagrams that found the queue of the medium full.
  var dropped: Int { channel.dropped }

  /// What the medium carries in bytes a second, if all nodes share it.
  var sharedBytesPerSecond: Int64? {
    if case .shared(let bitsPerSecond) = plan.medium { bitsPerSecond / 8 } else { nil }
  }

  /// Returns the deliveries of a transmitted datagram: none, one, or two.
  mutating func pass(
    _ size: Int, from: Int, to: Int, distance: @autoclosure () -> Double, sentAt: Instant
  ) -> [DatagramInFlight] {
    if isFaultless { return [DatagramInFlight(arrival: after(1000, sentAt), isCorrupt: false)] }
    let direction = Connectivity.Direction(from: from, to: to)
    let conditions = exceptions[direction] ?? plan.conditions
    guard isOpen(direction, distance: distance) else { return [] }
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

  /// The range of the radios in metres; nil where all nodes are within reach of each other.
  private var range: Int64? { isGathered ? nil : plan.rangeMetres }

  private mutating func isOpen(
    _ direction: Connectivity.Direction, distance: () -> Double
  ) -> Bool {
    guard !connectivity.isPartitioned(direction) else {
      tally.fire(.partition)
      return false
    }
    guard !connectivity.isBlocked(direction) else {
      tally.fire(.oneWay)
      return false
    }
    if let range, distance() > Double(range) {
      tally.fire(.range)
      return false
    }
    return true
  }

  private mutating func passage(_ conditions: LinkConditions, sentAt: Instant) -> DatagramInFlight {
    let range = conditions.delayMilliseconds
    var delay = random.within(range.lowerBound * 1000...range.upperBound * 1000)
    if random.happens(perMillion: conditions.reorderPerMillion) {
      tally.fire(.reorder)
      delay += random.within(0...max(1000, range.upperBound * 10_000))
    }
    let isCorrupt = random.happens(perMillion: conditions.corruptPerMillion)
    if isCorrupt { tally.fire(.corrupt) }
    return DatagramInFlight(arrival: after(max(1, delay), sentAt), isCorrupt: isCorrupt)
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
