public import MusterModel

/// The configuration of a transport.
public struct UDPConfiguration: Sendable, Hashable {
  /// The default address to listen on.
  public static let defaultListen = "0.0.0.0:7474"

  /// The node's own address: a wildcard, or one address of this machine. Port 0 selects any free
  /// port. A wildcard of either family means both families; any other address means its own alone.
  public let listen: Endpoint
  /// Whether to send announces to the groups and receive others' announces.
  public let multicast: Bool
  /// The groups; only tests use others.
  public let group: MulticastGroup
  /// The hops of announces: 1 for the network of each interface, 0 for this machine alone.
  public let multicastHops: Int32

  /// Parses `0.0.0.0:7474` or `[::]:7474`. Requires an address, since a name may resolve to
  /// several.
  public init(
    listen: String = defaultListen, multicast: Bool = true, group: MulticastGroup = .announce,
    multicastHops: Int32 = 1
  ) throws(TransportError) {
    let address = try AddressText(listen)
    guard let endpoint = address.literal() else {
      throw .badAddress(listen, reason: "listen on an IP address, such as 0.0.0.0:7474")
    }
    guard endpoint.port != group.port else {
      throw .badAddress(
        listen, reason: "UDP port \(group.port) is for discovery by multicast: use another one")
    }
    self.listen = endpoint
    self.multicast = multicast
    self.group = group
    self.multicastHops = multicastHops
  }

  /// The address families of the node's own sockets, that of `listen` first.
  var families: [AddressFamily] {
    guard listen.isWildcard else { return [listen.family] }
    return [listen.family] + AddressFamily.allCases.filter { $0 != listen.family }
  }

  /// Returns the address of the socket of one of `families`.
  func address(_ family: AddressFamily, port: UInt16) -> Endpoint {
    guard family != listen.family else { return listen.with(port: port) }
    return Endpoint(
      trusted: [UInt8](repeating: 0, count: family == .ipv4 ? 4 : 16), port: port)
  }
}
