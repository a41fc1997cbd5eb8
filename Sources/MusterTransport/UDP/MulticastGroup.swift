internal import MusterModel

/// The multicast groups of announces: one per family on one fixed port, so that nodes discover each
/// other without configuration, whatever port each one listens on.
///
/// The IPv4 group is in the organisation-local scope (RFC 2365, 239.0.0.0/8) and is limited to one
/// link by a TTL of 1. The IPv6 group has link-local scope (RFC 4291 §2.7). Both spell `MUS`/`MUST`
/// in ASCII.
public struct MulticastGroup: Sendable, Hashable {
  /// The groups and port of every node in the field.
  public static let announce = MulticastGroup(port: 7475)

  /// 239.77.85.83
  let ipv4: [UInt8] = [239, 77, 85, 83]
  /// ff02::4d55:5354
  let ipv6: [UInt8] = [0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x4D, 0x55, 0x53, 0x54]
  /// The UDP port of both groups.
  public let port: UInt16

  /// Creates groups on another port, which separates nodes on one network, for tests.
  public init(port: UInt16) { self.port = port }

  /// Returns the group address of a family. `scope` is the sending interface, which IPv6 requires.
  func endpoint(_ family: AddressFamily, scope: UInt32 = 0) -> Endpoint {
    switch family {
    case .ipv4: Endpoint(trusted: ipv4, port: port)
    case .ipv6: Endpoint(trusted: ipv6, port: port, scope: scope)
    }
  }
}
