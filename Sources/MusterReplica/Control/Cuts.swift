internal import MusterModel
internal import MusterSync

/// What still counts of the logs of revoked devices. Several revocations of one device join: only
/// what all of them leave counts.
struct Cuts: Hashable, Sendable {
  /// By device: for each of its logs that every revocation names, the last sequence that counts.
  private var last: [DeviceID: [LogID: UInt64]] = [:]

  /// Whether the device has been revoked.
  func covers(_ device: DeviceID) -> Bool { last[device] != nil }

  var revoked: Set<DeviceID> { Set(last.keys) }

  /// Whether a frame of a device's log still counts.
  func leave(_ sequence: UInt64, of log: LogID, by device: DeviceID) -> Bool {
    guard let logs = last[device] else { return true }
    guard let cut = logs[log] else { return false }
    return sequence <= cut
  }

  /// How many frames of a log no longer count, its first among them.
  func past(_ head: Head, by device: DeviceID) -> UInt64 {
    guard let logs = last[device] else { return 0 }
    guard let cut = logs[head.log] else { return head.sequence + 1 }
    return head.sequence > cut ? head.sequence - cut : 0
  }

  mutating func join(_ revocation: Revocation) {
    let named = Dictionary(
      revocation.cuts.map { ($0.log, $0.sequence) }, uniquingKeysWith: min)
    guard let known = last[revocation.device] else {
      last[revocation.device] = named
      return
    }
    last[revocation.device] = known.reduce(into: [:]) { joined, cut in
      if let other = named[cut.key] { joined[cut.key] = min(cut.value, other) }
    }
  }

  mutating func join(_ revocations: [Revocation]) {
    for revocation in revocations { join(revocation) }
  }
}
