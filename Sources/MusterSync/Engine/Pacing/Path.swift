internal import MusterModel

/// The state of a path to a peer: congestion window, RTT and loss. It is reset when either end
/// changes its address (RFC 9000 §9.4).
struct Path: Sendable {
  var window = CongestionWindow()
  var roundTrip = RoundTrip()
  /// The pacer, which spreads a window over one RTT; nil if the RTT is too short to matter.
  var pace: TokenBucket?
  /// The loss rate of sent datagrams, measured by acknowledgements, and of the peer's datagrams.
  var sentLoss = LossMeter()
  var receivedLoss = LossMeter()
  /// Whether it carries datagrams of `Limits.largestDatagramBytes`.
  private(set) var size = Size.unknown
  /// Padded probes that were lost in a row.
  private var lostProbes = 0
  /// Consecutive timeouts; doubles the next.
  var timeouts = 0
  /// Whether the peer was received again after more than one timeout.
  var isBack = false

  /// The loss rate of the worse direction.
  var lossPercent: Int { max(sentLoss.percent, receivedLoss.percent) }

  // MARK: Datagram size

  /// What is known of the size that the path carries (RFC 8899, with `mostProbes`).
  enum Size: Equatable {
    case unknown
    /// The datagram with this counter is a padded probe.
    case probed(UInt64)
    /// The large datagram with this counter arrived, and of later ones so many were lost. Earlier
    /// ones that are lost show a full queue, not what the path carries.
    case large(arrived: UInt64, lost: Int)
    case small
  }

  var carriesLargeDatagrams: Bool { if case .large = size { true } else { false } }

  /// On a path with loss, that of one probe shows nothing.
  private static let mostProbes = 3
  /// More than a full queue drops in a row while the window still doubles.
  private static let lostInABlackHole = 32

  mutating func noteProbe(_ counter: UInt64) { size = .probed(counter) }

  mutating func noteArrived(_ datagram: SentDatagrams.Sent) {
    switch size {
    case .probed(datagram.counter): size = .large(arrived: datagram.counter, lost: 0)
    case .large(let arrived, _)
    where datagram.size > CongestionWindow.datagram && datagram.counter > arrived:
      size = .large(arrived: datagram.counter, lost: 0)
    default: break
    }
  }

  mutating func noteLost(_ datagram: SentDatagrams.Sent) {
    switch size {
    case .probed(datagram.counter):
      lostProbes += 1
      size = lostProbes < Self.mostProbes ? .unknown : .small
    case .large(let arrived, let lost)
    where datagram.size > CongestionWindow.datagram && datagram.counter > arrived:
      size =
        lost + 1 < Self.lostInABlackHole ? .large(arrived: arrived, lost: lost + 1) : .small
    default: break
    }
  }

  /// Notes that counters begin at zero. A session that carries nothing large is probed like a new
  /// path. TCP carries none.
  mutating func changeSession(isOverTCP: Bool) {
    window.isOverTCP = isOverTCP
    size = carriesLargeDatagrams && !isOverTCP ? .large(arrived: 0, lost: 0) : .unknown
    lostProbes = 0
  }

  // MARK: Pacing

  /// Sets the pacing rate slightly above window / RTT.
  mutating func setPace(now: Instant) {
    guard let smoothed = roundTrip.smoothed, smoothed >= 1000 else {
      pace = nil
      return
    }
    let perSecond = Int64(window.bytes) * 1_000_000 / smoothed
    let ahead = window.isInSlowStart ? perSecond * 2 : perSecond * 5 / 4
    let rate = min(max(Int(ahead), 1000), LinkRate.range.upperBound)
    // Timers fire slightly late: two milliseconds' worth may be sent at once.
    let depth = max(3 * CongestionWindow.datagram, rate / 500)
    if pace == nil {
      pace = TokenBucket(bytesPerSecond: rate, depthBytes: depth, now: now)
    } else {
      pace?.change(bytesPerSecond: rate, depthBytes: depth, now: now)
    }
  }
}
