internal import MusterLocation
internal import MusterModel
internal import MusterProximity
internal import MusterReplica

/// The proximity log of a node: from the lines of a scanner, or the advertisements that the
/// Bluetooth adapter received, to the sealed files of intervals.
///
/// Sightings of the last day are aggregated in memory and written at most once a minute, so that
/// the number of lines decides neither the memory nor the disk.
struct ProximityRecorder: Sendable {
  let folder: ProximityFolder
  private let warn: @Sendable (String) -> Void
  /// The intervals of the last day that received sightings, and those that are not written yet.
  private var logs: [ProximityInterval: IntervalLog] = [:]
  private var changed: Set<ProximityInterval> = []
  private var due: Instant?
  private var own: ProximityOwn?
  private var source: (name: String, state: SourceState, isDatagrams: Bool)?
  /// The last report of the Bluetooth adapter; nil before the first since it was switched on.
  private var radio: RadioReport?
  /// The clocks at the first write, or when the wall clock last jumped.
  private var reference: ClockReading?
  private var counted: UInt64 = 0
  private var refused: [String: UInt64] = [:]

  private static let writeEveryMilliseconds: Int64 = 60_000
  /// A larger difference between the advances of the wall clock and of the steady clock is a jump.
  private static let jumpMilliseconds: Int64 = 3_600_000
  /// Nothing is deleted until the wall clock has not jumped for this time.
  private static let settleMilliseconds: Int64 = 600_000
  /// The bytes that accompany an identifier: version 1.0, and no transmission power.
  private static let metadata: [UInt8] = [0x40, 0, 0, 0]

  init(_ folder: ProximityFolder, warn: @escaping @Sendable (String) -> Void = { _ in }) {
    self.folder = folder
    self.warn = warn
  }

  // MARK: Recording

  /// Sets the name of the source. MUST be called before its first event.
  mutating func listen(to name: String, byDatagrams isDatagrams: Bool) {
    source = (name, .waiting, isDatagrams)
  }

  /// Updates the state of the source. Returns its name if the state changed.
  mutating func change(to state: SourceState) -> String? {
    guard let known = source, known.state != state else { return nil }
    source?.state = state
    return known.name
  }

  /// Processes lines of a scanner, or a change of its state, which it returns as a text.
  mutating func process(_ event: LineEvent, now: ClockReading) -> String? {
    switch event {
    case .state(let state): return change(to: state).map { "\($0): \(state.rawValue)" }
    case .lines(let lines):
      take(lines, wall: now.wall)
      save(now: now)
      return nil
    }
  }

  /// Writes what has changed, if that is due or the node stops. A failed write is tried again.
  mutating func save(now: ClockReading, isLast: Bool = false) {
    do {
      if isLast { try write(now: now) } else { try writeIfDue(now: now) }
    } catch {
      warn("the proximity log could not be written: \(error)")
    }
  }

  /// Counts the lines of a scanner; nil for a line that was too long.
  mutating func take(_ lines: [[UInt8]?], wall: Timestamp) {
    for line in lines {
      count(wall: wall) { () throws(Sighting.Fault) in
        guard let line else { throw .tooLong }
        return try Sighting(line: line, arrival: wall)
      }
    }
  }

  /// Counts what the Bluetooth adapter received, and keeps its state.
  mutating func take(_ report: RadioReport, now: ClockReading) {
    radio = report
    radio?.received = []
    for one in report.received {
      count(wall: now.wall) { () throws(Sighting.Fault) in
        Sighting(identifier: one.identifier, name: one.name, rssi: one.rssi, time: now.wall)
      }
    }
    save(now: now)
  }

  private mutating func count(
    wall: Timestamp, _ read: () throws(Sighting.Fault) -> Sighting
  ) {
    do throws(Sighting.Fault) {
      guard current().isOn else { throw .paused }
      try add(read(), wall: wall)
      counted += 1
    } catch {
      refused[error.rawValue, default: 0] += 1
    }
  }

  private mutating func add(_ sighting: Sighting, wall: Timestamp) throws(Sighting.Fault) {
    let age = wall.milliseconds(since: sighting.time)
    guard agesAccepted.contains(age),
      let interval = ProximityInterval(containing: sighting.time)
    else { throw .time }
    if logs[interval] == nil { logs[interval] = stored(interval) ?? IntervalLog(interval) }
    if try logs[interval]?.add(sighting) == true { changed.insert(interval) }
  }

  /// In milliseconds before now. Datagrams are not authenticated: they fill neither past intervals
  /// nor coming ones.
  private var agesAccepted: ClosedRange<Int64> {
    if source?.isDatagrams == true {
      return -ProximityLimits.datagramMilliseconds...ProximityLimits.datagramMilliseconds
    }
    let day = Int64(ProximityInterval.perDay) * ProximityInterval.milliseconds
    return -ProximityLimits.aheadMilliseconds...day
  }

  /// An interval whose file cannot be read starts empty.
  private func stored(_ interval: ProximityInterval) -> IntervalLog? {
    do {
      return try folder.log(of: interval)
    } catch {
      return nil
    }
  }

  /// Deletes what is out of date, and writes what changed, if that is due.
  mutating func writeIfDue(now: ClockReading) throws {
    if let due, now.instant < due { return }
    due = now.instant.advanced(byMilliseconds: Self.writeEveryMilliseconds)
    try write(now: now)
  }

  /// Deletes what is out of date, and writes what changed. A failure does not stop the rest: the
  /// last one is thrown at the end.
  mutating func write(now: ClockReading) throws {
    var failure: (any Error)?
    let current = ProximityInterval(containing: now.wall)
    if isSettled(now), let current {
      do { try delete(at: current) } catch { failure = error }
    }
    for interval in changed.sorted() {
      guard let log = logs[interval] else { continue }
      do throws(HomeError) {
        try folder.store(log)
        changed.remove(interval)
      } catch {
        failure = error
      }
    }
    if let current {
      logs = logs.filter {
        $0.key.number.distance(to: current.number).magnitude <= ProximityInterval.perDay
      }
      changed.formIntersection(logs.keys)
    }
    if let failure { throw failure }
  }

  /// Returns whether the wall clock has advanced like the steady one for long enough to delete by
  /// it. A wrong clock is often corrected soon after the start.
  private mutating func isSettled(_ now: ClockReading) -> Bool {
    guard let reference else {
      self.reference = now
      return false
    }
    let elapsed = now.instant.milliseconds(since: reference.instant)
    let expected = Timestamp(milliseconds: reference.wall.milliseconds &+ elapsed)
    let jump = now.wall.milliseconds(since: expected)
    guard (-Self.jumpMilliseconds...Self.jumpMilliseconds).contains(jump) else {
      self.reference = now
      return false
    }
    return elapsed >= Self.settleMilliseconds
  }

  private mutating func delete(at now: ProximityInterval) throws {
    let before = current()
    let range = ProximityInterval.kept(at: now, days: before.days)
    var failure: (any Error)?
    do { try folder.keep(only: range) } catch { failure = error }
    var after = before
    after.keep(only: range)
    if after != before { try keep(after) }
    if let failure { throw failure }
  }

  // MARK: Commands

  mutating func reply(
    to command: ProximityCommand, now: ClockReading
  ) throws -> ProximityReply {
    do {
      try write(now: now)
    } catch {
      warn("the proximity log could not be written: \(error)")
    }
    switch command {
    case .status: return .status(try status(wall: now.wall))
    case .setOn(let isOn):
      radio = nil
      try set(isOn)
      return .status(try status(wall: now.wall))
    case .showName(let isShown):
      var own = current()
      own.showName(isShown)
      try keep(own)
      return .status(try status(wall: now.wall))
    case .keep(let days):
      var own = current()
      own.keep(days: days)
      try keep(own)
      return .status(try status(wall: now.wall))
    case .devices(let hours): return try devices(hours: hours, wall: now.wall)
    case .sessions: return .sessions(try sessions())
    case .own: return .own(OwnIdentity(try advertised(wall: now.wall)))
    case .consent, .send, .reportPositive, .withdrawReport, .notices, .review, .publish,
      .withdrawNotice:
      preconditionFailure("\(command) is performed by the node")
    }
  }

  private mutating func status(wall: Timestamp) throws -> ProximityStatus {
    let own = current()
    var status = ProximityStatus(
      scanning: scanning(own), advertising: advertising(own, wall: wall),
      source: source?.name ?? "", counted: counted, refused: refused,
      intervals: try folder.intervals().count)
    status.isOn = own.isOn && (own.usesRadio || source != nil)
    if own.usesRadio, let radio {
      (status.adapter, status.problem) = (radio.adapter, radio.problem)
    }
    (status.sendsSessions, status.sharesCount) = (own.sendsSessions, own.sharesCount)
    (status.showsName, status.days) = (own.showsName, Int(own.days))
    status.report = own.report.map {
      OwnReport(kind: $0.kind, text: $0.text, days: $0.keys.map(\.dayStart), isPublished: false)
    }
    return status
  }

  private func scanning(_ own: ProximityOwn) -> ProximityState {
    guard own.isOn else { return .off }
    if source?.state == .connected { return .on }
    if own.usesRadio, let radio, radio.scanning == .on || source == nil { return radio.scanning }
    return own.usesRadio || source != nil ? .unknown : .off
  }

  /// Another program may advertise the own identifier, if there is a key of today.
  private func advertising(_ own: ProximityOwn, wall: Timestamp) -> ProximityState {
    guard own.isOn else { return .off }
    if own.usesRadio { return radio?.advertising ?? .unknown }
    let today = ProximityInterval(containing: wall)?.dayStart
    return today.flatMap { own.key(of: $0) } == nil ? .off : .unknown
  }

  /// Reads the newest intervals first, until the list is full.
  private func devices(hours: Int, wall: Timestamp) throws -> ProximityReply {
    guard let now = ProximityInterval(containing: wall) else {
      return .devices([], isTruncated: false)
    }
    let span = UInt32(min(max(hours, 1), Int(ProximityLimits.days) * 24)) * 6
    let oldest = ProximityInterval(number: now.number < span ? 0 : now.number - span)
    var devices: [Bytes16: NearbyDevice] = [:]
    var isTruncated = false
    for interval in try folder.intervals().reversed() where interval >= oldest && !isTruncated {
      guard let log = try folder.log(of: interval) else { continue }
      let newest = log.entries.sorted { $0.entry.lastSecond > $1.entry.lastSecond }
      for (identifier, entry) in newest {
        let name = log.name(of: entry)
        let first = log.time(entry.firstSecond)
        guard var device = devices[identifier] else {
          guard devices.count < ProximityLimits.devicesPerList else {
            isTruncated = true
            break
          }
          devices[identifier] = NearbyDevice(
            identifier: identifier.hexadecimal, name: name, rssi: Int(entry.rssi), first: first,
            last: log.time(entry.lastSecond))
          continue
        }
        device.rssi = max(device.rssi, Int(entry.rssi))
        device.first = first
        if device.name.isEmpty { device.name = name }
        devices[identifier] = device
      }
    }
    return .devices(
      devices.values.sorted { ($1.last, $0.identifier) < ($0.last, $1.identifier) },
      isTruncated: isTruncated)
  }

  private mutating func sessions() throws -> [ProximitySession] {
    let own = current()
    return try spans().map { span in
      ProximitySession(
        start: span.first.start, end: ProximityInterval(number: span.end).start,
        identifiers: span.known.count, isSent: span.end <= own.sentThrough,
        isSynced: span.end <= own.receivedThrough)
    }
  }

  /// Returns the spans of time with devices nearby, the newest first. Reads the whole log.
  func spans() throws -> [ProximitySpan] {
    var spans: [ProximitySpan] = []
    for interval in try folder.intervals() {
      guard let log = try folder.log(of: interval) else { continue }
      if spans.last?.end != interval.number {
        spans.append(ProximitySpan(first: interval, end: interval.number))
      }
      let last = spans.count - 1
      spans[last].end = interval.number + 1
      for (identifier, entry) in log.entries {
        spans[last].known.insert(identifier)
        let name = log.name(of: entry)
        if !name.isEmpty, spans[last].names.count < Limits.namesPerSession {
          spans[last].names.insert(name)
        }
      }
    }
    return spans.reversed()
  }

  /// Whether the Bluetooth adapter is to scan and advertise.
  var usesRadio: Bool {
    mutating get {
      let own = current()
      return own.isOn && own.usesRadio
    }
  }

  /// Returns what is advertised now, without the name.
  mutating func advertised(wall: Timestamp) throws -> Advertised {
    var own = current()
    guard let now = ProximityInterval(containing: wall) else {
      throw NodeError.refused("this device's clock shows \(wall): set it")
    }
    if own.key(of: now.dayStart) == nil {
      let drawn = Array(systemSeed().prefix(DailyKey.byteCount))
      if let key = DailyKey(bytes: drawn, dayStart: now.dayStart) { own.add(key) }
      try keep(own)
    }
    guard let key = own.key(of: now.dayStart), let identifier = key.identifier(at: now),
      let metadata = key.metadata(Self.metadata, with: identifier)
    else { throw NodeError.refused("this device has no key for \(now.start)") }
    return Advertised(
      identifier: identifier.bytes, metadata: metadata, changesAt: now.end,
      days: own.keys.map(\.dayStart.start), showsName: own.showsName)
  }

  /// The choice applies until the next start even if it cannot be stored.
  private mutating func set(_ isOn: Bool) throws {
    var changed = current()
    changed.turn(isOn)
    own = changed
    do {
      try folder.store(changed)
    } catch {
      throw NodeError.refused(
        "recording is \(isOn ? "on" : "off") only until the node restarts: \(error)")
    }
  }

  /// A file that is unreadable or damaged may have been one that switched recording off.
  mutating func current() -> ProximityOwn {
    if let own { return own }
    let read: ProximityOwn
    do {
      read = try folder.own() ?? ProximityOwn()
    } catch {
      read = ProximityOwn(isOn: false)
      warn("devices nearby are not recorded until `muster proximity on`: \(error)")
    }
    own = read
    return read
  }

  mutating func keep(_ changed: ProximityOwn) throws(HomeError) {
    try folder.store(changed)
    own = changed
  }
}

/// What this device advertises at a moment.
struct Advertised {
  let identifier: [UInt8]
  let metadata: [UInt8]
  let changesAt: Timestamp
  /// The days whose keys are stored, oldest first.
  let days: [Timestamp]
  let showsName: Bool
}

extension OwnIdentity {
  init(_ advertised: Advertised) {
    let (identifier, metadata) = (advertised.identifier, advertised.metadata)
    self.init(
      identifier: identifier.map(\.twoDigits).joined(),
      serviceData: (identifier + metadata).map(\.twoDigits).joined(),
      changesAt: advertised.changesAt, days: advertised.days)
  }
}

extension IntervalLog {
  fileprivate func time(_ second: UInt16) -> Timestamp {
    Timestamp(milliseconds: interval.start.milliseconds + Int64(second) * 1000)
  }
}

extension Bytes16 {
  fileprivate var hexadecimal: String { bytes.map(\.twoDigits).joined() }
}

extension UInt8 {
  fileprivate var twoDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
