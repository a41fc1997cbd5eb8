public import MusterModel

/// One datagram as it came in. Nothing about it is authenticated.
public struct ReceivedDatagram: Sendable, Hashable {
  /// At most `Limits.datagramBytes`.
  public let bytes: [UInt8]
  /// Where it claims to come from, and where an answer goes.
  public let from: Endpoint
  /// Whether it came in by the announce groups' port rather than the node's own.
  public let viaMulticast: Bool
  /// The interface that it came in by.
  public let link: LinkID

  /// For tests of what reads datagrams; the transport makes its own.
  public init(bytes: [UInt8], from: Endpoint, viaMulticast: Bool, link: LinkID) {
    self.bytes = bytes
    self.link = link
    self.from = from
    self.viaMulticast = viaMulticast
  }
}

/// One datagram to send.
public struct OutboundDatagram: Sendable, Hashable {
  /// What to send.
  public let bytes: [UInt8]
  /// Whom to send it to.
  public let to: Destination

  /// The one place where the size is enforced: no IP fragment is ever sent, so more than
  /// `Limits.datagramBytes` is a programmer's error.
  public init(bytes: [UInt8], to: Destination) {
    precondition(
      bytes.count <= Limits.datagramBytes,
      "a datagram of \(bytes.count) bytes; at most \(Limits.datagramBytes) are sent")
    self.bytes = bytes
    self.to = to
  }
}

/// Whom a datagram is for.
public enum Destination: Sendable, Hashable {
  /// One peer, by one link; the route decides where that is not known.
  case endpoint(Endpoint, LinkID)
  /// The announce group by one interface; nil for each.
  case multicast(LinkID?)
}

/// Why paths to others may have come or gone.
public enum NetworkChange: Sendable, Hashable {
  /// An address or a carrier has come or gone.
  case interfaces
  /// The machine has slept, or this process was stopped.
  case woke
}
