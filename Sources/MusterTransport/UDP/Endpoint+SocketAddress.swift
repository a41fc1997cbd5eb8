internal import MusterModel
internal import NIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension Endpoint {
  /// Returns nil if it is not an IP address.
  init?(_ socketAddress: SocketAddress) {
    switch socketAddress {
    case .v4(let wrapped):
      var raw = wrapped.address
      self.init(
        address: withUnsafeBytes(of: &raw.sin_addr) { Array($0) },
        port: UInt16(bigEndian: raw.sin_port))
    case .v6(let wrapped):
      var raw = wrapped.address
      self.init(
        address: withUnsafeBytes(of: &raw.sin6_addr) { Array($0) },
        port: UInt16(bigEndian: raw.sin6_port), scope: raw.sin6_scope_id)
    case .unixDomainSocket:
      return nil
    }
  }

  /// The socket address, including the scope that a link-local address requires.
  var socketAddress: SocketAddress {
    switch family {
    case .ipv4:
      var raw = sockaddr_in()
      #if canImport(Darwin)
        raw.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      #endif
      raw.sin_family = sa_family_t(AF_INET)
      raw.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &raw.sin_addr) { $0.copyBytes(from: address) }
      return SocketAddress(raw, host: "")
    case .ipv6:
      var raw = sockaddr_in6()
      #if canImport(Darwin)
        raw.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
      #endif
      raw.sin6_family = sa_family_t(AF_INET6)
      raw.sin6_port = port.bigEndian
      raw.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &raw.sin6_addr) { $0.copyBytes(from: address) }
      return SocketAddress(raw, host: "")
    }
  }
}
