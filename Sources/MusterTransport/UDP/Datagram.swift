public import MusterModel

/// A received datagram. Nothing in it is authenticated.
public struct ReceivedDatagram: Sendable, Hashable {
  /// At most `Limits.largestDatagramBytes`.
  public let bytes: [UInt8]
  /// The claimed source address, and the destination of an answer.
  public let from: Endpoint
  /// Whether it arrived on the announce groups' port rather than the node's own.
  public let viaMulticast: Bool
  /// The interface on which it arrived.
  public let link: LinkID

  /// Creates a datagram, for tests of its readers. The transport creates its own.
  public init(bytes: [UInt8], from: Endpoint, viaMulticast: Bool, link: LinkID) {
    self.bytes = bytes
    self.link = link
    self.from = from
    self.viaMulticast = viaMulticast
  }
}

/// One datagram to send.
public struct OutboundDatagram: Sendable, Hashable {
  /// The contents.
  public let bytes: [UInt8]
  /// The destination.
  public let to: Destination

  /// Creates a datagram. This is where the size is enforced: more than
  /// `Limits.largestDatagramBytes` would be sent as IP fragments, and is a programmer's error.
  public init(bytes: [UInt8], to: Destination) {
    precondition(
      bytes.count <= Limits.largestDatagramBytes,
      "a datagram of \(bytes.count) bytes; at most \(Limits.largestDatagramBytes) are sent")
    self.bytes = bytes
    self.to = to
  }
}

/// The destination of a datagram.
public enum Destination: Sendable, Hashable {
  /// One peer on one link; for an unknown link the operating system's routes decide.
  case endpoint(Endpoint, LinkID)
  /// The announce group on one interface; nil for every interface.
  case multicast(LinkID?)
}

/// A reason why paths to peers may have appeared or disappeared.
public enum NetworkChange: Sendable, Hashable {
  /// An address or a carrier appeared or disappeared.
  case interfaces
  /// The machine was suspended, or this process was stopped.
  case woke
}
