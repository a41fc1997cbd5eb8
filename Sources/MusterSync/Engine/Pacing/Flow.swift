internal import MusterModel

/// All that is on its way to one peer: what waits, what is under way, how much may be.
///
///     add ─▶ queue ─▶ window, pace, link ─▶ sealed and sent ─▶ acknowledged: done
///              ▲                                  │
///              └────── overtaken or timed out ◀───┘
///
/// It lives as long as the peer has a session. What is to be repeated is repeated until it is
/// acknowledged or something newer takes its place.
struct Flow: Sendable {
  var queue = PartQueue()
  /// What the peer asked for and has not been fetched yet.
  var wants = WantQueue()
  private(set) var path = Path()
  /// The session on which everything in `sent` left.
  private var session: UInt32?
  private var sent = SentDatagrams()
  private var lastSentAt = Instant(microseconds: .min)
  private var lastHeardAt = Instant(microseconds: .min)
  /// What a narrow link may take over a few datagrams, in microseconds; 0 where nobody knows.
  var patience: Int64 = 0
  /// When this peer's link was last given a turn: whose is longest ago comes next.
  var turn: UInt64 = 0

  /// Whether something may leave, as far as this peer is concerned.
  enum Permission { case now, afterAcknowledgement, at(Instant) }

  mutating func permission(now: Instant) -> Permission {
    guard let first = queue.first else { return .afterAcknowledgement }
    // What matters most may pass a full window by a little, since it waits behind nothing else.
    let beyond = first <= .control ? 2 * CongestionWindow.datagram : 0
    guard sent.bytesUnderWay + CongestionWindow.datagram <= limit + beyond else {
      path.window.wasFull = true
      return .afterAcknowledgement
    }
    if !path.window.isOverTCP, path.pace?.isOpen(now: now) == false, first > .control {
      return .at(path.pace?.opensAt ?? now)
    }
    return .now
  }

  /// After some timeouts in a row with nothing heard, a single datagram asks whether anybody is
  /// there. A way that loses most of what it carries, and holds no queue, gets so much that some
  /// of it may be expected to arrive.
  private var limit: Int {
    guard !path.window.isOverTCP else { return path.window.bytes }
    guard isHeard, !isQueued else {
      let isAsking = path.timeouts >= 3 && lastHeardAt < lastSentAt
      return isAsking ? CongestionWindow.datagram : path.window.bytes
    }
    let expected = CongestionWindow.least * Int(LossMeter.tries(path.lossPercent))
    return max(path.window.bytes, min(expected, Self.mostInBadWeather))
  }

  private static let mostInBadWeather = 8 * CongestionWindow.datagram
  /// Where both ways lose nine in ten, so many timeouts in a row come once in a hundred thousand
  /// times. After them nothing gets through, though the peer is heard, and what is sent is only in
  /// the way of others.
  private static let timeoutsInBadWeather = 32

  /// When last looked at, a queue stood on the way: what was lost found no room in it.
  private var isQueued: Bool {
    guard let least = path.roundTrip.least else { return patience > 0 }
    return path.roundTrip.latest - least > CongestionWindow.queueMicroseconds
  }

  /// What decides when it is looked at next.
  mutating func look(now: Instant) -> (lossDeadline: Instant?, permittedAt: Instant?) {
    guard queue.waiting > 0, case .at(let paced) = permission(now: now) else {
      return (lossDeadline, nil)
    }
    return (lossDeadline, paced)
  }

  /// Whose turn it is on a narrow link: by importance, and by who was served longest ago. In place,
  /// since a flow is large.
  mutating func claim() -> (importance: UInt8, turn: UInt64) {
    (queue.first?.rawValue ?? .max, turn)
  }

  mutating func noteSent(
    _ counter: UInt64, on session: UInt32, size: Int, parts: [UInt64], now: Instant
  ) {
    path.pace?.take(size, now: now)
    guard !parts.isEmpty else { return }
    if sent.bytesUnderWay == 0, now.microseconds(since: lastSentAt) > Self.pause {
      path.window.restart()
    }
    lastSentAt = now
    sent.add(.init(counter: counter, at: now, size: size, parts: parts))
  }

  private static let pause: Int64 = 5_000_000

  /// Counters of one session say nothing about those of another.
  ///
  /// - Parameter isOverTCP: whether TCP carries what leaves on it.
  mutating func use(_ index: UInt32, isOverTCP: Bool) {
    if path.window.isOverTCP != isOverTCP { path.window.isOverTCP = isOverTCP }
    guard session != index else { return }
    repeatAll()
    session = index
  }

  /// A session has moved. Where it is the one that is spoken on, nothing is known of its new path.
  /// Not for a turn from one session to another: to a device and its copy, say, each is spoken on
  /// in turn, and to begin anew each time would fill a narrow link.
  mutating func changePath(of index: UInt32) { if session == index { changePath() } }

  /// This device has moved, or the peer has.
  mutating func changePath() {
    repeatAll()
    let isOverTCP = path.window.isOverTCP
    path = Path()
    path.window.isOverTCP = isOverTCP
  }

  private mutating func repeatAll() {
    queue.repeatParts(sent.timeOut().flatMap(\.parts), first: true)
    sent = SentDatagrams()
  }

  /// - Parameter skipped: how many of the peer's datagrams before this one have not come; -1 where
  ///   this one was missing until now.
  mutating func noteHeard(skipped: Int, now: Instant) {
    if path.timeouts > 1, lastHeardAt < lastSentAt { path.isBack = true }
    lastHeardAt = now
    if skipped < 0 { path.heardLoss.findAgain() }
    path.heardLoss.note(lost: max(0, skipped), arrived: 1)
  }

  /// - Parameter nextCounter: of the next datagram of that session.
  @discardableResult
  mutating func acknowledge(
    _ acknowledgement: Acknowledgement, on index: UInt32, nextCounter: UInt64, now: Instant
  ) -> Answer {
    var answer = Answer()
    guard index == session else { return answer }
    let change = sent.acknowledge(
      acknowledgement, nextCounter: nextCounter, roundTrip: path.roundTrip, now: now)
    if let sample = change.roundTrip {
      path.roundTrip.add(sample, now: now)
      path.window.sample(path.roundTrip.latest)
    }
    if !change.acknowledged.isEmpty { path.timeouts = 0 }
    for datagram in change.acknowledged {
      for number in datagram.parts {
        if let run = queue.run(number) { answer.runs.append(run) }
        queue.remove(number)
      }
      path.window.acknowledge(datagram.size)
    }
    for _ in 0..<change.foundAgain {
      path.window.findAgain()
      path.sentLoss.findAgain()
    }
    path.sentLoss.note(lost: 0, arrived: change.acknowledged.count)
    lose(change.overtaken)
    if change.endsRound { path.window.endRound(least: path.roundTrip.least) }
    path.setPace(now: now)
    answer.roundTrip = change.roundTrip.map { _ in path.roundTrip.latest }
    return answer
  }

  /// What an acknowledgement tells.
  struct Answer {
    /// How long it took, in microseconds, where it tells.
    var roundTrip: Int64?
    /// Runs that came.
    var runs: [(log: LogID, last: UInt64)] = []
  }

  private mutating func lose(_ overtaken: [SentDatagrams.Sent]) {
    for _ in overtaken { path.window.lose() }
    path.sentLoss.note(lost: overtaken.count, arrived: 0)
    if !overtaken.isEmpty { queue.repeatParts(overtaken.flatMap(\.parts), first: true) }
  }

  // MARK: Deadlines

  /// When something that is under way counts as lost; nil while nothing is.
  var lossDeadline: Instant? {
    guard let last = sent.lastSentAt else { return nil }
    let timeout = last.advanced(byMicroseconds: self.timeout)
    return min(timeout, sent.overtakenAt(reorderingTime: path.roundTrip.reorderingTime) ?? timeout)
  }

  /// While anything is heard the way is bad and not cut, and waiting long would only lose time,
  /// unless nothing gets through for long; else it is asked after every three seconds, and ever
  /// less often where a queue stands on it (RFC 8085).
  private var timeout: Int64 {
    guard !path.window.isOverTCP else { return Self.timeoutOverTCP }
    let base = path.roundTrip.timeout + patience
    let hopeless = Int64(min(max(0, path.timeouts - Self.timeoutsInBadWeather), 3))
    let most =
      isQueued
      ? max(base << 3, 3_000_000) : max(base, isHeard ? 500_000 << hopeless : 3_000_000)
    return min(base << Int64(min(path.timeouts, 6)), most)
  }

  /// TCP says all again by itself, and who is gone is told of by the end of the connection.
  private static let timeoutOverTCP: Int64 = 60_000_000

  /// Whether the peer was heard of late: the more of what it says is lost, the longer ago that may
  /// be.
  private var isHeard: Bool {
    let patience = isQueued ? 1 : LossMeter.tries(path.heardLoss.percent)
    return lastSentAt.microseconds(since: lastHeardAt) < 3_000_000 * patience
  }

  /// Does what is due.
  mutating func passDeadline(now: Instant) {
    lose(sent.overtake(reorderingTime: path.roundTrip.reorderingTime, now: now))
    guard let last = sent.lastSentAt, last.advanced(byMicroseconds: timeout) <= now else { return }
    path.timeouts += 1
    path.window.timeOut()
    let lost = sent.timeOut()
    path.sentLoss.note(lost: lost.count, arrived: 0)
    queue.repeatParts(lost.flatMap(\.parts), first: path.timeouts == 1)
    path.setPace(now: now)
  }

  /// What was said into a silence is said again as soon as the silence ends: by then timeouts are
  /// long. Called for everything that is heard, once what it acknowledges is known; answers whether
  /// there is anything to repeat.
  mutating func repeatAfterSilence() -> Bool {
    guard path.isBack else { return false }
    path.isBack = false
    queue.repeatParts(sent.timeOut().flatMap(\.parts), first: true)
    return queue.waiting > 0
  }

  // MARK: Status

  var bytesUnderWay: Int { sent.bytesUnderWay }
}
