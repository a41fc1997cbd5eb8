/// What went in and out since the transport was bound. Nothing is dropped without being counted.
public struct TransportCounters: Sendable, Hashable {
  /// Datagrams that the operating system took; one announce counts once per interface.
  public internal(set) var sent: UInt64 = 0
  /// Bytes of those datagrams, without IP and UDP headers.
  public internal(set) var sentBytes: UInt64 = 0
  /// Datagrams of allowed size that came in, those dropped as `readerBehind` included.
  public internal(set) var received: UInt64 = 0
  /// Bytes of those datagrams, without IP and UDP headers.
  public internal(set) var receivedBytes: UInt64 = 0
  /// Errors that a socket reported while reading; each socket that closes of them is rebuilt.
  public internal(set) var socketErrors: UInt64 = 0
  /// Sockets that closed by themselves and were opened again.
  public internal(set) var rebuiltSockets: UInt64 = 0
  private var drops: [DropReason: UInt64] = [:]

  /// How many datagrams were dropped for this reason.
  public func dropped(_ reason: DropReason) -> UInt64 { drops[reason, default: 0] }

  /// How many datagrams were dropped for any reason.
  public var droppedInAll: UInt64 { drops.values.reduce(0, &+) }

  private mutating func countSent(bytes: Int) {
    sent &+= 1
    sentBytes &+= UInt64(bytes)
  }

  /// One attempt to send: nil when it succeeded.
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

/// Why a datagram went no further.
public enum DropReason: String, Sendable, Hashable, CaseIterable {
  /// Received with more than `Limits.datagramBytes`.
  case oversize
  /// Received while the reader was `UDPTransport.receiveBound` datagrams behind.
  case readerBehind
  /// Our own announce, looped back by the operating system.
  case ownEcho
  /// Sent while `UDPTransport.sendBound` datagrams were waiting for the event loop.
  case senderBehind
  /// The operating system's send buffer was full.
  case sendBufferFull
  /// No route, no neighbour, or the interface is down.
  case unreachable
  /// A firewall or a privilege of this machine forbids it.
  case forbidden
  /// Larger than what the interface, or the path as far as it is known, takes in one piece.
  case overPathSize
  /// The socket speaks the other IP family.
  case otherFamily
  /// An announce with no interface to send it by.
  case noInterface
  /// The socket is closed, for good or until it is rebuilt.
  case socketClosed
  /// Any other refusal by the operating system.
  case refused
}
