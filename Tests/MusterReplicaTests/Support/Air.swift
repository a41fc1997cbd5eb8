import MusterModel
import MusterTestKit

/// The network of a valley: datagrams in transit between addresses, some lost, all delayed, none
/// across a partition.
struct Air {
  struct Flight {
    let arrival: Instant
    let number: Int
    let bytes: [UInt8]
    let from: Endpoint
    let to: Endpoint
  }

  /// The percentage of datagrams that are lost.
  var lossPercent = 0
  var delayMilliseconds: ClosedRange<Int64> = 1...20
  private(set) var sent = 0
  private(set) var lost = 0
  private var random: SplitMix64
  private var flights: [Flight] = []
  /// Endpoints in range of one another share a number; all have 0 without a partition.
  private var sides: [Endpoint: Int] = [:]
  /// If set, each endpoint reaches only those beside it.
  private var row: [Endpoint] = []

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Partitions the network: only endpoints of one group reach one another.
  mutating func cut(into groups: [[Endpoint]]) {
    sides = [:]
    for (number, group) in groups.enumerated() {
      for endpoint in group { sides[endpoint] = number + 1 }
    }
    let open = flights.filter { isOpen($0.from, $0.to) }
    lost += flights.count - open.count
    flights = open
  }

  /// Arranges endpoints in a row, in which each reaches only those beside it, until it is healed.
  mutating func line(up row: [Endpoint]) { self.row = row }

  mutating func heal() {
    sides = [:]
    row = []
  }

  func isOpen(_ from: Endpoint, _ to: Endpoint) -> Bool {
    guard sides[from] == sides[to] else { return false }
    guard let left = row.firstIndex(of: from), let right = row.firstIndex(of: to) else {
      return row.isEmpty
    }
    return abs(left - right) == 1
  }

  mutating func send(_ bytes: [UInt8], from: Endpoint, to: Endpoint, now: Instant) {
    sent += 1
    let delay =
      delayMilliseconds.lowerBound
      + Int64(
        random.number(below: Int(delayMilliseconds.upperBound - delayMilliseconds.lowerBound + 1)))
    guard isOpen(from, to), random.number(below: 100) >= lossPercent else {
      lost += 1
      return
    }
    flights.append(
      Flight(
        arrival: now.advanced(byMilliseconds: delay), number: sent, bytes: bytes, from: from,
        to: to))
  }

  func nextArrival(except guest: Endpoint?) -> Instant? {
    flights.lazy.filter { $0.to != guest }.map(\.arrival).min()
  }

  /// Removes and returns what has arrived, in order of arrival.
  mutating func arrived(by now: Instant, except guest: Endpoint?) -> [Flight] {
    take { $0.arrival <= now && $0.to != guest }
  }

  /// Removes and returns what has arrived at one address.
  mutating func received(at endpoint: Endpoint, by now: Instant) -> [Flight] {
    take { $0.arrival <= now && $0.to == endpoint }
  }

  private mutating func take(_ isTaken: (Flight) -> Bool) -> [Flight] {
    let taken = flights.filter(isTaken)
    flights.removeAll(where: isTaken)
    return taken.sorted { ($0.arrival, $0.number) < ($1.arrival, $1.number) }
  }
}
