internal import MusterModel

/// Decides when this device's next record is an anchor: one that echoes others and may be echoed.
///
/// One anchor per minute keeps upper bounds of age close. A device with newly known peers anchors
/// sooner, so that they know within seconds that it is in contact: once for each device that it has
/// not echoed in the present boot of both, as long as its reserve of quick anchors lasts.
///
/// Invariant: `quickLeft` is between 0 and `quickLimit`.
struct AnchorPacing: Sendable {
  /// The interval between two anchors, unless one is quick, or its record is always an anchor.
  static let intervalMilliseconds: Int64 = 60_000
  /// Up to so many devices; with more, each anchors less often.
  static let mostDevicesAtInterval = 200
  /// Added for each device above that number.
  static let millisecondsPerDevice: Int64 = 300
  /// After five anchors each, all pairs of sixty devices have upper bounds.
  static let quickLimit = 8
  /// The time after which a quick anchor is restored.
  static let quickRefillMilliseconds: Int64 = 300_000

  private var newest: Int64?
  private var quickLeft = quickLimit
  private var refilledAt: Int64 = 0
  /// Devices whose anchors this one has echoed in its present boot, with their boot: after a
  /// restart their machine has forgotten earlier echoes.
  private var echoed: [DeviceID: BootID] = [:]
  /// Devices whose anchor arrived, while none of that boot was echoed yet.
  private var waiting: [DeviceID: BootID] = [:]

  /// Whether other devices wait for an echo, and a quick anchor is available.
  func wantsQuickAnchor(at now: Int64) -> Bool {
    !waiting.isEmpty && (quickLeft > 0 || now - refilledAt >= Self.quickRefillMilliseconds)
  }

  /// Whether a record that is made now is an anchor.
  ///
  /// - Parameters:
  ///   - devices: the number of devices in the operation.
  ///   - silence: the milliseconds after which people are in `noContact`.
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

  /// Records that an anchor of another device arrived.
  mutating func noteArrival(of device: DeviceID, boot: BootID) {
    if echoed[device] != boot { waiting[device] = boot }
  }

  /// Records that this device made an anchor.
  mutating func noteAnchor(at time: Int64, echoing devices: some Sequence<DeviceID>) {
    newest = max(newest ?? time, time)
    for device in devices {
      if let boot = waiting.removeValue(forKey: device) { echoed[device] = boot }
    }
  }
}
