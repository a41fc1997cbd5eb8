internal import MusterModel

/// The received datagrams of a session and the acknowledgements due for them: the receiver's part.
struct ReceivedCounters: Sendable {
  /// After this many datagrams, or as soon as one is missing or late, an acknowledgement is sent by
  /// itself.
  static let mostPending = 4
  static let delayMilliseconds: Int64 = 25
  /// In a long stream without a gap it waits for more, as long as they follow one another (RFC 9000
  /// §13.2.2). If none follows, the sender may wait for it: its timeout begins with the last one,
  /// and allows for `RoundTrip.acknowledgementDelay`, which is this pause.
  private static let mostPendingInStream = 16
  private static let streamPauseMilliseconds: Int64 = 40
  private static let streamDelayMilliseconds: Int64 = 100
  /// In a stream, another datagram takes an acknowledgement along only of so many.
  private static let leastPendingInStream = 8
  private static let streamLength = 32

  private var largest: UInt64?
  private var largestAt = Instant(microseconds: 0)
  /// Bit i: `largest - 1 - i` was received.
  private var before: UInt128 = 0
  private var pending = 0
  private var pendingSince = Instant(microseconds: 0)
  /// Datagrams to be acknowledged since the last gap.
  private var unbroken = 0
  /// Whether the stream before that gap was long: then a single loss does not end it.
  private var wasStream = false
  private var isHurried = false
  /// How often the last acknowledgement is repeated, since it may have been lost.
  private var copies = 0
  static let copyMilliseconds: Int64 = 100
  /// When an acknowledgement is sent by itself; nil while there is nothing to acknowledge.
  private(set) var dueAt: Instant?
  /// Within the margin of `RoundTrip.timeout`.
  private static let rideMilliseconds: Int64 = 10

  /// Returns when an acknowledgement is sent without data. It waits for a datagram that the pacer
  /// admits soon, since its own would be seven times as large.
  func dueAt(beside permittedAt: Instant?) -> Instant? {
    guard let dueAt, let permittedAt,
      permittedAt <= dueAt.advanced(byMilliseconds: Self.rideMilliseconds)
    else { return dueAt }
    return max(dueAt, permittedAt)
  }

  /// Records a received counter. MUST be called once for each counter that passed the replay
  /// window.
  ///
  /// - Returns: how many earlier datagrams are missing before it; -1 for one that was missing until
  ///   now.
  @discardableResult
  mutating func note(_ counter: UInt64, isToBeAcknowledged: Bool, now: Instant) -> Int {
    var skipped = -1
    if let known = largest, counter <= known {
      if counter < known, known - counter <= 128 { before |= 1 << UInt128(known - counter - 1) }
    } else {
      let step = largest.map { counter - $0 } ?? 129
      skipped = largest == nil ? 0 : Int(clamping: step - 1)
      if step > 1, largest != nil { isHurried = true }
      if step > 1 { (wasStream, unbroken) = (unbroken >= Self.streamLength, 0) }
      before =
        step <= 128 ? (step == 128 ? 0 : before << UInt128(step)) | 1 << UInt128(step - 1) : 0
      largest = counter
      largestAt = now
    }
    guard isToBeAcknowledged else { return skipped }
    if pending == 0 { pendingSince = now }
    pending += 1
    unbroken += 1
    schedule(now: now)
    return skipped
  }

  private mutating func schedule(now: Instant) {
    let pause = isStream ? Self.streamPauseMilliseconds : Self.delayMilliseconds
    let due = now.advanced(byMilliseconds: pause)
    if pending >= (isStream ? Self.mostPendingInStream : Self.mostPending) || isHurried {
      dueAt = now
    } else if isStream, pending > 1 {
      dueAt = min(due, pendingSince.advanced(byMilliseconds: Self.streamDelayMilliseconds))
    } else {
      dueAt = min(dueAt ?? due, due)
    }
  }

  private var isStream: Bool { wasStream || unbroken >= Self.streamLength }

  /// Returns the next acknowledgement if anything is to be acknowledged. On a lossy path it is
  /// repeated. In streams in both directions not every datagram has one.
  mutating func take(
    now: Instant, lossPercent: Int, holdsRuns: Bool
  ) -> Acknowledgement? {
    guard let dueAt, let largest,
      dueAt <= now || !isStream || pending >= Self.leastPendingInStream
    else { return nil }
    copies = pending > 0 ? Int(LossMeter.tries(lossPercent)) / 2 : copies - 1
    self.dueAt = copies > 0 ? now.advanced(byMilliseconds: Self.copyMilliseconds) : nil
    pending = 0
    isHurried = false
    let delay = min(max(now.microseconds(since: largestAt), 0), Int64(UInt32.max))
    return Acknowledgement(
      largest: largest, delayMicroseconds: UInt32(delay), before: before, holdsRuns: holdsRuns)
  }
}
