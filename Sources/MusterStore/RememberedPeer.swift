public import MusterModel

/// A peer address to try again after a restart.
public struct RememberedPeer: Hashable, Sendable {
  /// The address.
  public var endpoint: Endpoint
  /// The device that authenticated from it; nil if none did.
  public var device: DeviceID?
  /// By this device's wall clock; nil if never.
  public var lastReceived: Timestamp?

  /// Creates an address. Leave out what is unknown.
  public init(endpoint: Endpoint, device: DeviceID? = nil, lastReceived: Timestamp? = nil) {
    self.endpoint = endpoint
    self.device = device
    self.lastReceived = lastReceived
  }
}
