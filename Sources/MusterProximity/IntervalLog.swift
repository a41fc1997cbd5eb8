public import MusterModel

/// The sightings of one interval, one entry for each identifier.
///
/// A thousand lines about one device in ten minutes are one entry. A full interval accepts no
/// further identifiers, so that a scanner, or an attacker who advertises many, cannot grow it.
public struct IntervalLog: Hashable, Sendable {
  /// What was received of one identifier in one interval.
  public struct Entry: Hashable, Sendable {
    /// The strongest signal in dBm.
    public var rssi: Int8
    /// The first sighting, in seconds from the start of the interval.
    public var firstSecond: UInt16
    /// The last sighting, likewise.
    public var lastSecond: UInt16
    fileprivate var nameIndex: UInt8
  }

  /// The interval.
  public let interval: ProximityInterval
  private var known: [Bytes16: Entry] = [:]
  private var names: [String] = []

  /// Creates an empty log.
  public init(_ interval: ProximityInterval) { self.interval = interval }

  /// The entries, by identifier.
  public var entries: [(identifier: Bytes16, entry: Entry)] {
    known.map { (identifier: $0.key, entry: $0.value) }.sorted { $0.identifier < $1.identifier }
  }

  /// Passes each entry, in no order: the result MUST NOT depend on it.
  func forEachEntry(_ body: (Bytes16, Entry) -> Void) {
    for (identifier, entry) in known { body(identifier, entry) }
  }

  /// The number of identifiers.
  public var count: Int { known.count }

  /// Returns the entry of an identifier; nil if it was not received.
  public func entry(of identifier: Bytes16) -> Entry? { known[identifier] }

  /// Returns the name of an entry of this log; empty for none.
  public func name(of entry: Entry) -> String {
    entry.nameIndex == 0 ? "" : names[Int(entry.nameIndex) - 1]
  }

  /// Adds a sighting of this interval. Returns whether an entry changed.
  @discardableResult
  public mutating func add(_ sighting: Sighting) throws(Sighting.Fault) -> Bool {
    let offset = sighting.time.milliseconds - interval.start.milliseconds
    guard (0..<ProximityInterval.milliseconds).contains(offset) else { throw .time }
    let second = UInt16(offset / 1000)
    guard let before = known[sighting.identifier] else {
      guard known.count < ProximityLimits.identifiersPerInterval else { throw .full }
      known[sighting.identifier] = Entry(
        rssi: sighting.rssi, firstSecond: second, lastSecond: second,
        nameIndex: index(of: sighting.name))
      return true
    }
    var entry = before
    entry.rssi = max(entry.rssi, sighting.rssi)
    entry.firstSecond = min(entry.firstSecond, second)
    entry.lastSecond = max(entry.lastSecond, second)
    if entry.nameIndex == 0 { entry.nameIndex = index(of: sighting.name) }
    known[sighting.identifier] = entry
    return entry != before
  }

  /// Returns the place of a name, from 1; 0 for no name, and once the interval has too many.
  private mutating func index(of name: String) -> UInt8 {
    guard !name.isEmpty else { return 0 }
    if let place = names.firstIndex(of: name) { return UInt8(place + 1) }
    guard names.count < ProximityLimits.namesPerInterval else { return 0 }
    names.append(name)
    return UInt8(names.count)
  }
}

// MARK: - Storage

extension IntervalLog {
  private static let version: UInt8 = 1
  /// An identifier, a signal, two times in steps of three seconds, and a name.
  private static let entryBytes = 20
  private static let secondsPerStep: UInt16 = 3

  /// The longest encoding.
  public static let mostBytes =
    11 + entryBytes * ProximityLimits.identifiersPerInterval
    + (1 + ProximityLimits.nameBytes) * ProximityLimits.namesPerInterval

  /// The stored form, which is not encrypted: the caller MUST seal it. Times are rounded down to
  /// three seconds.
  public var encoded: [UInt8] {
    var writer = ByteWriter(reservingCapacity: Self.mostBytes)
    writer.append(Self.version)
    writer.append(interval.number)
    writer.append(UInt8(names.count))
    for name in names {
      writer.append(UInt8(name.utf8.count))
      writer.append(fixed: Array(name.utf8))
    }
    writer.append(UInt16(known.count))
    for (identifier, entry) in entries {
      writer.append(identifier)
      writer.append(entry.rssi)
      writer.append(UInt8(entry.firstSecond / Self.secondsPerStep))
      writer.append(UInt8(entry.lastSecond / Self.secondsPerStep))
      writer.append(entry.nameIndex)
    }
    return writer.bytes
  }

  /// Reads a stored form.
  public init(encoded: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(encoded)
    guard try reader.integer(UInt8.self) == Self.version else { throw .invalid("version") }
    self.init(ProximityInterval(number: try reader.integer(UInt32.self)))
    let nameCount = Int(try reader.integer(UInt8.self))
    guard nameCount <= ProximityLimits.namesPerInterval else { throw .invalid("names") }
    for _ in 0..<nameCount {
      let bytes = try reader.fixed(Int(try reader.integer(UInt8.self)))
      guard let name = String(validating: bytes, as: UTF8.self) else { throw .invalid("name") }
      names.append(name)
    }
    let count = Int(try reader.integer(UInt16.self))
    guard count <= ProximityLimits.identifiersPerInterval else { throw .invalid("count") }
    known.reserveCapacity(count)
    for _ in 0..<count {
      let identifier = try reader.bytes16()
      let rssi = try reader.integer(Int8.self)
      let (first, last) = (try reader.integer(UInt8.self), try reader.integer(UInt8.self))
      let nameIndex = try reader.integer(UInt8.self)
      guard first <= last, last < 200, Int(nameIndex) <= names.count else {
        throw .invalid("entry")
      }
      known[identifier] = Entry(
        rssi: rssi, firstSecond: UInt16(first) * Self.secondsPerStep,
        lastSecond: UInt16(last) * Self.secondsPerStep, nameIndex: nameIndex)
    }
    try reader.expectEnd()
  }
}
