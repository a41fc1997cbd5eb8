internal import MusterModel
internal import MusterProximity

/// Whether this device records, and its daily keys.
struct ProximityOwn: Hashable, Sendable {
  /// Whether sightings are recorded while a source runs.
  private(set) var isOn: Bool
  /// By day, oldest first.
  private(set) var keys: [DailyKey] = []

  private static let version: UInt8 = 1
  /// More than the days of a log, for the days of a clock that was wrong.
  private static let mostKeys = 60

  init(isOn: Bool = true) { self.isOn = isOn }

  mutating func turn(_ isOn: Bool) { self.isOn = isOn }

  /// Returns the key of a day, if it is stored.
  func key(of day: ProximityInterval) -> DailyKey? { keys.first { $0.dayStart == day } }

  /// Adds a key. Beyond the limit, the oldest of the others is removed.
  mutating func add(_ key: DailyKey) {
    keys = (keys.filter { $0.dayStart != key.dayStart }.suffix(Self.mostKeys - 1) + [key])
      .sorted { $0.dayStart < $1.dayStart }
  }

  /// Removes the keys of days outside a range.
  mutating func keep(only range: ClosedRange<ProximityInterval>) {
    keys.removeAll { $0.dayStart < range.lowerBound.dayStart || $0.dayStart > range.upperBound }
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.version)
    writer.append(isOn ? 1 : 0 as UInt8)
    writer.append(UInt8(keys.count))
    for key in keys {
      writer.append(key.dayStart.number)
      writer.append(fixed: key.bytes)
    }
    return writer.bytes
  }

  init(encoded: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(encoded)
    guard try reader.integer(UInt8.self) == Self.version else { throw .invalid("version") }
    isOn = try reader.integer(UInt8.self) == 1
    for _ in 0..<(try reader.integer(UInt8.self)) {
      let day = ProximityInterval(number: try reader.integer(UInt32.self))
      guard let key = DailyKey(bytes: try reader.fixed(DailyKey.byteCount), dayStart: day) else {
        throw .invalid("key")
      }
      keys.append(key)
    }
    try reader.expectEnd()
  }
}
