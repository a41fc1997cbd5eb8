public import MusterModel

/// The evidence by which one observer judges how old what it knows of others is, and when deadlines
/// pass, without trusting anybody's wall clock.
///
/// All times are milliseconds of the observer's boot clock in its present boot, never negative;
/// what it received in an earlier boot was received at 0. Three sources, of which none can be
/// forged by a third person:
///
/// ```
///   arrival here               ─▶ not later than
///   own anchor, through echoes ─▶ not earlier than   ┐ of the record
///   other stamps of the device ─▶ both               ┘ (its own signature)
/// ```
///
/// A relay can delay and withhold records; then the upper bound of the age grows. A member can sign
/// false stamps and echoes; they change the member's own age alone. What this type does not do: it
/// decides no status, it reads no clock, and it does not detect a device that lies about itself.
public struct AgeEvidence: Sendable {
  private let observer: DeviceID
  private var history: StampHistory
  private var devices: [DeviceID: DeviceEvidence] = [:]
  private var ownNewest: Int64?
  private var ownAnchoredAt: Int64 = .min

  /// Starts with nothing, at each boot of the observer.
  public init(observer: DeviceID) {
    self.observer = observer
    history = StampHistory(observer: observer)
  }

  /// Takes a stamped record of the observer's own. `time` MUST have been read before it was signed.
  public mutating func insertOwn(_ id: StampedRecordID, isAnchor: Bool, at time: Int64) {
    ownNewest = max(ownNewest ?? time, time)
    guard isAnchor else { return }
    history.insertOwn(id, at: time)
    ownAnchoredAt = time
  }

  /// Takes a record whose signature was verified, when it first arrives, and returns when it was
  /// made and a fault if the device's stamps contradict each other. Records that arrived before the
  /// observer's present boot are given with `now` = 0.
  public mutating func insert(
    _ record: StampedRecord, at now: Int64
  ) -> (made: Span, fault: ClockFault?) {
    guard record.author != observer else { return (.notAfter(now), nil) }
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

  /// When a stamp was made, by what is known of its boot now; nil if that is nothing. It may know
  /// more than at the arrival: callers intersect both.
  public func date(_ stamp: Stamp, of device: DeviceID) -> Span? {
    devices[device]?.time(of: stamp)
  }

  /// When the newest stamped record of a device was made; nil if none arrived.
  public func newest(of device: DeviceID) -> Span? {
    if device == observer { return ownNewest.map { Span(earliest: $0, latest: $0) } }
    return devices[device]?.newest
  }

  /// How old the newest evidence of a device is; nil if none with a stamp arrived. The upper bound
  /// counts for `noContact`.
  public func age(of device: DeviceID, at now: Int64) -> Span? {
    newest(of: device)?.age(at: now)
  }

  /// What the observer's next anchor may echo: the newest anchor of each other device.
  public func candidates(isCommand: (DeviceID) -> Bool) -> [EchoCandidate] {
    devices.compactMap { device, evidence in
      evidence.anchor.map {
        EchoCandidate(
          id: $0.id, isCommand: isCommand(device), isNew: $0.receivedAt >= ownAnchoredAt)
      }
    }.sorted { $0.id < $1.id }
  }

  /// Whose newest anchor it is; nil if it is nobody's.
  public func author(of id: StampedRecordID) -> DeviceID? {
    devices.first { $0.value.anchor?.id == id }?.key
  }

  /// Whether an anchor is remembered.
  public func isRemembered(_ id: StampedRecordID) -> Bool { history.contains(id) }

  /// How many anchors are remembered, of all authors.
  public var anchorCount: Int { history.count }

  /// Names the anchors that were forgotten since the last call.
  public mutating func takeForgotten() -> [StampedRecordID] { history.takeForgotten() }

  /// Forgets the anchors that are older than 24 h.
  public mutating func expire(at now: Int64) { history.expire(at: now) }

  /// Traps if an invariant does not hold.
  public func checkInvariants() { history.checkInvariants() }
}
