internal import MusterModel
internal import MusterReplica
internal import MusterTransport

/// The connections of a node: datagrams over UDP, and over HTTPS to and from command posts.
struct NodePorts: Sendable {
  /// Nil for a node that only performs commands.
  let transport: UDPTransport?
  /// Nil for a node that uses no command post over HTTPS, and is none.
  let uplinks: UplinkSwitch?

  func send(_ outgoing: [Replica.Outgoing]) {
    var datagrams: [OutboundDatagram] = []
    datagrams.reserveCapacity(outgoing.count)
    for datagram in outgoing {
      switch datagram {
      case .to(let endpoint, _, let bytes) where endpoint.isUplink:
        uplinks?.send(bytes, to: endpoint)
      case .to(let endpoint, let link, let bytes):
        datagrams.append(OutboundDatagram(bytes: bytes, to: .endpoint(endpoint, link)))
      case .multicast(let link, let bytes):
        datagrams.append(OutboundDatagram(bytes: bytes, to: .multicast(link)))
      }
    }
    if !datagrams.isEmpty { transport?.send(datagrams) }
  }

  /// Adds the counts of datagrams that were dropped before they reached the replica, by reason.
  func addDropped(to counts: inout [String: UInt64]) {
    guard let counters = transport?.counters else { return }
    for reason in DropReason.allCases where counters.dropped(reason) > 0 {
      counts[reason.rawValue, default: 0] += counters.dropped(reason)
    }
    if let dropped = uplinks?.dropped, dropped > 0 { counts["uplinkFull"] = dropped }
  }

  /// The addresses of this node for an invite.
  var ownEndpoints: [Endpoint] { transport?.localEndpoints() ?? [] }

  /// Returns this machine's name for a link; empty if unknown.
  func interfaceName(of link: LinkID) -> String {
    link == .uplink ? "uplink" : transport?.interfaceName(of: link) ?? ""
  }
}
