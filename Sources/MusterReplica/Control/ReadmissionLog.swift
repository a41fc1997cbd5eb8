internal import MusterModel

/// The revoked devices that have asked to be admitted again since the program started.
///
/// Bounded: of more than `capacity` devices, the one that asked first is dropped.
struct ReadmissionLog: Sendable {
  private static let capacity = 64

  /// In the order in which they asked, each once.
  private(set) var devices: [DeviceID] = []

  mutating func note(_ device: DeviceID) {
    guard !devices.contains(device) else { return }
    devices.append(device)
    if devices.count > Self.capacity { devices.removeFirst() }
  }
}
