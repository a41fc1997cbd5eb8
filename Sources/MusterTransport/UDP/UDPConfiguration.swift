public import MusterModel

/// The configuration of a transport.
public struct UDPConfiguration: Sendable, Hashable {
  /// The default address to listen on.
  public static let defaultListen = "0.0.0.0:7474"

  /// The node's own address: a wildcard, or one address of this machine. Port 0 selects any free
  /// port. The transport sends only in this address family.
  public let listen: Endpoint
  /// Whether to send announces to the groups and receive others' announces.
  public let multicast: Bool
  /// The groups; only tests use others.
  public let group: MulticastGroup

  /// Parses `0.0.0.0:7474` or `[::]:7474`. Requires an address, since a name may resolve to
  /// several.
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
