/// Traffic counters since the transport was bound. Every dropped datagram is counted.
public struct TransportCounters: Sendable, Hashable {
  /// Datagrams that the operating system accepted. One announce counts once per interface.
  public internal(set) var sent: UInt64 = 0
  /// Bytes of those datagrams, without IP and UDP headers.
  public internal(set) var sentBytes: UInt64 = 0
  /// Received datagrams of valid size, including those dropped as `readerBehind`.
  public internal(set) var received: UInt64 = 0
  /// Bytes of those datagrams, without IP and UDP headers.
  public internal(set) var receivedBytes: UInt64 = 0
  /// Socket read errors. A socket that closes because of one is rebuilt.
  public internal(set) var socketErrors: UInt64 = 0
  /// Sockets that closed unexpectedly and were opened again.
  public internal(set) var rebuiltSockets: UInt64 = 0
  private var drops: [DropReason: UInt64] = [:]

  /// Returns how many datagrams were dropped for this reason.
  public func dropped(_ reason: DropReason) -> UInt64 { drops[reason, default: 0] }

  /// The number of datagrams dropped for any reason.
  public var droppedInAll: UInt64 { drops.values.reduce(0, &+) }

  private mutating func countSent(bytes: Int) {
    sent &+= 1
    sentBytes &+= UInt64(bytes)
  }

  /// Counts one attempt to send: nil if it succeeded.
  mutating func count(_ dropped: DropReason?, of bytes: Int) {
    if let dropped { drop(dropped) } else { countSent(bytes: bytes) }
  }

  mutating func countReceived(bytes: Int) {
    received &+= 1
    receivedBytes &+= UInt64(bytes)
  }

  mutating func add(_ other: TransportCounters) {
    sent &+= other.sent
    sentBytes &+= other.sentBytes
    received &+= other.received
    receivedBytes &+= other.receivedBytes
    socketErrors &+= other.socketErrors
    rebuiltSockets &+= other.rebuiltSockets
    drops.merge(other.drops) { $0 &+ $1 }
  }

  mutating func drop(_ reason: DropReason, count: Int = 1) {
    precondition(count >= 0, "cannot drop \(count) datagrams")
    guard count > 0 else { return }
    drops[reason, default: 0] &+= UInt64(count)
  }
}

/// The reason why a datagram was dropped.
public enum DropReason: String, Sendable, Hashable, CaseIterable {
  /// Received with more than `Limits.largestDatagramBytes`.
  case oversize
  /// Received while the reader was `UDPTransport.receiveBound` datagrams behind.
  case readerBehind
  /// This node's own announce, looped back by the operating system.
  case ownEcho
  /// Sent while `UDPTransport.sendBound` datagrams were waiting for the event loop.
  case senderBehind
  /// The operating system's send buffer was full.
  case sendBufferFull
  /// No route, no neighbour, or the interface is down.
  case unreachable
  /// A firewall or missing privileges on this machine forbid it.
  case forbidden
  /// Larger than the MTU of the interface, or of the path as far as known.
  case overPathSize
  /// The socket uses the other IP family.
  case otherFamily
  /// An announce without an interface to send it on.
  case noInterface
  /// The socket is closed, permanently or until it is rebuilt.
  case socketClosed
  /// Any other error of the operating system.
  case refused
}
