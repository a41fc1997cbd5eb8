internal import MusterModel
internal import MusterProximity

/// A report, and what withdraws it.
private struct KeyedReport: Hashable {
  let notice: ExposureNotice
  /// Nil for a report that an earlier program made.
  let key: WithdrawalKey?
}

/// Whether this device records, what its owner agreed to, its report, and its daily keys.
struct ProximityOwn: Hashable, Sendable {
  /// Whether sightings are recorded while a source runs.
  private(set) var isOn: Bool
  /// Whether the Bluetooth adapter scans and advertises: never before the owner switched it on.
  private(set) var usesRadio = false
  /// Whether the owner's name is advertised with the identifier.
  private(set) var showsName = false
  /// The days that sightings and keys are kept, from 1 to `ProximityLimits.days`.
  private(set) var days = ProximityLimits.days
  /// Whether sessions are sent to command.
  private(set) var sendsSessions = false
  /// Whether command may count this person among those that a notice concerns.
  private(set) var sharesCount = false
  /// The last interval, exclusive, whose sessions were sent; 0 for none.
  private(set) var sentThrough: UInt32 = 0
  /// Likewise, the last one that a device of command acknowledged.
  private(set) var receivedThrough: UInt32 = 0
  /// The frame of the last note; zero before the first.
  private(set) var sentNote = Bytes16.zero
  private var reported: KeyedReport?
  /// The keys of withdrawn reports, newest last, at most `Limits.exposureWithdrawals`.
  private(set) var withdrawn: [WithdrawalKey] = []
  /// By day, oldest first.
  private(set) var keys: [DailyKey] = []

  private static let version: UInt8 = 4
  /// The form before keys of withdrawals.
  private static let thirdVersion: UInt8 = 3
  /// The form before exposures: no consents, no report.
  private static let firstVersion: UInt8 = 1
  /// More than the days of a log, for the days of a clock that was wrong.
  private static let mostKeys = 60

  init(isOn: Bool = true) { self.isOn = isOn }

  mutating func turn(_ isOn: Bool) { (self.isOn, usesRadio) = (isOn, isOn) }

  mutating func showName(_ isShown: Bool) { showsName = isShown }

  /// Sets the days that are kept, within the limit.
  mutating func keep(days: Int) { self.days = UInt32(min(max(days, 1), Int(ProximityLimits.days))) }

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

  /// Returns the keys that may be published at this moment, oldest first: those of the last days of
  /// a log whose identifiers no longer count when they are received.
  func keysToPublish(at now: ProximityInterval) -> [ExposureKey] {
    let oldest = ProximityInterval.oldestKept(at: now).dayStart
    return keys.filter { $0.dayStart >= oldest && $0.hasEnded(at: now) }
      .suffix(Limits.exposureDays).compactMap { key in
        Bytes16(key.bytes).map { ExposureKey(day: key.dayStart.number, key: $0) }
      }
  }

  /// Keeps a consent: to send sessions, or to be counted. Without the first, the next note has none
  /// of the sessions that were sent.
  mutating func agree(_ isGiven: Bool, toCount: Bool) {
    if toCount {
      sharesCount = isGiven
    } else {
      sendsSessions = isGiven
      if !isGiven { (sentThrough, receivedThrough) = (0, 0) }
    }
  }

  /// Replaces the report.
  ///
  /// - Parameter key: that of its id; nil if the id is that of the report before.
  mutating func report(_ notice: ExposureNotice, key: WithdrawalKey?) {
    reported = KeyedReport(notice: notice, key: key ?? reported?.key)
  }

  /// Records how far sessions were sent, and in which frame.
  mutating func sent(through interval: UInt32, as note: Bytes16) {
    (sentThrough, sentNote) = (interval, note)
    receivedThrough = min(receivedThrough, interval)
  }

  /// Records that command has a note. Only that of the last sending counts.
  mutating func acknowledge(_ note: Bytes16) {
    if note == sentNote { receivedThrough = sentThrough }
  }

  /// Withdraws the report. Returns false without one.
  mutating func withdraw() -> Bool {
    guard let reported else { return false }
    withdrawn = (withdrawn + [reported.key].compactMap(\.self)).suffix(Limits.exposureWithdrawals)
    self.reported = nil
    return true
  }

  /// The exposure that the owner reported and has not withdrawn.
  var report: ExposureNotice? { reported?.notice }

  // MARK: Stored form

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.version)
    for flag in [isOn, sendsSessions, sharesCount, usesRadio, showsName] {
      writer.append(flag ? 1 : 0 as UInt8)
    }
    writer.append(UInt8(days))
    writer.append(sentThrough)
    writer.append(receivedThrough)
    writer.append(sentNote)
    writer.append(lengthPrefixed: report?.encoded() ?? [])
    writer.append(lengthPrefixed: reported?.key?.bytes ?? [])
    writer.append(UInt8(withdrawn.count))
    for id in withdrawn { writer.append(id) }
    writer.append(UInt8(keys.count))
    for key in keys {
      writer.append(key.dayStart.number)
      writer.append(fixed: key.bytes)
    }
    return writer.bytes
  }

  init(encoded: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(encoded)
    let version = try reader.integer(UInt8.self)
    guard (Self.firstVersion...Self.version).contains(version) else { throw .invalid("version") }
    isOn = try reader.integer(UInt8.self) == 1
    if version > Self.firstVersion {
      sendsSessions = try reader.integer(UInt8.self) == 1
      sharesCount = try reader.integer(UInt8.self) == 1
      if version >= Self.thirdVersion {
        usesRadio = try reader.integer(UInt8.self) == 1
        showsName = try reader.integer(UInt8.self) == 1
        keep(days: Int(try reader.integer(UInt8.self)))
      }
      sentThrough = try reader.integer(UInt32.self)
      if version >= Self.thirdVersion {
        receivedThrough = try reader.integer(UInt32.self)
        sentNote = try reader.bytes16()
      }
      let stored = try reader.lengthPrefixed()
      let key = version > Self.thirdVersion ? try reader.lengthPrefixed() : []
      if !stored.isEmpty {
        reported = KeyedReport(
          notice: try ExposureNotice(decoding: stored), key: WithdrawalKey(bytes: key))
      }
      for _ in 0..<(try reader.integer(UInt8.self)) {
        withdrawn.append(try reader.identifier(WithdrawalKey.self))
      }
    }
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
