public import MusterModel

/// What a transport is opened with.
public struct UDPConfiguration: Sendable, Hashable {
  /// Where a node listens unless told otherwise.
  public static let defaultListen = "0.0.0.0:7474"

  /// The node's own address: a wildcard, or one address of this machine. Port 0 takes any free
  /// port. Its family is the only one that the transport speaks.
  public let listen: Endpoint
  /// Whether to announce to the groups and hear others' announces.
  public let multicast: Bool
  /// The groups; only tests need others.
  public let group: MulticastGroup

  /// Takes `0.0.0.0:7474` or `[::]:7474`. An address, not a name: a name may mean several.
  public init(
    listen: String = defaultListen, multicast: Bool = true, group: MulticastGroup = .announce
  ) throws(TransportError) {
    let address = try AddressText(listen)
    guard let endpoint = address.literal() else {
      throw .badAddress(listen, reason: "listen on an IP address, such as 0.0.0.0:7474")
    }
    self.listen = endpoint
    self.multicast = multicast
    self.group = group
  }
}
