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
  /// When an acknowledgement leaves by itself; nil while nothing is to be acknowledged.
  private(set) var dueAt: Instant?

  /// MUST be called once for each counter that the replay window let pass.
  mutating func note(_ counter: UInt64, isToBeAcknowledged: Bool, now: Instant) {
    if let known = largest, counter <= known {
      if counter < known, known - counter <= 128 { before |= 1 << UInt128(known - counter - 1) }
    } else {
      let step = largest.map { counter - $0 } ?? 129
      if step > 1, largest != nil { isHurried = true }
      before =
        step <= 128 ? (step == 128 ? 0 : before << UInt128(step)) | 1 << UInt128(step - 1) : 0
      largest = counter
      largestAt = now
    }
    guard isToBeAcknowledged else { return }
    unsaid += 1
    let isDue = unsaid >= Self.mostUnsaid || isHurried
    let due = isDue ? now : now.advanced(byMilliseconds: Self.delayMilliseconds)
    dueAt = min(dueAt ?? due, due)
  }

  /// What to say, once there is anything to acknowledge.
  mutating func take(now: Instant) -> Acknowledgement? {
    guard dueAt != nil, let largest else { return nil }
    dueAt = nil
    unsaid = 0
    isHurried = false
    let delay = min(max(now.microseconds(since: largestAt), 0), Int64(UInt32.max))
    return Acknowledgement(largest: largest, delayMicroseconds: UInt32(delay), before: before)
  }
}
