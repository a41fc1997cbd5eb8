internal import MusterModel
internal import NIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Blocking name resolution by the operating system: the hosts file, DNS, mDNS if configured.
enum NameResolution {
  /// Returns the addresses of a name without duplicates, in the system's order of preference (RFC
  /// 6724).
  static func addresses(of name: String, port: UInt16) throws(TransportError) -> [Endpoint] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    #else
      hints.ai_socktype = SOCK_DGRAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(name, nil, &hints, &list)
    guard status == 0 else {
      let reason =
        status == EAI_SYSTEM
        ? String(cString: strerror(errno)) : String(cString: gai_strerror(status))
      throw .unresolvedName(name, reason: reason)
    }
    defer { freeaddrinfo(list) }
    var found: [Endpoint] = []
    var next = list
    while let entry = next {
      if let address = entry.pointee.ai_addr.flatMap(endpoint)?.with(port: port).unmapped,
        !found.contains(address)
      {
        found.append(address)
      }
      next = entry.pointee.ai_next
    }
    return found
  }

  private static func endpoint(_ address: UnsafeMutablePointer<sockaddr>) -> Endpoint? {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Endpoint(SocketAddress($0.pointee, host: ""))
      }
    case AF_INET6:
      address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        Endpoint(SocketAddress($0.pointee, host: ""))
      }
    default: nil
    }
  }
}
