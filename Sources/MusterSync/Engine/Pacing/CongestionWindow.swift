internal import MusterModel

/// The congestion window of one path: how many bytes may be in flight (RFC 8085), in integers.
///
/// Radio links lose datagrams without being congested, so a single loss is no congestion signal.
/// Two signals are evaluated once per round trip:
///
///     more than 1/16 of a round lost ──▶ window × 3/4
///     least RTT of the round is 100 ms above the minimum RTT: a queue has built up
///                                    ──▶ the estimated capacity without a queue
///     neither, and the window was used ──▶ slow start up to the threshold,
///                                          then one datagram more per round
///     nothing acknowledged for an RTO  ──▶ the minimum window
///
/// TCP loses nothing and controls congestion itself. Over TCP the window only bounds the data in
/// TCP's buffers: enough to keep the connection busy during a retransmission.
struct CongestionWindow: Sendable {
  /// The largest datagram with its IP and UDP headers.
  static let datagram = Limits.datagramBytes + Limits.headerBytes
  static let first = 4 * datagram
  static let least = 2 * datagram
  /// The minimum window after queueing: a slow disk at the receiver delays acknowledgements in the
  /// same way as a queue.
  static let leastWhenQueued = 4 * datagram
  static let most = 512 * 1024
  static let queueMicroseconds: Int64 = 100_000
  /// The queueing threshold of photos, which leave the queue to other data (as in RFC 6817). A
  /// short queue would overflow before it reaches the other threshold.
  private static let yieldingMicroseconds: Int64 = 30_000

  /// The minimum window and the queueing threshold over TCP.
  static let leastOverTCP = 16 * datagram
  static let queueMicrosecondsOverTCP: Int64 = 300_000

  private(set) var bytes = Self.first
  /// Whether the path is a TCP connection.
  var isOverTCP = false {
    didSet { if isOverTCP { bytes = max(bytes, Self.leastOverTCP) } }
  }
  /// Whether nothing but photos waits.
  private(set) var yields = false
  /// The slow start threshold.
  private var threshold = Self.most

  /// Datagrams of the current round.
  private var acknowledged = 0
  private var lost = 0
  private var leastRoundTrip: Int64 = .max
  /// Whether data waited for the window in this round. An underused window gives no information
  /// about the path.
  var wasFull = false

  var isInSlowStart: Bool { bytes < threshold }

  mutating func note(yields: Bool) { self.yields = yields }

  mutating func acknowledge(_ size: Int) {
    acknowledged += 1
    guard isInSlowStart, wasFull else { return }
    bytes = min(bytes + size, Self.most)
  }

  mutating func lose() { lost += 1 }

  /// Corrects the loss count: a datagram was late, not lost.
  mutating func findAgain() { lost = max(0, lost - 1) }

  mutating func sample(_ roundTrip: Int64) { leastRoundTrip = min(leastRoundTrip, roundTrip) }

  /// Ends a round: everything in flight at its start is acknowledged or lost.
  mutating func endRound(least: Int64?) {
    let tolerated =
      isOverTCP
      ? Self.queueMicrosecondsOverTCP
      : yields ? Self.yieldingMicroseconds : Self.queueMicroseconds
    let floor = isOverTCP ? Self.leastOverTCP : Self.leastWhenQueued
    let queued = least.map { leastRoundTrip != .max && leastRoundTrip - $0 > tolerated }
    if lost > 1, lost * 16 > acknowledged + lost {
      bytes = max(bytes * 3 / 4, Self.least)
      threshold = bytes
    } else if queued == true, let least {
      let held = bytes * Int(least) / Int(leastRoundTrip) * 5 / 4
      bytes = max(min(held, bytes * 7 / 8), min(bytes, floor))
      threshold = bytes
    } else if wasFull, !isInSlowStart {
      bytes = min(bytes + Self.datagram, Self.most)
    }
    acknowledged = 0
    lost = 0
    leastRoundTrip = .max
    wasFull = false
  }

  mutating func timeOut() {
    guard !isOverTCP else { return }
    // Slow start ends at half of the window that may have been too large. The minimum window gives
    // no such information.
    if bytes > Self.least { threshold = max(bytes / 2, Self.first) }
    bytes = Self.least
    lost = 0
    acknowledged = 0
  }

  /// Begins again after an outage, which gave no information about the path.
  mutating func resume() { bytes = max(bytes, Self.first) }

  /// Reduces the window after an idle period, since the path's capacity may have changed.
  mutating func restart() { bytes = min(bytes, isOverTCP ? Self.leastOverTCP : Self.first) }
}
