internal import MusterModel

/// The rate limit of each link, and the sealed datagrams (announces and handshakes) queued for one.
struct LinkPaces: Sendable {
  private(set) var rate: LinkRate?
  private var share = LinkShare()
  /// This device's part of what concerns all: announces, records, and beginnings of handshakes.
  private var common: TokenBucket?
  private var buckets: [LinkID: TokenBucket] = [:]
  /// Bounds what received multicasts take of each bucket.
  private var heard: [LinkID: TokenBucket] = [:]
  private var waiting: [(importance: Outbox.Importance, bytes: [UInt8], to: Destination)] = []
  /// Datagrams dropped because the queue was full.
  private(set) var dropped: UInt64 = 0

  /// The burst size: one datagram, and the bucket lets one more run it into debt.
  private static let depthBytes = CongestionWindow.datagram

  mutating func limit(to rate: LinkRate?, now: Instant) {
    self.rate = rate
    heard = [:]
    guard let rate else {
      buckets = [:]
      return
    }
    for link in buckets.keys {
      buckets[link]?.change(
        bytesPerSecond: rate.bytesPerSecond, depthBytes: Self.depthBytes, now: now)
    }
    open(.unknown, now: now)
  }

  /// Additional time to wait for answers, in milliseconds. On a link with a known rate: the time of
  /// several datagrams, and more while answers are late, since the link is shared. With an unknown
  /// rate: only while answers are so late that a queue is likely. Otherwise 0.
  var patienceMilliseconds: Int64 {
    let late = min(2 * delayMilliseconds, Self.mostPatience)
    guard let rate else { return isFull ? late : 0 }
    let several = Int64(CongestionWindow.datagram * 16 * 1000 / rate.bytesPerSecond)
    return max(several, isFull ? late : late * narrowness(receivers: 0) / 1000)
  }

  /// The time in which each of so many devices sends one datagram, in milliseconds; 0 if the rate
  /// is unknown.
  func airtimeMilliseconds(of devices: Int, bytes: Int = usualBytes) -> Int64 {
    bytesPerSecond.map { Int64(bytes * 1000 / $0) * Int64(devices) } ?? 0
  }

  /// What the links carry: as configured, or less, as late answers show; nil if that is unknown.
  private var bytesPerSecond: Int? {
    guard let rate = rate?.bytesPerSecond else { return share.capacity }
    return min(rate, share.capacity ?? rate)
  }

  /// The size of a usual datagram.
  static let usualBytes = 300

  /// Whether sealed datagrams are queued for a link.
  var isQueueing: Bool { !waiting.isEmpty }

  /// More than the RTT of any uncongested path, including satellite links.
  private static let fullMilliseconds: Int64 = 1000

  private static let mostPatience: Int64 = 30_000

  /// A moving average of the recent answer delay, over all peers.
  private(set) var delayMilliseconds: Int64 = 0

  /// Notes how late an answer was, or that none came for so long.
  ///
  /// - Parameter devices: how many share the links, this one included.
  mutating func noteDelay(milliseconds: Int64, isAnswer: Bool, devices: Int, now: Instant) {
    if isAnswer {
      delayMilliseconds =
        (3 * delayMilliseconds + max(0, min(milliseconds, Self.mostPatience))) / 4
    }
    let datagram = rate.map { Int64(CongestionWindow.datagram * 1000 / $0.bytesPerSecond) } ?? 0
    share.noteDelay(
      milliseconds: milliseconds, isAnswer: isAnswer, late: Self.fullMilliseconds + 4 * datagram,
      rate: rate?.bytesPerSecond, devices: devices, now: now)
  }

  /// Whether datagrams wait for a rate, so that peers are served in turn.
  var isPaced: Bool { rate != nil || share.isLimited }

  /// Whether answers were late lately, so that what is lost is lost in a full queue.
  func isCongested(now: Instant) -> Bool { share.isCongested(now: now) }

  /// How narrow the links are, from 0 (no rate is configured) to 1000: at most 32 kB/s, or a
  /// datagram of each of so many devices takes a quarter of a second. Rules that save capacity grow
  /// with it, so that no rate separates two behaviours.
  func narrowness(receivers: Int) -> Int64 {
    guard let bytesPerSecond else { return 0 }
    let byRate = Int64(Self.narrowBytesPerSecond) * 1000 / Int64(bytesPerSecond)
    return min(1000, max(byRate, 4 * airtimeMilliseconds(of: receivers)))
  }

  /// Whether a handshake takes a considerable part of the links' capacity. For what has no
  /// continuous form: photos, the probes of their datagram size, and records of neighbours.
  var isNarrow: Bool { rate.map { $0.bytesPerSecond < Self.narrowBytesPerSecond } ?? false }

  private static let narrowBytesPerSecond = 32_000

  /// Whether recent answers were so late that a queue on the path is likely.
  var isFull: Bool { delayMilliseconds >= Self.fullMilliseconds }

  /// Whether there is capacity beyond the highest priorities, and no queue has built up.
  var hasRoom: Bool { !isNarrow && !isFull }

  /// Adds a link with its first received datagram.
  mutating func open(_ link: LinkID, now: Instant) {
    guard let rate, link != .uplink, buckets[link] == nil, buckets.count < Limits.links else {
      return
    }
    buckets[link] = TokenBucket(
      bytesPerSecond: rate.bytesPerSecond, depthBytes: Self.depthBytes, now: now)
  }

  /// Returns the links that a datagram counts against. One without a known link, or for all links,
  /// counts against each.
  private func counted(_ link: LinkID?) -> [LinkID] {
    if link == .uplink { return [] }
    if let link, link != .unknown, buckets[link] != nil { return [link] }
    return buckets.keys.sorted()
  }

  /// Returns nil if a datagram may be sent on the link now, otherwise the time of the next check.
  mutating func opensAt(_ link: LinkID?, now: Instant) -> Instant? {
    guard rate != nil else { return nil }
    var latest: Instant?
    for key in counted(link) {
      guard buckets[key]?.isOpen(now: now) == false, let at = buckets[key]?.opensAt else {
        continue
      }
      latest = max(latest ?? at, at)
    }
    return latest
  }

  /// Returns nil if a datagram may be sent now, otherwise the time of the next check. What is not
  /// urgent also waits for this device's share.
  mutating func opensAt(
    _ destination: Destination, importance: Outbox.Importance, now: Instant
  ) -> Instant? {
    let link = opensAt(destination.link, now: now)
    guard importance > .urgent, destination.isShared, let own = share.opensAt(now: now) else {
      return link
    }
    return max(own, link ?? own)
  }

  /// What links without a configured rate carry at least, in bytes a second: late answers do not
  /// show by how much they are too full.
  private static let leastCommon = 8000

  /// Returns when an announce, a record or the beginning of a handshake may be sent; nil if that is
  /// now. Together, those of all devices take half of what the links carry, so that a crowd which
  /// joins at once leaves room for answers and for calls.
  ///
  /// - Parameter crowd: how many devices share the links, this one included.
  mutating func commonOpensAt(crowd: Int, now: Instant) -> Instant? {
    guard let carried = rate?.bytesPerSecond ?? share.capacity.map({ max($0, Self.leastCommon) })
    else {
      common = nil
      return nil
    }
    common.limit(to: max(1, carried / 2 / crowd), depthBytes: Self.depthBytes, now: now)
    return common?.isOpen(now: now) == false ? common?.opensAt : nil
  }

  mutating func takeCommon(_ bytes: Int, now: Instant) {
    common?.take(bytes + Limits.headerBytes, now: now)
  }

  mutating func isAnyOpen(now: Instant) -> Bool {
    guard rate != nil else { return true }
    for link in buckets.keys where buckets[link]?.isOpen(now: now) == true { return true }
    return false
  }

  /// Returns when the first closed link, or this device's share, opens; nil if none is closed.
  mutating func nextOpening(now: Instant) -> Instant? {
    var earliest = share.opensAt(now: now)
    for link in buckets.keys where buckets[link]?.isOpen(now: now) == false {
      if let opens = buckets[link]?.opensAt { earliest = min(earliest ?? opens, opens) }
    }
    return earliest
  }

  /// Counts a sent datagram.
  mutating func take(_ bytes: Int, by destination: Destination, now: Instant) {
    if destination.isShared { share.take(bytes + Limits.headerBytes, now: now) }
    guard rate != nil else { return }
    for key in counted(destination.link) {
      buckets[key]?.take(bytes + Limits.headerBytes, now: now)
    }
  }

  /// Counts a received multicast, which took as much of a shared link as one of this device: what
  /// waits here can still be withdrawn, but not in the queue of a channel. A quarter of the rate is
  /// always left to this device, whatever others send.
  mutating func noteHeard(_ bytes: Int, on link: LinkID, now: Instant) {
    guard let rate else { return }
    for key in counted(link) {
      let share = TokenBucket(
        bytesPerSecond: max(1, rate.bytesPerSecond * 3 / 4), depthBytes: Self.depthBytes, now: now)
      guard heard[key, default: share].isOpen(now: now) else { continue }
      heard[key]?.take(bytes + Limits.headerBytes, now: now)
      buckets[key]?.take(bytes + Limits.headerBytes, now: now)
    }
  }

  // MARK: Queued datagrams

  /// Queues a datagram, unless the same one is queued: nothing is retransmitted because it waits.
  mutating func wait(_ bytes: [UInt8], to: Destination, importance: Outbox.Importance) {
    guard !waiting.contains(where: { $0.to == to && $0.bytes == bytes }) else { return }
    if waiting.count >= Limits.waitingDatagrams {
      dropped += 1
      guard let last = waiting.last, last.importance > importance else { return }
      waiting.removeLast()
    }
    let index = waiting.firstIndex { $0.importance > importance } ?? waiting.count
    waiting.insert((importance, bytes, to), at: index)
  }

  typealias Ready = (bytes: [UInt8], to: Destination)

  /// Removes and returns the first datagram whose link is open.
  mutating func popReady(now: Instant) -> Ready? {
    for index in waiting.indices {
      let next = waiting[index]
      guard opensAt(next.to, importance: next.importance, now: now) == nil else { continue }
      waiting.remove(at: index)
      return (next.bytes, next.to)
    }
    return nil
  }

  /// Returns when the first queued datagram may be sent.
  mutating func nextReady(now: Instant) -> Instant? {
    waiting.map { opensAt($0.to, importance: $0.importance, now: now) ?? now }.min()
  }
}

extension Destination {
  /// Whether a datagram counts against the share of this device; multicasts have other rules.
  fileprivate var isShared: Bool {
    if case .endpoint(_, let link) = self { link != .uplink } else { false }
  }

  /// Nil for every link.
  var link: LinkID? {
    switch self {
    case .endpoint(_, let link): link
    case .multicast(let link): link
    }
  }
}
