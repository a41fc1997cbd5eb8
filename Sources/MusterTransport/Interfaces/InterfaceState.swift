internal import MusterModel
internal import NIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// One address of one interface, and whether it is usable. Two different readings mean that the
/// network changed.
struct InterfaceState: Hashable, Sendable {
  let name: String
  /// Interfaces without an IP address are ignored.
  let address: Endpoint
  /// Up and with a carrier: a plugged-in cable, an associated radio.
  let isRunning: Bool

  /// Returns the current interfaces of this machine; none if the system does not report them.
  static func current() -> Set<InterfaceState> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var states: Set<InterfaceState> = []
    var next = first
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let address = endpoint(entry.ifa_addr) else { continue }
      let running = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
      states.insert(
        InterfaceState(
          name: String(cString: entry.ifa_name), address: address,
          isRunning: UInt32(entry.ifa_flags) & running == running))
    }
    return states
  }

  private static func endpoint(_ address: UnsafeMutablePointer<sockaddr>?) -> Endpoint? {
    guard let address else { return nil }
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Endpoint(SocketAddress($0.pointee, host: ""))
      }
    case AF_INET6:
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        Endpoint(SocketAddress($0.pointee, host: ""))
      }
    default: return nil
    }
  }
}

extension LinkID {
  /// The system's name of the interface; nil if it is unknown or has been removed.
  var interfaceName: String? {
    guard self != .unknown else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      guard let start = buffer.baseAddress, if_indextoname(index, start) != nil else { return nil }
      return String(cString: start)
    }
  }
}
