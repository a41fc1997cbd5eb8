internal import MusterModel

/// Finds the sightings of the devices whose daily keys were published.
///
/// Only keys count whose day has ended more than two hours ago, and only sightings within two hours
/// of the interval of their identifier. So the identifiers of a published key no longer count when
/// they are advertised: its readers cannot impersonate its owner.
public struct ExposureMatch: Sendable {
  /// Why a key does not count.
  public enum Refusal: String, Error, CaseIterable, Sendable {
    case notEnded = "its day has not ended two hours ago"
    case expired = "older than the log"
    case tooMany = "too many keys"
  }

  /// The sightings that match, by notice and by the day of the key.
  public struct Exposure: Hashable, Sendable {
    /// The number of the notice that contains the key.
    public let notice: Int
    /// The first interval of the day.
    public let day: ProximityInterval
    /// The time near the devices, in seconds.
    public var seconds: Int
    /// The strongest signal in dBm.
    public var rssi: Int8
  }

  private struct Expected {
    let interval: ProximityInterval
    let notice: Int
  }

  private struct Place: Hashable {
    let notice: Int
    let day: ProximityInterval
  }

  private var expected: [Bytes16: Expected] = [:]
  private var found: [Place: Exposure] = [:]
  /// The intervals in which sightings of the keys count, by day.
  private var days: Set<ClosedRange<UInt32>> = []
  private var keys = 0
  private let now: ProximityInterval

  /// Creates a match run.
  public init(now: ProximityInterval) { self.now = now }

  /// Adds a published key. Of equal keys of several notices, that of the first one counts.
  ///
  /// - Parameter notice: any number, by which the exposures are grouped.
  public mutating func add(_ key: DailyKey, of notice: Int) throws(Refusal) {
    guard key.hasEnded(at: now) else { throw .notEnded }
    guard key.dayStart >= ProximityInterval.oldestKept(at: now).dayStart else { throw .expired }
    guard keys < ProximityLimits.keysPerMatch else { throw .tooMany }
    keys += 1
    days.insert(key.dayStart.matchRange)
    for (offset, identifier) in key.identifiers().enumerated() where expected[identifier] == nil {
      expected[identifier] = Expected(
        interval: ProximityInterval(number: key.dayStart.number + UInt32(offset)), notice: notice)
    }
  }

  /// Whether a log of an interval can match: others need not be read.
  public func concerns(_ interval: ProximityInterval) -> Bool {
    days.contains { $0.contains(interval.number) }
  }

  /// Compares a log with the keys.
  public mutating func search(_ log: IntervalLog) {
    guard !expected.isEmpty else { return }
    log.forEachEntry { identifier, entry in
      guard let match = expected[identifier] else { return }
      let (one, other) = (match.interval.number, log.interval.number)
      guard max(one, other) - min(one, other) <= ProximityLimits.matchIntervals else { return }
      let place = Place(notice: match.notice, day: match.interval.dayStart)
      var exposure =
        found[place]
        ?? Exposure(notice: place.notice, day: place.day, seconds: 0, rssi: entry.rssi)
      // A device that was received once counts for a minute.
      exposure.seconds += max(60, Int(entry.lastSecond) - Int(entry.firstSecond))
      exposure.rssi = max(exposure.rssi, entry.rssi)
      found[place] = exposure
    }
  }

  /// What was found, by notice, oldest day first.
  public var exposures: [Exposure] {
    found.values.sorted { ($0.notice, $0.day) < ($1.notice, $1.day) }
  }
}

extension DailyKey {
  /// Whether its identifiers no longer count when they are received: its day has ended, and the two
  /// hours after it.
  public func hasEnded(at now: ProximityInterval) -> Bool {
    now.number > dayStart.matchRange.upperBound
  }
}

extension ProximityInterval {
  /// The intervals in which a sighting of an identifier of this day counts.
  fileprivate var matchRange: ClosedRange<UInt32> {
    let margin = ProximityLimits.matchIntervals
    return (number - min(number, margin))...(number + Self.perDay - 1 + margin)
  }
}
