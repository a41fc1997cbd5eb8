internal import MusterModel

/// A link between two devices without loss: all datagrams take equally long.
struct DirectLink {
  private var flights: [Flight] = []

  private static let delayMilliseconds: Int64 = 2

  /// A datagram that has not arrived.
  struct Flight {
    let arrival: Instant
    let isForBen: Bool
    let bytes: [UInt8]
  }

  mutating func send(_ bytes: [UInt8], toBen: Bool, now: Instant) {
    let arrival = now.advanced(byMilliseconds: Self.delayMilliseconds)
    flights.append(Flight(arrival: arrival, isForBen: toBen, bytes: bytes))
  }

  /// The next arrival: all take equally long, so the first is the earliest.
  var nextArrival: Instant? { flights.first?.arrival }

  /// Removes and returns what has arrived.
  mutating func arrivals(now: Instant) -> [Flight] {
    let arrived = flights.prefix { $0.arrival <= now }
    flights.removeFirst(arrived.count)
    return Array(arrived)
  }

  /// Loses the datagrams in flight to Ben.
  mutating func dropToBen() { flights.removeAll(where: \.isForBen) }
}
