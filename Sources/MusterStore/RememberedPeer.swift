public import MusterModel

/// An address to try again after a restart.
public struct RememberedPeer: Hashable, Sendable {
  /// Where to send.
  public var endpoint: Endpoint
  /// Who proved to be there; nil for an address that nobody has answered from.
  public var device: DeviceID?
  /// By this device's wall clock; nil if never.
  public var lastHeard: Timestamp?

  /// What is known of an address; leave out what is not.
  public init(endpoint: Endpoint, device: DeviceID? = nil, lastHeard: Timestamp? = nil) {
    self.endpoint = endpoint
    self.device = device
    self.lastHeard = lastHeard
  }
}
