/// How many of the last few dozen datagrams did not arrive: an exponential average, in integers.
struct LossMeter: Sendable {
  /// 0 to 65,536, which is everything.
  private var share = 0
  private static let whole = 1 << 16
  /// One datagram moves the average by a thirty-second of the way.
  private static let shift = 5
  /// Of a long gap no more counts: a cut is no bad weather.
  private static let mostAtOnce = 24

  /// 0 to 100.
  var percent: Int { (share * 100) >> 16 }

  mutating func note(lost: Int, arrived: Int) {
    for _ in 0..<min(lost, Self.mostAtOnce) { share += (Self.whole - share) >> Self.shift }
    for _ in 0..<min(arrived, Self.mostAtOnce) { share -= share >> Self.shift }
  }

  /// What counted as lost was late.
  mutating func findAgain() { share -= min(share, Self.whole >> Self.shift) }

  /// So many times as long as on a good way it takes until one arrives; at most ten.
  static func tries(_ percent: Int) -> Int64 { Int64(min(10, 100 / max(1, 100 - percent))) }
}
