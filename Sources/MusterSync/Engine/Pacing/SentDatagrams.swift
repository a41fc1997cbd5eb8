internal import MusterModel

/// The datagrams in flight on one session and their fate: the sender's part of loss detection (RFC
/// 9002).
struct SentDatagrams: Sendable {
  struct Sent: Sendable {
    let counter: UInt64
    let at: Instant
    let size: Int
    /// The numbers of their parts in the send queue.
    let parts: [UInt64]
    var state = State.underWay
    /// Whether it repeats parts that had arrived, and why they were sent again.
    var repeats: Cause?

    /// Why parts that had arrived were sent again.
    enum Cause { case loss, timeout }
  }

  enum State: Sendable { case underWay, overtaken, timedOut, acknowledged }

  /// The result of an acknowledgement.
  struct Change {
    var acknowledged: [Sent] = []
    var overtaken: [Sent] = []
    /// Datagrams declared lost that were only late.
    var foundAgain = 0
    var roundTrip: Int64?
    /// Whether everything in flight at the start of the round is acknowledged.
    var endsRound = false
  }

  /// Ordered by counter. An acknowledgement covers the last 128: older ones are discarded.
  private var sent: ArraySlice<Sent> = []
  private(set) var bytesUnderWay = 0
  private var largestAcknowledged: UInt64?
  /// The counter at which the current round ends.
  private var roundEnd: UInt64 = 0
  /// The packet reordering threshold of this path, in datagrams.
  private var reordering: UInt64 = 3
  /// When a timeout passed last.
  private var timedOutAt = Instant(microseconds: .min)

  /// From when on an acknowledgement is awaited: the last datagram in flight was sent, or a timeout
  /// passed; nil while nothing is in flight.
  var awaitedSince: Instant? {
    sent.last { $0.state == .underWay }.map { max($0.at, timedOutAt) }
  }

  /// Whether a part of a kind is in flight.
  func isUnderWay(_ isOfKind: (UInt64) -> Bool) -> Bool {
    sent.contains { $0.state == .underWay && $0.parts.contains(where: isOfKind) }
  }

  mutating func add(_ datagram: Sent) {
    sent.append(datagram)
    bytesUnderWay += datagram.size
    if sent.count > Limits.datagramsRemembered { forget() }
  }

  private mutating func forget() {
    while let first = sent.first {
      let isOld = largestAcknowledged.map { first.counter + 129 <= $0 } ?? false
      switch first.state {
      case .acknowledged: break
      case .overtaken, .timedOut:
        guard isOld || sent.count > Limits.datagramsRemembered else { return }
      case .underWay: return
      }
      sent.removeFirst()
    }
  }

  /// Processes an acknowledgement.
  ///
  /// - Parameter nextCounter: the counter of the next datagram of the session, whatever its
  ///   content. An acknowledgement may name any datagram that was sent, reliable or not.
  mutating func acknowledge(
    _ acknowledgement: Acknowledgement, nextCounter: UInt64, roundTrip: RoundTrip, now: Instant
  ) -> Change {
    var change = Change()
    guard acknowledgement.largest < nextCounter else { return change }
    let largest = acknowledgement.largest
    for index in sent.indices.reversed() {
      let datagram = sent[index]
      guard datagram.state != .acknowledged, acknowledgement.covers(datagram.counter) else {
        continue
      }
      if datagram.counter == largest {
        let delay = Int64(acknowledgement.delayMicroseconds)
        change.roundTrip = now.microseconds(since: datagram.at) - delay
      }
      if datagram.state == .underWay { bytesUnderWay -= datagram.size }
      if datagram.state == .overtaken {
        change.foundAgain += 1
        reordering = min(reordering * 2, 64)
      }
      sent[index].state = .acknowledged
      change.acknowledged.append(datagram)
    }
    largestAcknowledged = max(largestAcknowledged ?? 0, largest)
    change.overtaken = overtake(reorderingTime: roundTrip.reorderingTime, now: now)
    if largest >= roundEnd, !change.acknowledged.isEmpty {
      change.endsRound = true
      roundEnd = nextCounter
    }
    forget()
    return change
  }

  /// Notes that the datagram in flight with a part repeats it.
  mutating func noteRepeat(of part: UInt64, after cause: Sent.Cause) {
    guard
      let index = sent.indices.last(where: {
        sent[$0].state == .underWay && sent[$0].parts.contains(part)
      })
    else { return }
    sent[index].repeats = cause
  }

  /// Declares datagrams lost that later ones have overtaken, by the packet or the time threshold.
  mutating func overtake(reorderingTime: Int64, now: Instant) -> [Sent] {
    guard bytesUnderWay > 0, let largest = largestAcknowledged else { return [] }
    var overtaken: [Sent] = []
    for index in sent.indices {
      let datagram = sent[index]
      guard datagram.counter < largest else { break }
      guard datagram.state == .underWay,
        largest - datagram.counter >= reordering
          || now.microseconds(since: datagram.at) >= reorderingTime
      else { continue }
      sent[index].state = .overtaken
      bytesUnderWay -= datagram.size
      overtaken.append(datagram)
    }
    return overtaken
  }

  /// Returns when the first overtaken datagram is declared lost.
  func overtakenAt(reorderingTime: Int64) -> Instant? {
    guard bytesUnderWay > 0, let largest = largestAcknowledged,
      let first = sent.first(where: { $0.state == .underWay }), first.counter < largest
    else { return nil }
    return first.at.advanced(byMicroseconds: reorderingTime)
  }

  /// Declares the oldest datagrams in flight lost after a timeout, except parts that have bytes of
  /// photos: these wait for an acknowledgement that shows whether they are lost.
  ///
  /// - Parameters:
  ///   - most: how many datagrams at most, unless too many are remembered.
  ///   - queue: the parts. A datagram with bytes of photos stays in flight.
  /// - Returns: the datagrams, and all parts that are to be sent again.
  mutating func timeOut(
    most: Int, of queue: PartQueue, now: Instant
  ) -> (lost: [Sent], parts: [UInt64]) {
    timedOutAt = now
    let isFull = sent.count > Limits.datagramsRemembered
    return timeOut(most: isFull ? .max : most) { isFull || !queue.isOfPhoto($0) }
  }

  /// Declares everything in flight lost. Returns its parts.
  mutating func loseAll() -> [UInt64] { timeOut(most: .max) { _ in true }.parts }

  private mutating func timeOut(
    most: Int, _ isDue: (UInt64) -> Bool
  ) -> (lost: [Sent], parts: [UInt64]) {
    var (lost, parts, count): ([Sent], [UInt64], Int) = ([], [], 0)
    for index in sent.indices where sent[index].state == .underWay && count < most {
      let due = sent[index].parts.filter(isDue)
      guard !due.isEmpty else { continue }
      count += 1
      parts += due
      guard due.count == sent[index].parts.count else { continue }
      sent[index].state = .timedOut
      bytesUnderWay -= sent[index].size
      lost.append(sent[index])
    }
    forget()
    return (lost, parts)
  }
}
