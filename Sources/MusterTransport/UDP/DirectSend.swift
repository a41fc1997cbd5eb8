internal import MusterModel
internal import NIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Sends on the socket itself, bypassing NIO's write queue, for two reasons. NIO closes a datagram
/// channel on most send errors, including "network is unreachable", which is common in the field.
/// And the interface of an IPv4 announce is a socket option, so it must not change before the
/// datagram is sent.
///
/// MUST be called on the event loop of the socket's channel while the channel is active.
struct DirectSend {
  let handle: NIOBSDSocket.Handle

  /// Sends without blocking. Returns nil if the operating system accepted the datagram.
  ///
  /// A datagram of more than `Limits.datagramBytes` leaves in one packet or not at all: in
  /// fragments it would arrive as if the path carried it (RFC 8899 §3). The smaller ones may be
  /// divided where a link carries less, so that such a link works at all.
  func send(_ bytes: [UInt8], to address: SocketAddress) -> DropReason? {
    guard bytes.count > Limits.datagramBytes else { return transmit(bytes, to: address) }
    let family: AddressFamily = if case .v6 = address { .ipv6 } else { .ipv4 }
    guard permitFragments(false, family) else { return .overPathSize }
    defer { _ = permitFragments(true, family) }
    return transmit(bytes, to: address)
  }

  private func transmit(_ bytes: [UInt8], to address: SocketAddress) -> DropReason? {
    let flags = Int32(MSG_DONTWAIT)
    // A signal may interrupt a send, and an ICMP error for an earlier datagram may be reported
    // here. Both are gone after one retry.
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

  /// Sets whether the following datagrams may be divided into IP fragments. In both cases, ICMP
  /// messages about the size of a path are ignored, since an outsider can forge them.
  private func permitFragments(_ isPermitted: Bool, _ family: AddressFamily) -> Bool {
    let level = Int32(family == .ipv6 ? IPPROTO_IPV6 : IPPROTO_IP)
    #if canImport(Darwin)
      let name = family == .ipv6 ? IPV6_DONTFRAG : IP_DONTFRAG
      var value: Int32 = isPermitted ? 0 : 1
    #else
      // Both families have the same values.
      let name = family == .ipv6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER
      var value: Int32 = isPermitted ? IP_PMTUDISC_OMIT : IP_PMTUDISC_PROBE
    #endif
    return setsockopt(handle, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
  }

  /// Selects the interface of the following IPv4 announces. Returns false if it was removed.
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
