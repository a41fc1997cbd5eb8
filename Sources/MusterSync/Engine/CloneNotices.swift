internal import MusterModel

/// A message to retransmit on every session of a device, since one of its clones may not know it.
struct CloneNotice: Sendable {
  /// The topic of an incarnation record; nil for the roots.
  let topic: RecordTopic?
  let device: DeviceID
  /// The session on which it was received. Its end already has it.
  let source: UInt32?
  var next: Instant
  var left = Timing.cloneNotices

  var intervalMilliseconds: Int64 {
    topic == nil ? Timing.rootsNoticeMilliseconds : Timing.cloneNoticeMilliseconds
  }
}

/// The messages to clones that are being retransmitted.
///
/// Invariant: at most `Limits.cloneNotices`, one for each topic, and one with the roots for each
/// device.
struct CloneNotices: Sendable {
  private var pending: [CloneNotice] = []

  var count: Int { pending.count }
  var next: Instant? { pending.map(\.next).min() }

  /// Whether the roots can be sent to the clones of a device: they are not being sent, and there is
  /// room.
  func hasRoomForRoots(of device: DeviceID) -> Bool {
    pending.count < Limits.cloneNotices
      && !pending.contains { $0.device == device && $0.topic == nil }
  }

  /// Adds the roots. The caller has asked `hasRoomForRoots`.
  mutating func addRoots(of device: DeviceID, from source: UInt32?, at next: Instant) {
    pending.append(CloneNotice(topic: nil, device: device, source: source, next: next))
  }

  /// Adds a record, in place of the last of its topic, or of the oldest message.
  mutating func add(
    _ topic: RecordTopic, of device: DeviceID, from source: UInt32?, at next: Instant
  ) {
    pending.removeAll { $0.topic == topic }
    if pending.count >= Limits.cloneNotices { pending.removeFirst() }
    pending.append(CloneNotice(topic: topic, device: device, source: source, next: next))
  }

  /// Returns what is due, and schedules its next retransmission, or removes it after the last.
  mutating func takeDue(at now: Instant) -> [CloneNotice] {
    var due: [CloneNotice] = []
    for index in pending.indices where pending[index].next <= now {
      due.append(pending[index])
      pending[index].left -= 1
      pending[index].next = now.advanced(byMilliseconds: pending[index].intervalMilliseconds)
    }
    pending.removeAll { $0.left == 0 }
    return due
  }
}
