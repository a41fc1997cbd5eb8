import MusterModel

/// The capacity of the medium, and until when it is busy around each node.
///
/// A node waits for the end of each transmission in its range. Where two senders that are out of
/// range of each other send at once, a node in range of both receives the first only: the hidden
/// terminals of a radio.
struct Channel {
  private let medium: Medium
  private var freeAt: [Instant]
  /// What each node receives at present or later, in the order of transmission.
  private var incoming: [[Reception]]
  private(set) var dropped = 0

  /// A datagram that would wait longer is dropped, like at the full queue of a radio.
  private static let longestQueueMilliseconds: Int64 = 4000

  /// The transmission of a datagram.
  struct Transmission {
    /// Nil if the queue is full.
    var end: Instant?
    /// Whether it had to wait.
    var hasWaited = false
    /// Nodes at which another transmission covers it.
    var covered: Set<Int> = []
  }

  /// A transmission in range of a node.
  private struct Reception {
    let sender: Int
    let start: Instant
    let end: Instant
  }

  init(_ medium: Medium, senders: Int) {
    self.medium = medium
    freeAt = Array(repeating: Instant(microseconds: 0), count: senders)
    incoming = Array(repeating: [], count: senders)
  }

  /// - Parameters:
  ///   - bytes: including headers.
  ///   - reaches: whether what a node sends reaches another; nil if it reaches all.
  mutating func transmit(
    _ bytes: Int, from sender: Int, now: Instant, reaches: ((_ from: Int, _ to: Int) -> Bool)?
  ) -> Transmission {
    let rate: Int64
    switch medium {
    case .free: return Transmission(end: now)
    case .shared(let bitsPerSecond), .perSender(let bitsPerSecond): rate = bitsPerSecond
    }
    let start = max(now, freeAt[sender])
    guard start.milliseconds(since: now) <= Self.longestQueueMilliseconds else {
      dropped += 1
      return Transmission(hasWaited: true)
    }
    let end = Instant(microseconds: start.microseconds + Int64(bytes) * 8 * 1_000_000 / rate)
    var transmission = Transmission(end: end, hasWaited: start > now)
    freeAt[sender] = end
    guard case .shared = medium else { return transmission }
    for node in freeAt.indices where node != sender && reaches?(sender, node) ?? true {
      freeAt[node] = max(freeAt[node], end)
      guard let reaches else { continue }
      incoming[node].removeAll { $0.end <= now }
      if incoming[node].contains(where: {
        $0.start < end && start < $0.end && !reaches($0.sender, sender)
      }) {
        transmission.covered.insert(node)
      } else {
        incoming[node].append(Reception(sender: sender, start: start, end: end))
      }
    }
    return transmission
  }
}
