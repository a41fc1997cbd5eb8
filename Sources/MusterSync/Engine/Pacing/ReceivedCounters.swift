internal import MusterModel

/// Which datagrams of a session came, and whether that is to be said: the receiver's part.
struct ReceivedCounters: Sendable {
  /// After so many, or as soon as one is missing or late, an acknowledgement leaves by itself.
  static let mostUnsaid = 4
  static let delayMilliseconds: Int64 = 25

  private var largest: UInt64?
  private var largestAt = Instant(microseconds: 0)
  /// Bit i: `largest - 1 - i` came.
  private var before: UInt128 = 0
  private var unsaid = 0
  private var isHurried = false
  /// How often what was said is to be said again, since it may have been lost.
  private var copies = 0
  static let copyMilliseconds: Int64 = 100
  /// When an acknowledgement leaves by itself; nil while nothing is to be acknowledged.
  private(set) var dueAt: Instant?

  /// MUST be called once for each counter that the replay window let pass.
  ///
  /// - Returns: how many before it have not come; -1 for one that was missing until now.
  @discardableResult
  mutating func note(_ counter: UInt64, isToBeAcknowledged: Bool, now: Instant) -> Int {
    var skipped = -1
    if let known = largest, counter <= known {
      if counter < known, known - counter <= 128 { before |= 1 << UInt128(known - counter - 1) }
    } else {
      let step = largest.map { counter - $0 } ?? 129
      skipped = largest == nil ? 0 : Int(clamping: step - 1)
      if step > 1, largest != nil { isHurried = true }
      before =
        step <= 128 ? (step == 128 ? 0 : before << UInt128(step)) | 1 << UInt128(step - 1) : 0
      largest = counter
      largestAt = now
    }
    guard isToBeAcknowledged else { return skipped }
    unsaid += 1
    let isDue = unsaid >= Self.mostUnsaid || isHurried
    let due = isDue ? now : now.advanced(byMilliseconds: Self.delayMilliseconds)
    dueAt = min(dueAt ?? due, due)
    return skipped
  }

  /// What to say, once there is anything to acknowledge; where much is lost, again and again.
  mutating func take(
    now: Instant, lossPercent: Int, holdsRuns: Bool
  ) -> Acknowledgement? {
    guard dueAt != nil, let largest else { return nil }
    copies = unsaid > 0 ? Int(LossMeter.tries(lossPercent)) / 2 : copies - 1
    dueAt = copies > 0 ? now.advanced(byMilliseconds: Self.copyMilliseconds) : nil
    unsaid = 0
    isHurried = false
    let delay = min(max(now.microseconds(since: largestAt), 0), Int64(UInt32.max))
    return Acknowledgement(
      largest: largest, delayMicroseconds: UInt32(delay), before: before, holdsRuns: holdsRuns)
  }
}
