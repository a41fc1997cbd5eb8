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
  /// The sustained rate is one fix per second; phones send one in ten seconds or less often.
  static let millisecondsPerFix: Int64 = 1000

  private struct Tracker {
    var gate = FixGate()
    var limiter: RateLimiter

    init(now: Instant) { limiter = RateLimiter(saving: burst * millisecondsPerFix, now: now) }
  }

  private let mostTrackers: Int
  private var trackers: [TrackerName: Tracker] = [:]
  private var alarms = TrackerAlarms()

  /// The result of a report.
  public enum Answer: Hashable, Sendable {
    /// Accepted: to be stored and, unless it is late, published.
    case taken(Fix, isLate: Bool)
    /// Rejected as implausible: a retry is useless.
    case refused(FixRefusal)
    /// Over the rate limit: to be sent again later.
    case tooFast
    /// The limit of trackers is reached.
    case tooMany
  }

  /// Creates a validator without reports.
  ///
  /// - Parameters:
  ///   - known: trackers that this node published before: they keep their slots.
  ///   - mostTrackers: the maximum number of trackers.
  public init(known: [TrackerName], mostTrackers: Int, now: Instant) {
    self.mostTrackers = mostTrackers
    for name in known.prefix(mostTrackers) {
      trackers[name] = Tracker(now: now)
    }
  }

  /// Returns the alarm that begins with a report, whatever became of its position; nil for an
  /// unknown tracker.
  public mutating func beginningAlarm(of report: TrackerReport) -> TrackerAlarm? {
    trackers[report.tracker] == nil ? nil : alarms.take(report)
  }

  /// Takes the alarm of the next report as a new one: the last could not be stored.
  public mutating func forgetAlarm(of tracker: TrackerName) { alarms.forget(tracker) }

  /// The number of known trackers.
  public var count: Int { trackers.count }

  /// Validates a report.
  public mutating func take(_ report: TrackerReport, now: ClockReading) -> Answer {
    var tracker: Tracker
    if let known = trackers[report.tracker] {
      tracker = known
    } else {
      guard trackers.count < mostTrackers else { return .tooMany }
      tracker = Tracker(now: now.instant)
    }
    guard tracker.limiter.take(Self.millisecondsPerFix, now: now.instant) else { return .tooFast }
    defer { trackers[report.tracker] = tracker }
    do throws(FixRefusal) {
      let admitted = try tracker.gate.admit(
        report.fix.position, accuracyDecimetres: report.fix.accuracyDecimetres,
        time: report.fix.sampleTime, from: .tracker, now: now.wall)
      return .taken(admitted.fix, isLate: tracker.gate.isLate(admitted.fix))
    } catch {
      return .refused(error)
    }
  }
}
