internal import MusterModel

/// How many bytes may be under way to one peer (RFC 8085): integers alone.
///
/// Radios lose datagrams without being full, so a loss is no sign by itself. Two things are, each
/// looked at once a round trip:
///
///     more than a sixteenth of a round lost ──▶ three quarters of the window
///     the least round trip of the round is 100 ms over the least known: a queue stands
///                                           ──▶ what the way holds without a queue
///     neither, and the window was used      ──▶ doubles up to where it last was too large;
///                                               beyond, one datagram more
///     nothing acknowledged for a timeout    ──▶ the least window
///
/// Over TCP, which loses nothing and keeps to what the way holds by itself, the window only bounds
/// what stands in its buffers: as much as keeps it busy while it mends a loss of its own.
struct CongestionWindow: Sendable {
  /// The largest datagram with its IP and UDP headers.
  static let datagram = Limits.datagramBytes + Limits.headerBytes
  static let first = 4 * datagram
  static let least = 2 * datagram
  /// A slow disk at the receiver delays acknowledgements as a queue does: no less than this for it.
  static let leastWhenQueued = 4 * datagram
  static let most = 512 * 1024
  static let queueMicroseconds: Int64 = 100_000

  /// The same over TCP.
  static let leastOverTCP = 16 * datagram
  static let queueMicrosecondsOverTCP: Int64 = 300_000

  private(set) var bytes = Self.first
  /// Whether TCP carries what leaves.
  var isOverTCP = false {
    didSet { if isOverTCP { bytes = max(bytes, Self.leastOverTCP) } }
  }
  /// From here on it grows slowly.
  private var threshold = Self.most

  /// Of the round that goes on.
  private var acknowledged = 0
  private var lost = 0
  private var leastRoundTrip: Int64 = .max
  /// Whether something waited for the window: an unused one says nothing about the way.
  var wasFull = false

  var isInSlowStart: Bool { bytes < threshold }

  mutating func acknowledge(_ size: Int) {
    acknowledged += 1
    guard isInSlowStart, wasFull else { return }
    bytes = min(bytes + size, Self.most)
  }

  mutating func lose() { lost += 1 }

  /// A datagram was late and not lost.
  mutating func findAgain() { lost = max(0, lost - 1) }

  mutating func sample(_ roundTrip: Int64) { leastRoundTrip = min(leastRoundTrip, roundTrip) }

  /// Everything that was under way when the round began is acknowledged or lost.
  mutating func endRound(least: Int64?) {
    let tolerated = isOverTCP ? Self.queueMicrosecondsOverTCP : Self.queueMicroseconds
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
    // Half of what may have been too much is where doubling ends; what was least already says
    // nothing.
    if bytes > Self.least { threshold = max(bytes / 2, Self.first) }
    bytes = Self.least
    lost = 0
    acknowledged = 0
  }

  /// After a pause nobody knows what the way holds.
  mutating func restart() { bytes = min(bytes, isOverTCP ? Self.leastOverTCP : Self.first) }
}
