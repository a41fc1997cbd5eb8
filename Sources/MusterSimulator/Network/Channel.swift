import MusterModel

/// The capacity of the medium, and until when it is busy.
struct Channel {
  private let medium: Medium
  private var freeAt = Instant(microseconds: 0)
  private var senderFreeAt: [Instant]

  /// A datagram that would wait longer is dropped, like at the full queue of a radio.
  private static let longestQueueMilliseconds: Int64 = 4000

  /// The transmission of a datagram.
  struct Transmission {
    /// Nil if the queue is full.
    var end: Instant?
    /// Whether it had to wait.
    var hasWaited = false
  }

  init(_ medium: Medium, senders: Int) {
    self.medium = medium
    senderFreeAt = Array(repeating: Instant(microseconds: 0), count: senders)
  }

  /// - Parameter bytes: including headers.
  mutating func transmit(_ bytes: Int, from sender: Int, now: Instant) -> Transmission {
    let rate: Int64
    let free: Instant
    switch medium {
    case .free: return Transmission(end: now)
    case .shared(let bitsPerSecond): (rate, free) = (bitsPerSecond, freeAt)
    case .perSender(let bitsPerSecond): (rate, free) = (bitsPerSecond, senderFreeAt[sender])
    }
    let start = max(now, free)
    guard start.milliseconds(since: now) <= Self.longestQueueMilliseconds else {
      return Transmission(hasWaited: true)
    }
    let end = Instant(microseconds: start.microseconds + Int64(bytes) * 8 * 1_000_000 / rate)
    if case .shared = medium { freeAt = end } else { senderFreeAt[sender] = end }
    return Transmission(end: end, hasWaited: start > now)
  }
}
