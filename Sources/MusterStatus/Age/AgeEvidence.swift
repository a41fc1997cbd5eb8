public import MusterModel

/// The evidence by which one observer determines the age of other devices' records, and when
/// deadlines pass, without trusting any wall clock.
///
/// All times are milliseconds of the observer's boot clock in its present boot, never negative;
/// what it received in an earlier boot counts as received at 0. There are three sources, none of
/// which a third party can forge:
///
/// ```
///   arrival here               ─▶ not later than
///   own anchor, through echoes ─▶ not earlier than   ┐ of the record
///   other stamps of the device ─▶ both               ┘ (its own signature)
/// ```
///
/// A relay can delay and withhold records; then the upper bound of the age grows. A member can sign
/// false stamps and echoes; they affect only the member's own age. This type decides no status,
/// reads no clock, and does not detect a device that gives false evidence about itself.
public struct AgeEvidence: Sendable {
  private let observer: DeviceID
  private var history: StampHistory
  private var devices: [DeviceID: DeviceEvidence] = [:]
  /// What comes back of the observer itself, which lacks it: its disk was restored, or another
  /// device has its key.
  private var returned = DeviceEvidence(bootLimit: DeviceEvidence.ownBootLimit)
  private var ownNewest: Int64?
  private var ownAnchoredAt: Int64 = .min
  /// When each tracker of the observer was last in contact: at most `Limits.trackersPerDevice`.
  private var contacts: [DeviceID: Int64] = [:]

  /// Starts empty at each boot of the observer.
  public init(observer: DeviceID) {
    self.observer = observer
    history = StampHistory(observer: observer)
  }

  /// Inserts a stamped record of the observer itself. `time` MUST have been read before it was
  /// signed.
  public mutating func insertOwn(_ id: StampedRecordID, isAnchor: Bool, at time: Int64) {
    ownNewest = max(ownNewest ?? time, time)
    guard isAnchor else { return }
    history.insertOwn(id, at: time)
    ownAnchoredAt = time
  }

  /// Inserts a contact of the observer with one of its trackers, which needs no record.
  public mutating func insertContact(with tracker: DeviceID, at time: Int64) {
    contacts[tracker] = time
  }

  /// Returns the observer's last contact with one of its trackers since its start; nil without one.
  public func contact(with tracker: DeviceID) -> Span? {
    contacts[tracker].map { Span(earliest: $0, latest: $0) }
  }

  /// Inserts a verified record on its first arrival. Returns the interval in which it was made, and
  /// a fault if the device's stamps contradict each other. Records that arrived before the
  /// observer's present boot are inserted with `now` = 0.
  ///
  /// What comes back of the observer itself has no lower bound and no fault: it may be of a thief
  /// of its key. Its stamps bound it from above, so that its own alarms are not late.
  public mutating func insert(
    _ record: StampedRecord, at now: Int64
  ) -> (made: Span, fault: ClockFault?) {
    guard record.author != observer else { return (insertReturned(record, at: now), nil) }
    let isKnown = history.contains(record.id)
    let direct = history.insert(record, at: now)
    var fault: ClockFault?
    if !isKnown {
      fault = devices[record.author, default: DeviceEvidence()]
        .insert(record, at: direct, now: now)
    }
    let made = date(record.stamp, of: record.author).flatMap(direct.intersection)
    return (made ?? direct, fault)
  }

  private mutating func insertReturned(_ record: StampedRecord, at now: Int64) -> Span {
    let arrival = Span.notAfter(now)
    // Upper bounds alone never contradict each other.
    _ = returned.insert(record, at: arrival, now: now)
    return returned.time(of: record.stamp).flatMap(arrival.intersection) ?? arrival
  }

  /// Returns when a stamp was made, by the current knowledge of its boot; nil if unknown. The
  /// result may be narrower than on arrival: callers intersect both.
  public func date(_ stamp: Stamp, of device: DeviceID) -> Span? {
    (device == observer ? returned : devices[device])?.time(of: stamp)
  }

  /// Returns when the newest stamped record of a device was made; nil if none arrived.
  public func newest(of device: DeviceID) -> Span? {
    if device == observer { return ownNewest.map { Span(earliest: $0, latest: $0) } }
    return devices[device]?.newest
  }

  /// Returns the age of the newest evidence of a device; nil if none with a stamp arrived. The
  /// upper bound decides `noContact`.
  public func age(of device: DeviceID, at now: Int64) -> Span? {
    newest(of: device)?.age(at: now)
  }

  /// Returns the candidates for echoes of the observer's next anchor: the newest anchor of each
  /// other device.
  public func candidates(isCommand: (DeviceID) -> Bool) -> [EchoCandidate] {
    devices.compactMap { device, evidence in
      evidence.anchor.map {
        EchoCandidate(
          id: $0.id, isCommand: isCommand(device), isNew: $0.receivedAt >= ownAnchoredAt)
      }
    }.sorted { $0.id < $1.id }
  }

  /// Returns the device whose newest anchor this is; nil for any other id.
  public func author(of id: StampedRecordID) -> DeviceID? {
    devices.first { $0.value.anchor?.id == id }?.key
  }

  /// Whether an anchor is remembered.
  public func isRemembered(_ id: StampedRecordID) -> Bool { history.contains(id) }

  /// When the newest remembered anchor of an author arrived.
  public func newestArrival(of author: DeviceID) -> Int64? { history.newestArrival(of: author) }

  /// The number of remembered anchors, of all authors.
  public var anchorCount: Int { history.count }

  /// Returns the anchors forgotten since the last call.
  public mutating func takeForgotten() -> [StampedRecordID] { history.takeForgotten() }

  /// Forgets the anchors older than 24 h.
  public mutating func expire(at now: Int64) { history.expire(at: now) }

  /// Traps if an invariant does not hold.
  public func checkInvariants() { history.checkInvariants() }
}
