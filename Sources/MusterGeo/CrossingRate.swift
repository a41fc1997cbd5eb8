public import MusterModel

/// How often one subject crosses the edge of one fence. Beyond `most` events in an hour, a crossing
/// waits for the end of a minute, and counts then only if the subject is still on the other side:
/// a person who walks along an edge, or a program that jumps over it, does not fill all logs.
///
/// An ENTER of a hazard zone does not wait. Fences of programs (`FenceMode.strictAWS`) have all
/// their events. The status of people depends on positions, never on crossings.
struct CrossingRate: Hashable, Sendable {
  /// Events of one fence in an hour that do not wait.
  static let most: UInt32 = 30
  /// In milliseconds.
  static let period: Int64 = 3_600_000
  /// The least time between two events beyond the rate, in milliseconds.
  static let pause: Int64 = 60_000

  /// A crossing that waits.
  struct Pending: Hashable, Sendable {
    let type: CrossingType
    let version: FenceVersion
    let fix: Fix
    let isBaseline: Bool
  }

  /// When the hour began, by the sample time of its first event.
  private(set) var began: Timestamp
  /// The events of the hour.
  private(set) var events: UInt32
  /// The sample time of the last event.
  private(set) var last: Timestamp
  /// The type of the last event: the side on which others know the subject.
  private(set) var side: CrossingType
  /// A crossing that waits; nil for none.
  private(set) var pending: Pending?

  init(
    began: Timestamp, events: UInt32, last: Timestamp, side: CrossingType, pending: Pending? = nil
  ) {
    self.began = began
    self.events = events
    self.last = last
    self.side = side
    self.pending = pending
  }

  /// Returns whether a crossing is an event now. If not, it waits, or takes back one that waits.
  mutating func admits(
    _ type: CrossingType, of rule: CrossingRule, with fix: Fix, isBaseline: Bool
  ) -> Bool {
    guard rule.mode != .strictAWS else { return true }
    if pending != nil, type == side {
      pending = nil
      return false
    }
    let isUrgent = type == .enter && rule.isHazard
    if isUrgent || !isBeyond(at: fix.sampleTime) || isDue(at: fix.sampleTime) { return true }
    pending = Pending(type: type, version: rule.version, fix: fix, isBaseline: isBaseline)
    return false
  }

  /// Counts an event.
  mutating func record(_ type: CrossingType, at time: Timestamp) {
    if !isInHour(time) { (began, events) = (time, 0) }
    events += 1
    (last, side, pending) = (time, type, nil)
  }

  /// Forgets a crossing that waits.
  mutating func forgetPending() { pending = nil }

  /// Begins the minute until the next event.
  mutating func beginMinute(at time: Timestamp) { last = time }

  /// Whether an event at this time would be beyond the rate.
  private func isBeyond(at time: Timestamp) -> Bool { isInHour(time) && events >= Self.most }

  private func isInHour(_ time: Timestamp) -> Bool {
    (0..<Self.period).contains(time.milliseconds(since: began))
  }

  /// Whether the minute since the last event has ended, or the clock was set back.
  func isDue(at time: Timestamp) -> Bool {
    !(0..<Self.pause).contains(time.milliseconds(since: last))
  }
}

extension CrossingDetector {
  /// Whether a crossing waits for the end of its minute.
  var hasPending: Bool { counts.contains { $0.rate?.pending != nil } }

  /// Returns the crossings that waited for the end of their minute, which MUST be called before the
  /// fix at `time` is judged. Those of fences that are no longer active are forgotten.
  mutating func dueCrossings(at time: Timestamp, of fences: FenceIndex) -> [Transition] {
    guard hasPending else { return [] }
    var found: [Transition] = []
    for index in counts.indices {
      guard let pending = counts[index].rate?.pending else { continue }
      let fence = counts[index].fence
      guard let position = fences.position(of: fence) else {
        counts[index].rate?.forgetPending()
        continue
      }
      // A fence that is a program's by now has all its events.
      let isStrict = fences.rules[position].mode == .strictAWS
      guard let rate = counts[index].rate, isStrict || rate.isDue(at: time) else { continue }
      found.append(
        event(
          pending.type, at: index, pending.version, with: pending.fix,
          isBaseline: pending.isBaseline))
      counts[index].rate?.beginMinute(at: time)
    }
    return found
  }

  /// Counts an event of the fence at an index of `counts`.
  mutating func event(
    _ type: CrossingType, at index: Int, _ version: FenceVersion, with fix: Fix, isBaseline: Bool
  ) -> Transition {
    counts[index].transitions += 1
    var rate =
      counts[index].rate
      ?? CrossingRate(began: fix.sampleTime, events: 0, last: fix.sampleTime, side: type)
    rate.record(type, at: fix.sampleTime)
    counts[index].rate = rate
    return Transition(
      fence: counts[index].fence, version: version, type: type, isBaseline: isBaseline,
      number: counts[index].transitions, fix: fix)
  }
}
