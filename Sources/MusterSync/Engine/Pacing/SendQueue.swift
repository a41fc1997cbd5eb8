internal import MusterModel

/// The send queue and transmission state of one peer: queued parts, datagrams in flight, and the
/// limits on both.
///
///     add ─▶ queue ─▶ window, pacing, link ─▶ sealed and sent ─▶ acknowledged: done
///             ▲                                    │
///             └──── lost or timed out ◀────────────┘
///
/// It exists as long as the peer has a session. Reliable parts are retransmitted until they are
/// acknowledged or superseded. A peer that left is only asked whether it is back: the parts wait.
struct SendQueue: Sendable {
  var queue = PartQueue()
  /// Ranges that the peer requested and that are not fetched yet.
  var wants = WantQueue()
  private(set) var path = Path()
  /// The session on which everything in `sent` was sent.
  private var session: UInt32?
  private var sent = SentDatagrams()
  private var lastSentAt = Instant(microseconds: .min)
  private var lastReceivedAt = Instant(microseconds: .min)
  /// When a datagram of the peer was last found to be missing.
  private var lastMissedAt = Instant(microseconds: .min)
  /// Additional timeout for a narrow link, which may take this long over a few datagrams, in
  /// microseconds; 0 if unknown.
  var patience: Int64 = 0
  /// How many datagrams may exceed the window after a timeout: the acknowledgement of one shows
  /// which of those in flight arrived (RFC 9002 §6.2.4).
  private var probes = 0
  /// Present after several timeouts during which nothing of the peer was received. Everything for
  /// it waits until it is received again.
  private var silence: Silence?
  /// When this peer's link was last served. The peer served longest ago is next.
  var turn: UInt64 = 0

  /// Whether a datagram may be sent, as far as this peer's limits are concerned.
  enum Permission { case now, afterAcknowledgement, at(Instant) }

  mutating func permission(now: Instant) -> Permission {
    guard silence == nil else { return isWaiting ? .now : .afterAcknowledgement }
    guard let first = queue.first ?? (owesProbe ? .photos : nil) else {
      return .afterAcknowledgement
    }
    path.window.note(yields: first >= .thumbnails)
    // The highest priorities may exceed a full window slightly, since they wait behind nothing
    // else.
    let beyond = first <= .control ? 2 * CongestionWindow.datagram : 0
    guard probes > 0 || sent.bytesUnderWay + CongestionWindow.datagram <= limit + beyond else {
      path.window.wasFull = true
      return .afterAcknowledgement
    }
    if !path.window.isOverTCP, path.pace?.isOpen(now: now) == false, first > .control {
      return .at(path.pace?.opensAt ?? now)
    }
    return .now
  }

  /// The effective window in bytes. After several consecutive timeouts with nothing received, one
  /// datagram probes the peer. A path that loses most datagrams without queueing gets a window
  /// large enough that some are expected to arrive.
  private var limit: Int {
    guard !path.window.isOverTCP else { return path.window.bytes }
    guard isReceiving, !isQueued else {
      let isAsking = path.timeouts >= 3 && lastReceivedAt < lastSentAt
      return isAsking ? CongestionWindow.datagram : path.window.bytes
    }
    let expected = CongestionWindow.least * Int(LossMeter.tries(path.lossPercent))
    return max(path.window.bytes, min(expected, Self.mostInBadWeather))
  }

  private static let mostInBadWeather = 8 * CongestionWindow.datagram
  /// If both directions lose nine of ten datagrams, this many consecutive timeouts have a
  /// probability of 1 in 100,000. After them nothing arrives although the peer is received, and
  /// more data would only congest the link.
  private static let timeoutsInBadWeather = 32

  /// Whether the latest RTT sample indicated a queue on the path: losses are then due to
  /// congestion.
  private var isQueued: Bool {
    guard let least = path.roundTrip.least else { return patience > 0 }
    return path.roundTrip.latest - least > CongestionWindow.queueMicroseconds
  }

  /// Returns the times at which this queue must be processed next.
  mutating func look(now: Instant) -> (lossDeadline: Instant?, permittedAt: Instant?) {
    guard isWaiting, case .at(let paced) = permission(now: now) else {
      return (lossDeadline, nil)
    }
    return (lossDeadline, paced)
  }

  /// Returns the order of this peer on a narrow link: by priority, then by the time since it was
  /// served. In place, since a send queue is large.
  mutating func claim() -> (importance: UInt8, turn: UInt64) { (next?.rawValue ?? .max, turn) }

  /// The priority of what is sent next.
  var next: Outbox.Importance? {
    if let silence { return silence.hasNewUrgent ? .urgent : .control }
    return queue.first ?? (owesProbe ? .photos : nil)
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
    probes = max(0, probes - 1)
    sent.add(.init(counter: counter, at: now, size: size, parts: parts))
  }

  private static let pause: Int64 = 5_000_000

  /// Selects the session to send on. Counters of one session do not apply to another.
  ///
  /// - Parameter isOverTCP: whether the session's path is a TCP connection.
  mutating func use(_ index: UInt32, isOverTCP: Bool) {
    guard session != index || path.window.isOverTCP != isOverTCP else { return }
    repeatAll()
    endSilence()
    // Of two sessions, both sides may change between them: what is queued can still be sent.
    path.changeSession(isOverTCP: isOverTCP)
    session = index
  }

  /// Resets the path if the session that moved is the one in use. Switching between sessions does
  /// not reset it: with a device and its clone the sessions alternate, and a reset each time would
  /// flood a narrow link.
  mutating func changePath(of index: UInt32) { if session == index { changePath() } }

  /// Resets the path after this device or the peer moved to another address.
  mutating func changePath() {
    repeatAll()
    endSilence()
    let isOverTCP = path.window.isOverTCP
    path = Path()
    path.window.isOverTCP = isOverTCP
  }

  private mutating func repeatAll() {
    queue.repeatParts(sent.loseAll(), first: true)
    sent = SentDatagrams()
    probes = 0
  }

  /// Records a datagram received from the peer.
  ///
  /// - Parameter skipped: how many of the peer's earlier datagrams are missing before this one; -1
  ///   if this one was counted as missing until now.
  mutating func noteReceived(skipped: Int, now: Instant) {
    if silence != nil || path.timeouts > 1, lastReceivedAt < lastSentAt { path.isBack = true }
    lastReceivedAt = now
    if skipped > 0 { lastMissedAt = now }
    if skipped < 0 { path.receivedLoss.findAgain() }
    path.receivedLoss.note(lost: max(0, skipped), arrived: 1)
  }

  /// Processes an acknowledgement.
  ///
  /// - Parameter nextCounter: the counter of the next datagram of that session.
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
    if !change.acknowledged.isEmpty { (path.timeouts, probes) = (0, 0) }
    for datagram in change.acknowledged {
      path.noteArrived(datagram)
      switch repeated(by: datagram) {
      case .loss: answer.repeated.afterLoss += 1
      case .timeout: answer.repeated.withoutLoss += 1
      case nil: break
      }
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
    // A connection shows nothing about the links that multicasts use.
    let isSample = change.roundTrip != nil && !path.window.isOverTCP
    answer.roundTrip = isSample ? path.roundTrip.latest : nil
    return answer
  }

  /// The result of an acknowledgement.
  struct Answer {
    /// The RTT sample in microseconds, if there is one and the path is no connection.
    var roundTrip: Int64?
    /// Acknowledged runs.
    var runs: [(log: LogID, last: UInt64)] = []
    /// Datagrams that arrived twice.
    var repeated = RetransmissionCounts()
  }

  /// Returns why the parts of an acknowledged datagram arrived twice; nil if they did not, or not
  /// yet. MUST be called before they are removed from the queue.
  private mutating func repeated(by datagram: SentDatagrams.Sent) -> SentDatagrams.Sent.Cause? {
    guard datagram.state != .underWay, let part = datagram.parts.first,
      part != PartQueue.noPart
    else {
      return datagram.repeats
    }
    let cause: SentDatagrams.Sent.Cause = lastMissedAt >= datagram.at ? .loss : .timeout
    switch queue.place(of: part) {
    case .queued: return nil
    case .inFlight:
      sent.noteRepeat(of: part, after: cause)
      return nil
    case .acknowledged: return cause
    }
  }

  private mutating func lose(_ overtaken: [SentDatagrams.Sent]) {
    for _ in overtaken { path.window.lose() }
    for datagram in overtaken { path.noteLost(datagram) }
    path.sentLoss.note(lost: overtaken.count, arrived: 0)
    if !overtaken.isEmpty { queue.repeatParts(overtaken.flatMap(\.parts), first: true) }
  }

  /// Notes that a padded datagram was sent, to find out whether the path carries its size.
  mutating func noteSizeProbe(_ counter: UInt64, on session: UInt32, now: Instant) {
    path.noteProbe(counter)
    let size = Limits.largestDatagramBytes + Limits.headerBytes
    noteSent(counter, on: session, size: size, parts: [PartQueue.noPart], now: now)
  }

  /// Packs as many parts as fit one packet that has other content already. Nothing but photos
  /// leaves in large datagrams: if the path carries these no more, no other data is delayed. Parts
  /// of photos that do not fit then are dropped.
  mutating func pack(beside count: Int) -> (bytes: [UInt8], numbers: [UInt64]) {
    if silence?.hasNewUrgent == true {
      silence?.hasNewUrgent = false
      return queue.pack(room: packetBytes - count, only: .urgent)
    }
    guard !owesProbe, silence == nil else {
      return (Packet.probe.encoded(), [PartQueue.noPart])
    }
    guard path.carriesLargeDatagrams else {
      queue.dropLarge()
      return queue.pack(room: packetBytes - count)
    }
    return queue.pack(room: packetBytes - count, photoRoom: largestPacketBytes - count)
  }

  // MARK: Deadlines

  /// When something in flight is declared lost; nil while nothing is in flight.
  var lossDeadline: Instant? {
    guard let last = sent.awaitedSince else { return nil }
    let timeout = last.advanced(byMicroseconds: self.timeout)
    return min(timeout, sent.overtakenAt(reorderingTime: path.roundTrip.reorderingTime) ?? timeout)
  }

  /// The retransmission timeout in microseconds. While datagrams are received, the path is lossy
  /// but not down, so the timeout stays short unless nothing is acknowledged for long. Otherwise
  /// the peer is probed every three seconds, with exponential backoff if a queue has built up (RFC
  /// 8085).
  private var timeout: Int64 {
    guard !path.window.isOverTCP else { return Self.timeoutOverTCP }
    let base = path.roundTrip.timeout + patience
    if silence != nil {
      let doublings = min(path.timeouts - Silence.timeoutsBefore, Silence.mostDoublings)
      return max(base, Silence.interval) << Int64(max(0, doublings))
    }
    let hopeless = Int64(min(max(0, path.timeouts - Self.timeoutsInBadWeather), 3))
    let most =
      isQueued
      ? max(base << 3, 3_000_000) : max(base, isReceiving ? 500_000 << hopeless : 3_000_000)
    return min(base << Int64(min(path.timeouts, 6)), most)
  }

  /// TCP retransmits by itself, and the end of the connection reports a lost peer.
  private static let timeoutOverTCP: Int64 = 60_000_000

  /// Whether the peer was received recently. The tolerance grows with its loss rate.
  private var isReceiving: Bool {
    let patience = isQueued ? 1 : LossMeter.tries(path.receivedLoss.percent)
    return lastSentAt.microseconds(since: lastReceivedAt) < 3_000_000 * patience
  }

  /// Processes an expired deadline.
  ///
  /// - Returns: for how many microseconds no answer came; nil if none is late, or the peer left.
  mutating func passDeadline(now: Instant) -> Int64? {
    lose(sent.overtake(reorderingTime: path.roundTrip.reorderingTime, now: now))
    guard let since = sent.awaitedSince, since.advanced(byMicroseconds: timeout) <= now else {
      return nil
    }
    path.timeouts += 1
    guard !fallsSilent() else { return nil }
    // The acknowledgement of photos is often only late, and nothing of them is sent again yet.
    if path.timeouts > 1 || !hasPhotosInFlight { path.window.timeOut() }
    probe(first: path.timeouts == 1, now: now)
    path.setPace(now: now)
    return path.window.isOverTCP ? nil : now.microseconds(since: since)
  }

  /// Retransmits the oldest datagrams in flight. The others may have arrived: the acknowledgement
  /// shows which of them did.
  ///
  /// Bytes of photos are not retransmitted, because they may have arrived too. The next ones are
  /// sent, or a probe if there are none: the acknowledgement shows what was lost.
  private mutating func probe(first: Bool, now: Instant) {
    let tries = Int(LossMeter.tries(isQueued ? 0 : path.lossPercent))
    let most = min(Self.leastProbes * tries, Self.mostProbes)
    let (lost, parts) = sent.timeOut(most: most, of: queue, now: now)
    // In a partition small datagrams are lost too.
    if isReceiving { for datagram in lost { path.noteLost(datagram) } }
    path.sentLoss.note(lost: lost.count, arrived: 0)
    queue.repeatParts(parts, first: first)
    probes = hasPhotosInFlight ? min(most, max(1, queue.waiting)) : lost.count
  }

  // MARK: Silence

  private struct Silence {
    /// Whether an urgent part was added meanwhile, and was not sent yet: each is tried once.
    var hasNewUrgent = false

    /// On a path that loses most datagrams, `isReceiving` remains true for longer.
    static let timeoutsBefore = 4
    /// The first interval at which a silent peer is asked, in microseconds, and its doublings.
    static let interval: Int64 = 3_000_000
    static let mostDoublings = 2
  }

  /// Takes back everything in flight if the peer is silent, so that a datagram without content
  /// asks, at intervals that double, whether it is back.
  private mutating func fallsSilent() -> Bool {
    guard !path.window.isOverTCP, path.timeouts >= Silence.timeoutsBefore, !isReceiving else {
      return false
    }
    silence = silence ?? Silence()
    queue.repeatParts(sent.loseAll(), first: true)
    probes = 1
    return true
  }

  /// Adds a part. Returns false if it was dropped.
  mutating func add(_ part: PartQueue.Part) -> Bool {
    guard queue.add(part) else { return false }
    if part.importance == .urgent { silence?.hasNewUrgent = true }
    return true
  }

  private mutating func endSilence() {
    guard silence != nil else { return }
    silence = nil
    (path.timeouts, probes) = (0, 0)
    path.window.resume()
  }

  private var hasPhotosInFlight: Bool { sent.isUnderWay { queue.isOfPhoto($0) } }

  /// Whether a datagram without content is to be sent, to learn what of the photos in flight
  /// arrived.
  private var owesProbe: Bool { probes > 0 && queue.waiting == 0 && hasPhotosInFlight }

  /// Whether anything is to be sent.
  var isWaiting: Bool {
    silence.map { probes > 0 || $0.hasNewUrgent } ?? (queue.waiting > 0 || owesProbe)
  }

  private static let leastProbes = CongestionWindow.least / CongestionWindow.datagram
  private static let mostProbes = mostInBadWeather / CongestionWindow.datagram

  /// Probes as soon as an outage ends, since timeouts are long by then. Called for every received
  /// datagram, after its acknowledgement was processed.
  ///
  /// - Returns: whether there is anything to retransmit.
  mutating func repeatAfterSilence(now: Instant) -> Bool {
    guard path.isBack else { return false }
    path.isBack = false
    if silence != nil { endSilence() } else { probe(first: true, now: now) }
    return isWaiting
  }

  // MARK: Status

  var bytesUnderWay: Int { sent.bytesUnderWay }
}
