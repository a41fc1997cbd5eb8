public import MusterGeo
public import MusterModel

/// Validates and rate-limits the reports of many phones. Pure, and bounded by the number of
/// trackers, since an authorized sender may use any tracker name.
///
/// The replica publishes accepted reports. Phones select their own fixes, so the location filter
/// does not apply.
public struct TrackerGate: Sendable {
  /// The burst size: a phone that regains coverage sends its stored fixes at once.
  static let burst: Int64 = 300
  /// The sustained rate is one report per second; phones send one in ten seconds or less often.
  package static let millisecondsPerReport: Int64 = 1000
  /// The same for messages with a call for help: apps repeat them, also while positions are beyond
  /// their rate.
  static let callBurst: Int64 = 60
  package static let millisecondsPerCall: Int64 = 5000

  /// How a sender proves who it is, from the least on.
  public enum Standing: Int, Hashable, Sendable, Comparable {
    /// The token that all phones share: the sender states any name.
    case shared
    /// The same, with a call for help.
    case call
    /// The secret of a login, or an access key: it names the person.
    case proven

    /// Compares the standings.
    public static func < (left: Standing, right: Standing) -> Bool {
      left.rawValue < right.rawValue
    }

    /// Places that a new name of this standing leaves free for those above.
    fileprivate var reserve: Int {
      switch self {
      case .shared: Limits.trackersPerDevice / 4
      case .call: Limits.trackersPerDevice / 16
      case .proven: 0
      }
    }
  }

  private struct Tracker {
    var gate = FixGate()
    var limiter: RateLimiter
    var calls: RateLimiter

    init(now: Instant) {
      limiter = rateOfReports(now: now)
      calls = rateOfCalls(now: now)
    }
  }

  private let mostTrackers: Int
  private var trackers: [TrackerName: Tracker] = [:]

  /// The result of a report's position.
  public enum Answer: Hashable, Sendable {
    /// Accepted: to be stored and, unless it is late, published.
    case taken(Fix, isLate: Bool)
    /// Rejected as implausible: a retry is useless.
    case refused(FixRefusal)
    /// There is none: the phone is in contact.
    case contact
    /// Over the rate limit: to be sent again later.
    case tooFast
    /// The limit of trackers is reached.
    case tooMany
  }

  /// Returns the rate of the reports of one phone.
  package static func rateOfReports(now: Instant) -> RateLimiter {
    RateLimiter(saving: burst * millisecondsPerReport, now: now)
  }

  /// Returns the rate of the calls for help of one phone.
  package static func rateOfCalls(now: Instant) -> RateLimiter {
    RateLimiter(saving: callBurst * millisecondsPerCall, now: now)
  }

  /// Creates a validator without reports.
  ///
  /// - Parameters:
  ///   - known: trackers that this node published before: they keep their places.
  ///   - mostTrackers: the maximum number of trackers.
  public init(known: [TrackerName], mostTrackers: Int, now: Instant) {
    self.mostTrackers = mostTrackers
    for name in known.prefix(mostTrackers) { trackers[name] = Tracker(now: now) }
  }

  /// The number of known trackers.
  public var count: Int { trackers.count }

  /// Whether new names under the shared token find no place any more.
  public var isFull: Bool { trackers.count >= max(mostTrackers - Standing.shared.reserve, 1) }

  /// Whether a tracker is known, or finds a place; it then has one.
  public mutating func admits(
    _ name: TrackerName, as standing: Standing, now: Instant
  ) -> Bool {
    if trackers[name] != nil { return true }
    guard trackers.count < max(mostTrackers - standing.reserve, 1) else { return false }
    trackers[name] = Tracker(now: now)
    return true
  }

  /// Forgets the fixes of a tracker that were judged since an earlier state, because they could not
  /// be stored: the phone sends them again. Their rate stays counted.
  public mutating func withdraw(fixesOf name: TrackerName, since before: TrackerGate?) {
    trackers[name]?.gate = before?.trackers[name]?.gate ?? FixGate()
  }

  /// Whether a message with a call for help is within the rate of its tracker, which MUST be
  /// admitted. Beyond it, a message adds nothing to a call that is open.
  public mutating func isWithinRateOfCalls(_ name: TrackerName, now: Instant) -> Bool {
    trackers[name]?.calls.take(Self.millisecondsPerCall, now: now) ?? false
  }

  /// Validates a report of a tracker.
  ///
  /// - Parameter isUrgent: whether its call for help is within the rate of calls: its position is
  ///   not counted against that of reports.
  public mutating func judge(
    _ report: TrackerReport, of name: TrackerName, as standing: Standing, isUrgent: Bool = false,
    now: ClockReading
  ) -> Answer {
    guard admits(name, as: standing, now: now.instant), var tracker = trackers[name] else {
      return .tooMany
    }
    guard isUrgent || tracker.limiter.take(Self.millisecondsPerReport, now: now.instant) else {
      return .tooFast
    }
    defer { trackers[name] = tracker }
    guard let position = report.position else { return .contact }
    let time: Timestamp? = if case .stated(let time) = report.time { time } else { nil }
    do throws(FixRefusal) {
      let admitted = try tracker.gate.admit(
        position, accuracyDecimetres: report.accuracyDecimetres, time: time, from: .tracker,
        now: now.wall)
      return .taken(admitted.fix, isLate: tracker.gate.isLate(admitted.fix))
    } catch {
      return .refused(error)
    }
  }
}
