public import MusterModel

/// A device's stamps contradict each other: its boot clock jumped, it was resumed from a snapshot,
/// or two devices use its key. Shown to command as an alert.
public struct ClockFault: Hashable, Sendable {
  /// The device whose stamps contradict.
  public let device: DeviceID
  /// The boot of the stamps.
  public let boot: BootID
}

/// What an observer knows of one device's stamps: for each of its last boots the clock difference
/// and the newest stamp.
///
/// Invariants: at most `bootLimit` boots, and at least one after the first record; the newest
/// evidence of a forgotten boot stays in `forgotten`.
struct DeviceEvidence: Sendable {
  /// Of another device.
  static let bootLimit = 4
  /// Of the observer itself: after a restore, all that it wrote since the backup comes back.
  static let ownBootLimit = 64

  private struct Boot {
    let id: BootID
    var offset: BootOffset
    var newest: Int64
    var newestSpan: Span
    var receivedAt: Int64

    var time: Span {
      let time = offset.time(of: newest)
      return time.intersection(newestSpan) ?? newestSpan
    }
  }

  private let bootLimit: Int
  private var boots: [Boot] = []
  private var forgotten: Span?
  /// The device's newest anchor, which others echo.
  private(set) var anchor: (id: StampedRecordID, receivedAt: Int64)?

  init(bootLimit: Int = Self.bootLimit) { self.bootLimit = bootLimit }

  /// Inserts a record that was made within `time`; returns a fault if it contradicts the others.
  mutating func insert(_ record: StampedRecord, at time: Span, now: Int64) -> ClockFault? {
    let (id, stamp) = (record.stamp.boot, record.stamp.milliseconds)
    var fault: ClockFault?
    var isNewest = true
    if let index = boots.firstIndex(where: { $0.id == id }) {
      if boots[index].offset.narrow(stamp: stamp, at: time) {
        isNewest = stamp >= boots[index].newest
      } else {
        fault = ClockFault(device: record.author, boot: id)
      }
      if isNewest {
        let known = stamp == boots[index].newest ? boots[index].newestSpan : time
        boots[index].newestSpan = known.intersection(time) ?? time
        boots[index].newest = stamp
      }
      boots[index].receivedAt = max(boots[index].receivedAt, now)
    } else {
      makeRoom()
      boots.append(
        Boot(
          id: id, offset: BootOffset(stamp: stamp, at: time), newest: stamp, newestSpan: time,
          receivedAt: now))
    }
    if isNewest, record.echoes != nil { anchor = (record.id, now) }
    return fault
  }

  /// When the newest stamped record was made.
  var newest: Span? {
    boots.reduce(forgotten) { known, boot in known.map { $0.later(boot.time) } ?? boot.time }
  }

  /// Returns when a stamp was made; nil if its boot is unknown.
  func time(of stamp: Stamp) -> Span? {
    boots.first { $0.id == stamp.boot }?.offset.time(of: stamp.milliseconds)
  }

  private mutating func makeRoom() {
    guard boots.count >= bootLimit,
      let oldest = boots.indices.min(by: { boots[$0].receivedAt < boots[$1].receivedAt })
    else { return }
    let time = boots.remove(at: oldest).time
    forgotten = forgotten.map { $0.later(time) } ?? time
  }
}
