internal import MusterModel
internal import NIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Sends by the socket itself rather than through NIO's write queue, for two reasons: NIO closes a
/// datagram channel on most errors of a send, "network is unreachable" among them, which in the
/// field is the weather; and the interface of an IPv4 announce is a setting of the socket, so it
/// must not change before the datagram has left.
///
/// MUST be called on the event loop of the socket's channel, while that is active.
struct DirectSend {
  let handle: NIOBSDSocket.Handle

  /// Nil when the operating system took the datagram; never blocks.
  func send(_ bytes: [UInt8], to address: SocketAddress) -> DropReason? {
    let flags = Int32(MSG_DONTWAIT)
    // A signal may interrupt a send, and an earlier datagram's ICMP error may be reported by this
    // one instead; both are over after one more try.
    for _ in 0..<3 {
      let result = bytes.withUnsafeBytes { bytes in
        address.withSockAddr { pointer, length in
          sendto(handle, bytes.baseAddress, bytes.count, flags, pointer, socklen_t(length))
        }
      }
      if result >= 0 { return nil }
      let code = errno
      guard code == EINTR || code == ECONNREFUSED else { return Self.reason(for: code) }
    }
    return .unreachable
  }

  /// Chooses the interface of the next IPv4 announces. False if it has gone.
  func useForMulticast(interfaceIndex: Int) -> Bool {
    var request = ip_mreqn()
    request.imr_ifindex = Int32(truncatingIfNeeded: interfaceIndex)
    return setsockopt(
      handle, Int32(IPPROTO_IP), IP_MULTICAST_IF, &request,
      socklen_t(MemoryLayout<ip_mreqn>.size)) == 0
  }

  private static func reason(for code: Int32) -> DropReason {
    switch code {
    case EAGAIN, EWOULDBLOCK, ENOBUFS, ENOMEM: .sendBufferFull
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, ENODEV, ENXIO: .unreachable
    case EPERM, EACCES: .forbidden
    case EMSGSIZE: .overPathSize
    case EAFNOSUPPORT: .otherFamily
    default: .refused
    }
  }
}
