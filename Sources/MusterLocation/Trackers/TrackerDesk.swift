public import MusterGeo
public import MusterModel

/// Takes in what phones say, of many at once, and lets none of them take more than its share. Pure,
/// and bounded by the number of trackers, whose names anybody may make up who may send at all.
///
/// What it lets through is for the replica to publish. A phone chooses itself which of its fixes
/// are worth sending, so that the location filter has no say here.
public struct TrackerDesk: Sendable {
  /// A phone that comes back within reach brings what it kept, in one go.
  static let burst: Int64 = 300
  /// From then on one fix a second; phones send one in ten seconds or more.
  static let millisecondsPerFix: Int64 = 1000

  private struct Tracker {
    var gate = FixGate()
    var allowance: Int64
    var refilledAt: Instant

    mutating func refill(now: Instant) {
      let earned = max(0, now.milliseconds(since: refilledAt)) / millisecondsPerFix
      guard earned > 0 else { return }
      allowance = min(burst, allowance + min(earned, burst))
      refilledAt = refilledAt.advanced(byMilliseconds: earned * millisecondsPerFix)
    }
  }

  private let mostTrackers: Int
  private var trackers: [TrackerName: Tracker] = [:]

  /// What became of a report.
  public enum Answer: Hashable, Sendable {
    /// To be kept and, unless it is late, published.
    case taken(Fix, isLate: Bool)
    /// It cannot be true; sending it again is of no use.
    case refused(FixRefusal)
    /// Too many in too short a time: to be sent again later.
    case tooFast
    /// There is no room for another tracker.
    case tooMany
  }

  /// - Parameters:
  ///   - known: those that this node published earlier: they keep their places.
  ///   - mostTrackers: how many there may be in all.
  public init(known: [TrackerName], mostTrackers: Int, now: Instant) {
    self.mostTrackers = mostTrackers
    for name in known.prefix(mostTrackers) {
      trackers[name] = Tracker(allowance: Self.burst, refilledAt: now)
    }
  }

  /// How many have a place.
  public var count: Int { trackers.count }

  /// Judges a report.
  public mutating func take(_ report: TrackerReport, now: ClockReading) -> Answer {
    var tracker: Tracker
    if let known = trackers[report.tracker] {
      tracker = known
    } else {
      guard trackers.count < mostTrackers else { return .tooMany }
      tracker = Tracker(allowance: Self.burst, refilledAt: now.instant)
    }
    tracker.refill(now: now.instant)
    guard tracker.allowance > 0 else { return .tooFast }
    tracker.allowance -= 1
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
