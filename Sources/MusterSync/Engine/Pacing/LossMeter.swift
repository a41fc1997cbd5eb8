/// The loss rate of the last few dozen datagrams: an exponential moving average, in integers.
struct LossMeter: Sendable {
  /// 0 to 65,536, which is 100 %.
  private var share = 0
  private static let whole = 1 << 16
  /// One datagram moves the average by 1/32.
  private static let shift = 5
  /// The maximum number counted for one gap: an outage is not a loss rate.
  private static let mostAtOnce = 24

  /// The loss rate in percent, 0 to 100.
  var percent: Int { (share * 100) >> 16 }

  mutating func note(lost: Int, arrived: Int) {
    for _ in 0..<min(lost, Self.mostAtOnce) { share += (Self.whole - share) >> Self.shift }
    for _ in 0..<min(arrived, Self.mostAtOnce) { share -= share >> Self.shift }
  }

  /// Corrects the average: a datagram counted as lost was late.
  mutating func findAgain() { share -= min(share, Self.whole >> Self.shift) }

  /// Returns the expected number of transmissions until one arrives, at most 10.
  static func tries(_ percent: Int) -> Int64 { Int64(min(10, 100 / max(1, 100 - percent))) }
}
