internal import MusterModel

/// Finds the sightings of the devices whose daily keys were published.
///
/// Only keys of ended days count, and only sightings within two hours of the interval of their
/// identifier: a reader of a published key cannot advertise its identifiers with effect later.
public struct ExposureMatch: Sendable {
  /// Why a key does not count.
  public enum Refusal: String, Error, CaseIterable, Sendable {
    case notEnded = "its day has not ended"
    case expired = "older than the log"
    case tooMany = "too many keys"
  }

  /// The sightings that match, by the day of the key.
  public struct Exposure: Hashable, Sendable {
    /// The first interval of the day.
    public let day: ProximityInterval
    /// The time near the devices, in seconds.
    public var seconds: Int
    /// The strongest signal in dBm.
    public var rssi: Int8
  }

  private var expected: [Bytes16: ProximityInterval] = [:]
  private var found: [ProximityInterval: Exposure] = [:]
  private var keys = 0
  private let now: ProximityInterval

  /// Creates a match run.
  public init(now: ProximityInterval) { self.now = now }

  /// Adds a published key.
  public mutating func add(_ key: DailyKey) throws(Refusal) {
    guard key.dayStart < now.dayStart else { throw .notEnded }
    guard key.dayStart >= ProximityInterval.oldestKept(at: now).dayStart else { throw .expired }
    guard keys < ProximityLimits.keysPerMatch else { throw .tooMany }
    keys += 1
    for (offset, identifier) in key.identifiers().enumerated() {
      expected[identifier] = ProximityInterval(number: key.dayStart.number + UInt32(offset))
    }
  }

  /// Compares a log with the keys.
  public mutating func search(_ log: IntervalLog) {
    guard !expected.isEmpty else { return }
    log.forEachEntry { identifier, entry in
      guard let interval = expected[identifier] else { return }
      let distance = max(interval, log.interval).number - min(interval, log.interval).number
      guard distance <= ProximityLimits.matchIntervals else { return }
      let day = interval.dayStart
      var exposure = found[day] ?? Exposure(day: day, seconds: 0, rssi: entry.rssi)
      // A device that was received once counts for a minute.
      exposure.seconds += max(60, Int(entry.lastSecond) - Int(entry.firstSecond))
      exposure.rssi = max(exposure.rssi, entry.rssi)
      found[day] = exposure
    }
  }

  /// What was found, oldest day first.
  public var exposures: [Exposure] { found.values.sorted { $0.day < $1.day } }
}
