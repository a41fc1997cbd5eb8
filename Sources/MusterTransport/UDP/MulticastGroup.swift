internal import MusterModel

/// Where announces are heard: one group per family on one fixed port, so that nodes find each
/// other with nothing configured, whatever port each listens on.
///
/// The IPv4 group lies in the organisation-local scope (RFC 2365, 239.0.0.0/8) and is kept to one
/// link by a time to live of 1; the IPv6 group has link-local scope (RFC 4291 §2.7). Both spell
/// `MUS`/`MUST` in ASCII.
public struct MulticastGroup: Sendable, Hashable {
  /// The groups and port of every node in the field.
  public static let announce = MulticastGroup(port: 7475)

  /// 239.77.85.83
  let ipv4: [UInt8] = [239, 77, 85, 83]
  /// ff02::4d55:5354
  let ipv6: [UInt8] = [0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x4D, 0x55, 0x53, 0x54]
  /// The UDP port of both groups.
  public let port: UInt16

  /// Another port makes a separate neighbourhood, as tests need.
  public init(port: UInt16) { self.port = port }

  /// The group of a family. `scope` is the interface to send by, which IPv6 needs.
  func endpoint(_ family: AddressFamily, scope: UInt32 = 0) -> Endpoint {
    switch family {
    case .ipv4: Endpoint(trusted: ipv4, port: port)
    case .ipv6: Endpoint(trusted: ipv6, port: port, scope: scope)
    }
  }
}
