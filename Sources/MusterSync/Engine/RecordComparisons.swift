internal import MusterModel

/// When records may be compared with a peer. On a congested or narrow link positions always differ
/// while they are updated, and the comparison would take the capacity that they need. On an uplink
/// each position arrives by a push: a comparison with each of hundreds of peers would send again
/// what is on its way.
struct RecordComparisons: Sendable {
  /// When a record was last pushed here.
  private var pushed: Instant?
  /// When a comparison last began with any peer.
  private var began: Instant?

  mutating func notePush(at now: Instant) { pushed = now }

  /// Whether records may be compared with a peer on an uplink.
  ///
  /// - Parameter last: when they were last compared on its session.
  func mayBeginOnUplink(at now: Instant, last: Instant?) -> Bool {
    guard let pushed, let last else { return true }
    return now.milliseconds(since: pushed) >= Timing.recordsAtRestMilliseconds
      || now.milliseconds(since: last) >= Timing.recordsWithoutRoomMilliseconds
  }

  mutating func noteBegin(at now: Instant) { began = now }

  /// - Parameter narrowness: how narrow the links are, 0 to 1000: the intervals grow with it.
  func mayBegin(at now: Instant, narrowness: Int64) -> Bool {
    guard let pushed, let began else { return true }
    return now.milliseconds(since: pushed) * 1000
      >= Timing.recordsAtRestMilliseconds * narrowness
      || now.milliseconds(since: began) * 1000
        >= Timing.recordsWithoutRoomMilliseconds * narrowness
  }
}
