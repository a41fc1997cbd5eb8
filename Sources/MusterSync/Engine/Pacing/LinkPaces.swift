internal import MusterModel

/// What each link may carry, and the datagrams that wait for one: announces and handshakes, which
/// are sealed already.
struct LinkPaces: Sendable {
  private(set) var rate: LinkRate?
  private var buckets: [LinkID: TokenBucket] = [:]
  private var waiting: [(importance: Outbox.Importance, bytes: [UInt8], to: Destination)] = []
  /// Dropped for lack of room.
  private(set) var dropped: UInt64 = 0

  /// What passes at once: one datagram, and the bucket lets one more run it into debt.
  private static let depthBytes = CongestionWindow.datagram

  mutating func limit(to rate: LinkRate?, now: Instant) {
    self.rate = rate
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

  /// What is waited for answers beyond what else is: on a link whose rate is known, what several
  /// datagrams take on it, and more while answers come late, since many share it; where it is not
  /// known, only while they come so late that something is full. Else 0.
  var patienceMilliseconds: Int64 {
    let late = min(2 * delayMilliseconds, Self.mostPatience)
    guard let rate else { return isFull ? late : 0 }
    let several = Int64(CongestionWindow.datagram * 16 * 1000 / rate.bytesPerSecond)
    return max(several, isNarrow ? late : 0)
  }

  /// More than any way takes by itself, over satellites too.
  private static let fullMilliseconds: Int64 = 1000

  private static let mostPatience: Int64 = 30_000

  /// How long answers took of late, whoever gave them.
  private var delayMilliseconds: Int64 = 0

  mutating func noteDelay(milliseconds: Int64) {
    delayMilliseconds = (3 * delayMilliseconds + max(0, min(milliseconds, Self.mostPatience))) / 4
  }

  /// Whether a handshake takes a noticeable part of what the links carry.
  var isNarrow: Bool { rate.map { $0.bytesPerSecond < Self.narrowBytesPerSecond } ?? false }

  private static let narrowBytesPerSecond = 32_000

  /// Whether answers came so late of late that something on the way is full.
  var isFull: Bool { delayMilliseconds >= Self.fullMilliseconds }

  /// A link is known from the first datagram that came in by it.
  mutating func open(_ link: LinkID, now: Instant) {
    guard let rate, link != .uplink, buckets[link] == nil, buckets.count < Limits.links else {
      return
    }
    buckets[link] = TokenBucket(
      bytesPerSecond: rate.bytesPerSecond, depthBytes: Self.depthBytes, now: now)
  }

  /// What leaves by a link that is not known, or by all, counts against each.
  private func counted(_ link: LinkID?) -> [LinkID] {
    if link == .uplink { return [] }
    if let link, link != .unknown, buckets[link] != nil { return [link] }
    return buckets.keys.sorted()
  }

  /// Nil when a datagram may leave by the link now; else when that is worth asking again.
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

  mutating func isAnyOpen(now: Instant) -> Bool {
    for link in buckets.keys where buckets[link]?.isOpen(now: now) == true { return true }
    return false
  }

  /// When the first of those opens that are closed; nil while none is.
  mutating func nextOpening(now: Instant) -> Instant? {
    var earliest: Instant?
    for link in buckets.keys where buckets[link]?.isOpen(now: now) == false {
      if let opens = buckets[link]?.opensAt { earliest = min(earliest ?? opens, opens) }
    }
    return earliest
  }

  mutating func take(_ bytes: Int, by link: LinkID?, now: Instant) {
    guard rate != nil else { return }
    for key in counted(link) { buckets[key]?.take(bytes + Limits.headerBytes, now: now) }
  }

  // MARK: Datagrams that wait

  mutating func wait(_ bytes: [UInt8], to: Destination, importance: Outbox.Importance) {
    if waiting.count >= Limits.waitingDatagrams {
      dropped += 1
      guard let last = waiting.last, last.importance > importance else { return }
      waiting.removeLast()
    }
    let index = waiting.firstIndex { $0.importance > importance } ?? waiting.count
    waiting.insert((importance, bytes, to), at: index)
  }

  typealias Ready = (bytes: [UInt8], to: Destination)

  /// Takes those whose links are open, in order.
  mutating func popReady(now: Instant) -> Ready? {
    for index in waiting.indices where opensAt(waiting[index].to.link, now: now) == nil {
      let ready = waiting.remove(at: index)
      return (ready.bytes, ready.to)
    }
    return nil
  }

  /// When the first that waits may leave.
  mutating func nextReady(now: Instant) -> Instant? {
    waiting.compactMap { opensAt($0.to.link, now: now) ?? now }.min()
  }
}

extension Destination {
  /// Nil for every link.
  var link: LinkID? {
    switch self {
    case .endpoint(_, let link): link
    case .multicast(let link): link
    }
  }
}
