internal import MusterModel

/// When this device's next record is an anchor: one that echoes others and may be echoed.
///
/// An anchor a minute is enough to keep upper bounds of age close. A device that has just come to
/// know others anchors sooner, so that they know within seconds that it is in contact: for each
/// device that it has not echoed in the present boot of both, as long as its reserve of quick
/// anchors lasts.
///
/// Invariant: `quickLeft` is between 0 and `quickLimit`.
struct AnchorPacing: Sendable {
  /// Between two anchors, unless one is quick, or its record is always an anchor.
  static let intervalMilliseconds: Int64 = 60_000
  /// Up to so many devices; of more, each anchors less often.
  static let mostDevicesAtInterval = 200
  /// For each device, where there are more.
  static let millisecondsPerDevice: Int64 = 300
  /// After five anchors each, all pairs of sixty devices have upper bounds.
  static let quickLimit = 8
  /// A quick anchor comes back after so long.
  static let quickRefillMilliseconds: Int64 = 300_000

  private var newest: Int64?
  private var quickLeft = quickLimit
  private var refilledAt: Int64 = 0
  /// Devices whose anchors this one has echoed in its present boot, and in which boot of theirs:
  /// after a restart of their machine they know nothing of the echoes before.
  private var echoed: [DeviceID: BootID] = [:]
  /// Devices of which an anchor came, and none of that boot was echoed yet.
  private var waiting: [DeviceID: BootID] = [:]

  /// Whether others wait to be echoed, and a quick anchor may be made for them.
  func wantsQuickAnchor(at now: Int64) -> Bool {
    !waiting.isEmpty && (quickLeft > 0 || now - refilledAt >= Self.quickRefillMilliseconds)
  }

  /// Whether a record that is made now is to be an anchor.
  ///
  /// - Parameters:
  ///   - devices: how many there are in the operation.
  ///   - silence: after which people are in `noContact`.
  mutating func takesAnchor(at now: Int64, devices: Int, silence: Int64) -> Bool {
    guard let newest, now - newest < Self.interval(devices: devices, silence: silence) else {
      return true
    }
    guard wantsQuickAnchor(at: now) else { return false }
    refill(at: now)
    quickLeft -= 1
    return true
  }

  static func interval(devices: Int, silence: Int64) -> Int64 {
    guard devices > mostDevicesAtInterval else { return intervalMilliseconds }
    return max(intervalMilliseconds, min(millisecondsPerDevice * Int64(devices), silence / 2))
  }

  private mutating func refill(at now: Int64) {
    let intervals = max(0, now - refilledAt) / Self.quickRefillMilliseconds
    quickLeft = Int(min(Int64(Self.quickLimit), Int64(quickLeft) + intervals))
    refilledAt += intervals * Self.quickRefillMilliseconds
  }

  /// An anchor of another device came.
  mutating func noteArrival(of device: DeviceID, boot: BootID) {
    if echoed[device] != boot { waiting[device] = boot }
  }

  /// This device made an anchor.
  mutating func noteAnchor(at time: Int64, echoing devices: some Sequence<DeviceID>) {
    newest = max(newest ?? time, time)
    for device in devices {
      if let boot = waiting.removeValue(forKey: device) { echoed[device] = boot }
    }
  }
}
