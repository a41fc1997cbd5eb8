import MusterModel

/// The capacity of the medium, and until when it is busy around each node.
///
/// A node that hears a transmission waits for its end. Where two senders that do not hear each other
/// send at once, a node that hears both receives the first only: the hidden terminals of a radio.
struct Channel {
  private let medium: Medium
  private var freeAt: [Instant]
  /// What each node hears at present or later, in the order of transmission.
  private var heard: [[Reception]]
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

  /// A transmission that a node hears.
  private struct Reception {
    let sender: Int
    let start: Instant
    let end: Instant
  }

  init(_ medium: Medium, senders: Int) {
    self.medium = medium
    freeAt = Array(repeating: Instant(microseconds: 0), count: senders)
    heard = Array(repeating: [], count: senders)
  }

  /// - Parameters:
  ///   - bytes: including headers.
  ///   - hears: whether a node hears what another sends; nil if each hears all.
  mutating func transmit(
    _ bytes: Int, from sender: Int, now: Instant, hears: ((_ from: Int, _ to: Int) -> Bool)?
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
    for node in freeAt.indices where node != sender && hears?(sender, node) ?? true {
      freeAt[node] = max(freeAt[node], end)
      guard let hears else { continue }
      heard[node].removeAll { $0.end <= now }
      if heard[node].contains(where: {
        $0.start < end && start < $0.end && !hears($0.sender, sender)
      }) {
        transmission.covered.insert(node)
      } else {
        heard[node].append(Reception(sender: sender, start: start, end: end))
      }
    }
    return transmission
  }
}
